"""What is kept between clicks: conversations that anyone may open, and this tab's latest replays.

The only module that caches. What came from a person's disk is never kept beyond their tab: replays are cached per
session. All results are resources, handed out without a copy, and read only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from itertools import pairwise
from time import perf_counter
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import streamlit as st

from historylab.conversation.conversation import Conversation
from historylab.costs.caches.base import all_caches
from historylab.costs.traffic import CostComparison, against_untrimmed_under
from historylab.counters.base import open_counter, token_column
from historylab.figures.difference_map import pack_difference
from historylab.figures.retention_map import pack_timeline
from historylab.figures.token_chart import token_chart
from historylab.formats.base import Report
from historylab.formats.load import Conversations
from historylab.formats.samples import load_sample
from historylab.generators.base import generate
from historylab.planning.explain import Answer
from historylab.planning.pipeline import project
from historylab.planning.replay import Timeline, replay
from historylab.pricing import Prices
from historylab.recall.retention import Likely, Retention, asked_later, retention
from historylab.settings.consent import settings_that_ask as asks_a_model
from historylab.settings.model import Settings
from historylab.tuning import compare
from historylab.tuning.compare import Figures
from historylab.ui.session import model_consent, viewing
from historylab.ui.session.background_work import Work


@st.cache_resource(max_entries=32, show_spinner=False)
def sample(name: str) -> Conversations:
    """A sample conversation's file."""
    return load_sample(name)


@st.cache_resource(max_entries=8, show_spinner="Writing the conversation")
def generated(name: str, options: tuple[tuple[str, Any], ...]) -> Conversations:
    """A generated conversation, as a file of one."""
    made = generate(name, **dict(options))
    report = Report(format="generated", records=len(made), messages=len(made), conversations=1)
    return Conversations([made], report)


def timeline(conversation: Conversation, settings: Settings) -> Timeline:
    """The replay of a conversation under settings, with what every view of it needs already computed.

    Where the settings ask a model that may not be asked, or not yet, the replay is the one that asks nobody.
    """
    settings = model_consent.resolve_model_calls(conversation, settings)
    mark = model_consent.answer_mark(conversation, settings)
    return _timeline(conversation.digest, settings.key, mark, conversation, settings)


@st.cache_resource(max_entries=5, scope="session", show_spinner="Replaying every request")
def _timeline(digest: str, key: str, asked: str, _conversation: Conversation, _settings: Settings) -> Timeline:
    stamps = [perf_counter()]
    token_column(project(_conversation, _settings), counter(_settings))
    stamps.append(perf_counter())
    made = replay(_conversation, _settings)
    stamps.append(perf_counter())
    _ = made.steps, made.tokens_by_kind, made.over_budget, made.untrimmed
    stamps.append(perf_counter())
    _took[made] = tuple(after - before for before, after in pairwise(stamps))
    return made


_took: WeakKeyDictionary[Timeline, tuple[float, float, float]] = WeakKeyDictionary()


def stage_seconds(made: Timeline) -> tuple[float, float, float]:
    """Seconds it took to count the messages, to plan every request, and to add up what the screens show."""
    return _took[made]


def _key(made: Timeline) -> str:
    """The settings; and where a model was asked, who wrote which summary, for it may answer otherwise next time."""
    if not asks_a_model(made.settings):
        return made.settings.key
    written = {plan.summary.made_at: plan.summary for plan in made.plans if plan.summary}
    return made.settings.key + "".join(f" {s.made_at} {s.by} {s.tokens}" for s in written.values())


def packed_map(made: Timeline) -> tuple[bytes, str]:
    """A timeline as the retention map's bytes, and the key the browser knows them by."""
    return _packed(made.conversation.digest, _key(made), made)


@st.cache_resource(max_entries=3, scope="session", show_spinner="Drawing the map")
def _packed(digest: str, key: str, _made: Timeline) -> tuple[bytes, str]:
    return pack_timeline(_made), blake2b(f"{digest} {key}".encode(), digest_size=12).hexdigest()


def packed_difference(a: Timeline, b: Timeline, letter: str) -> tuple[bytes, str]:
    """What two timelines do differently as the map's bytes, and the key the browser knows them by."""
    return _packed_difference(a.conversation.digest, _key(a), _key(b), letter, a, b)


@st.cache_resource(max_entries=3, scope="session", show_spinner="Drawing what differs")
def _packed_difference(digest: str, key: str, other: str, letter: str, _a: Timeline, _b: Timeline) -> tuple[bytes, str]:
    name = blake2b(f"{digest} {key} {letter} {other}".encode(), digest_size=12).hexdigest()
    return pack_difference(_a, _b, letter), name


def differing_requests(timelines: Sequence[Timeline]) -> list[int]:
    """The requests (from 0) that don't send every message alike under all of them."""
    return _differing_requests(timelines[0].conversation.digest, tuple(map(_key, timelines)), timelines)


@st.cache_resource(max_entries=3, scope="session", show_spinner="Looking for what differs")
def _differing_requests(digest: str, keys: tuple[str, ...], _timelines: Sequence[Timeline]) -> list[int]:
    return compare.differing_requests(_timelines)


def figures(made: Timeline, prices: Prices | None) -> Figures:
    """What a timeline comes to, for the comparison."""
    return _figures(made.conversation.digest, _key(made), repr(prices), viewing.must_remember(), made, prices)


@st.cache_resource(max_entries=8, scope="session", show_spinner="Adding up what is lost")
def _figures(
    digest: str, key: str, listed: str, stars: tuple[int, ...], _made: Timeline, _prices: Prices | None
) -> Figures:
    return compare.measure_figures(_made, _prices, stars=stars)


def chart(made: Timeline, *, dark: bool) -> Any:
    """The token chart, which is the same for every request."""
    return _chart(made.conversation.digest, made.settings.key, dark, made)


@st.cache_resource(max_entries=4, scope="session", show_spinner=False)
def _chart(digest: str, key: str, dark: bool, _made: Timeline) -> Any:
    return token_chart(_made, dark=dark)


def answer(made: Timeline, number: int, message: int) -> Answer:
    """Why a request treats a message as it does; finding what would keep it plans again many times."""
    return _answer(made.conversation.digest, _key(made), number, message, made)


@st.cache_resource(max_entries=64, scope="session", show_spinner="Trying what would keep it")
def _answer(digest: str, key: str, number: int, message: int, _made: Timeline) -> Answer:
    return _made.explain(number, message)


def comparisons(made: Timeline, prices: Prices) -> Mapping[str, CostComparison]:
    """Per cache model what a timeline costs, beside not trimming."""
    return _comparisons(made.conversation.digest, _key(made), repr(prices), made, prices)


@st.cache_resource(max_entries=6, scope="session", show_spinner="Pricing every request")
def _comparisons(digest: str, key: str, listed: str, _made: Timeline, _prices: Prices) -> Mapping[str, CostComparison]:
    return {one.bill.cache.name: one for one in against_untrimmed_under(_made, all_caches(), _prices)}


def retained(made: Timeline) -> Retention:
    """What a timeline keeps of what later requests need and of what must be remembered, and what it forgets."""
    return _retained(made.conversation.digest, _key(made), viewing.must_remember(), made)


@st.cache_resource(max_entries=3, scope="session", show_spinner="Looking for what later requests need")
def _retained(digest: str, key: str, stars: tuple[int, ...], _made: Timeline) -> Retention:
    return retention(_made, stars=stars)


def likely_needed(made: Timeline) -> tuple[Likely, ...]:
    """Per question that might be asked later, the messages likeliest to answer it; nothing where none was written."""
    asked = viewing.questions()
    return _likeliest(made.conversation.digest, _key(made), asked, made) if asked else ()


@st.cache_resource(max_entries=3, scope="session", show_spinner="Looking for what could answer that")
def _likeliest(digest: str, key: str, asked: tuple[str, ...], _made: Timeline) -> tuple[Likely, ...]:
    return asked_later(_made, asked)


@st.cache_resource(max_entries=12, scope="session", show_spinner=False)
def background_work(kind: str, *keys: str) -> Work:
    """Work of that kind on those conversations, settings and prices: done once, and whoever asks fills it in."""
    return Work()


def tokens(conversation: Conversation, settings: Settings) -> np.ndarray:
    """Tokens of every message; the conversation itself remembers them."""
    return token_column(conversation, counter(settings))


def counter(settings: Settings) -> Any:
    return open_counter(settings.counter, settings.model, **settings.options_of("counter"))
