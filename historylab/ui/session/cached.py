"""Caches: conversations that anyone may open, and this tab's latest replays with what is drawn from them.

The only module that caches, but for cached_recording.py. What was uploaded or pasted is never kept beyond its tab:
whatever is made from a conversation is cached per session. All results are resources, handed out without a copy, and
read only.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from datetime import datetime
from hashlib import blake2b
from itertools import pairwise
from time import perf_counter
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
import streamlit as st

from historylab.conversation.conversation import Conversation
from historylab.costs.bill import CostComparison, against_untrimmed_under
from historylab.costs.caches.base import all_caches
from historylab.costs.session_cost import SessionFigures, read_figures
from historylab.counters.base import Counter, counter_for, token_column
from historylab.figures.message_texts import pack_bubbles, pack_lines
from historylab.figures.retention_map import pack_conversation, pack_timeline
from historylab.figures.sent_otherwise import pack_otherwise
from historylab.figures.svg_file import map_file, token_file
from historylab.figures.token_chart import pack_tokens
from historylab.formats.base import Report
from historylab.formats.convert import WrittenConversations, write
from historylab.formats.load import Conversations, collection_paused
from historylab.formats.samples import load_sample
from historylab.formats.sessions.find import Session
from historylab.generators.base import generate
from historylab.planning.explain import Answer, Progress
from historylab.planning.pipeline import project
from historylab.planning.replay import Timeline, replay
from historylab.planning.strategies.base import Instruments
from historylab.pricing import Prices
from historylab.recall.must_remember import MustRemember
from historylab.recall.questions import AskedQuestion, Question, ask_all
from historylab.recall.retention import Loss, Retention, retention
from historylab.reports.decisions import decisions_csv
from historylab.reports.report import report
from historylab.reports.shown import Shown
from historylab.settings.consent import settings_that_ask
from historylab.settings.model import Settings
from historylab.settings.resolve import Resolution
from historylab.tuning import compare
from historylab.tuning.compare import Figures
from historylab.ui.session import model_consent
from historylab.ui.session.background_work import Work
from historylab.ui.session.latest_timelines import LatestTimelines
from historylab.ui.session.model_consent import Consented
from historylab.ui.session.session import tab
from historylab.wording.losses import losses_shown, named_loss
from historylab.wording.sources import SettingsEffect, outcome_of

T = TypeVar("T")


def timeline_key(timeline: Timeline) -> str:
    """Conversation and settings, or a trimmer; with a model, also its summaries, for they may differ the next time."""
    under, run = (each.key for each in timeline.under), timeline.run
    by = f"{run.choice.name} {run.choice.options!r}" if run else ""
    key = " ".join(filter(None, (timeline.conversation.digest, timeline.settings.key, *under, timeline.decided, by)))
    if not settings_that_ask(timeline.settings):
        return key
    written = {plan.summary.made_at: plan.summary for plan in timeline.plans if plan.summary}
    return key + "".join(f" {s.made_at} {s.by} {s.text}" for s in written.values())


def _content_of(shown: Shown) -> tuple[str, ...]:
    """What a report shows of a configuration; what later requests needed follows from its timeline and the marks."""
    settings = repr(shown.resolution.provenance) if shown.resolution else ""
    bill = f"{shown.cost.bill.prices!r} {shown.cost.bill.cache!r}" if shown.cost else ""
    marks = repr([star.mark for star in shown.starred])
    return shown.letter, timeline_key(shown.timeline), settings, bill, marks


BY_CONTENT: dict[str | type[Any], Callable[[Any], Any]] = {
    Conversation: lambda conversation: conversation.digest,
    Settings: lambda settings: settings.key,
    Timeline: timeline_key,
    Prices: repr,
    Resolution: lambda resolution: repr(resolution.provenance),
    MustRemember: lambda remembered: remembered.mark,  # the rest follows from the timeline
    Question: repr,
    Shown: _content_of,
}
"""The hash functions for our arguments: `hash_funcs` of every cached function below."""


@st.cache_resource(max_entries=32, show_spinner=False)
def sample(name: str) -> Conversations:
    """A sample conversation's file."""
    return load_sample(name)


def figures_of_session(session: Session) -> SessionFigures | None:
    """The cuts and the cost of a session of this machine."""
    return _session_figures(session, str(session.path), session.changed, session.size)


@st.cache_resource(max_entries=1_000, scope="session", show_spinner=False)
def _session_figures(_session: Session, path: str, changed: datetime, size: int | None) -> SessionFigures | None:
    return read_figures(_session)


@st.cache_resource(max_entries=8, show_spinner="Writing the conversation")
def generate_file(name: str, options: tuple[tuple[str, Any], ...]) -> Conversations:
    """A generated conversation, as a file of one."""
    made = generate(name, **dict(options))
    report = Report(format="generated", records=len(made), messages=len(made), conversations=1)
    return Conversations([made], report)


# -- replays


def timeline(conversation: Conversation, settings: Settings) -> Timeline:
    """The replay of a conversation under settings, with what every view of it needs already computed.

    Where the settings call a model without consent, or without a click yet, it is the offline replay.
    """
    consented = model_consent.resolve_model_calls(conversation, settings)
    key = f"{conversation.digest} {consented.settings.key} {consented.mark}"
    requests = len(conversation.columns.requests)
    return _latest().timeline(key, tab().began, requests, lambda: _replay(conversation, consented))


def _found_in(timeline: Timeline, name: Hashable, find: Callable[[], T]) -> T:
    """A value found in a timeline, kept as long as that is."""
    return _latest().found_in(timeline, timeline_key, tab().began, name, find)


@st.cache_resource(scope="session", show_spinner=False)
def _latest() -> LatestTimelines:
    return LatestTimelines()


def _replay(conversation: Conversation, consented: Consented) -> Timeline:
    stamps = [perf_counter()]
    with st.spinner("Replaying every request"), collection_paused():  # plans by the thousand, none of them garbage
        token_column(project(conversation, consented.settings), counter(consented.settings))
        stamps.append(perf_counter())
        timeline = consented.timeline or replay(conversation, consented.settings)
        stamps.append(perf_counter())
        _ = timeline.steps, timeline.tokens_by_kind, timeline.over_budget, timeline.untrimmed
        stamps.append(perf_counter())
    counting, planning, adding = (after - before for before, after in pairwise(stamps))
    _seconds[timeline] = counting, planning + consented.seconds, adding
    return timeline


@st.cache_resource(max_entries=4, scope="session", show_spinner="Replaying every request", hash_funcs=BY_CONTENT)
def chat_timeline(conversation: Conversation, settings: Settings, written: int, _instruments: Instruments) -> Timeline:
    """The replay of a chat with what wrote its summaries, of which there are `written` so far."""
    with collection_paused():
        return replay(conversation, settings, instruments=_instruments)


_seconds: WeakKeyDictionary[Timeline, tuple[float, float, float]] = WeakKeyDictionary()


def stage_seconds(timeline: Timeline) -> tuple[float, float, float]:
    """Seconds it took to count the messages, to plan every request, and to add up what the screens show."""
    return _seconds[timeline]


# -- what is drawn from them


@st.cache_resource(max_entries=5, scope="session", show_spinner="Drawing the map", hash_funcs=BY_CONTENT)
def packed_map(timeline: Timeline) -> tuple[bytes, str]:
    """A timeline as the retention map's bytes, and the key the browser knows them by."""
    key = browser_key(timeline)
    return pack_timeline(timeline, key, _browser_key(timeline.conversation.digest)), key


def packed_conversation(timeline: Timeline) -> bytes:
    """What the maps show that follows from the conversation alone, which remembers it."""
    key = _browser_key(timeline.conversation.digest)
    return timeline.conversation.remember("packed", lambda: pack_conversation(timeline, key))


def packed_lines(timeline: Timeline) -> tuple[bytes, str]:
    """A line of every message as bytes, the same under all settings that count alike; and the browser's key."""
    return _packed_lines(timeline.conversation, timeline.counter.key, timeline.plans[-1].history.sums.tokens)


@st.cache_resource(max_entries=3, scope="session", show_spinner=False, hash_funcs=BY_CONTENT)
def _packed_lines(conversation: Conversation, counted: str, _tokens: np.ndarray) -> tuple[bytes, str]:
    return pack_lines(conversation, _tokens), _browser_key(f"{conversation.digest} {counted}")


@st.cache_resource(max_entries=3, scope="session", show_spinner=False, hash_funcs=BY_CONTENT)
def packed_bubbles(conversation: Conversation) -> tuple[bytes, str]:
    """The messages as the chat's bubbles, in bytes, and the key the browser knows them by."""
    return pack_bubbles(conversation), _browser_key(f"{conversation.digest} bubbles")


@st.cache_resource(max_entries=3, scope="session", show_spinner=False, hash_funcs=BY_CONTENT)
def packed_otherwise(timeline: Timeline) -> tuple[bytes, str]:
    """What a timeline sends in place of messages, as bytes, and the key the browser knows it by."""
    return pack_otherwise(timeline), _browser_key(f"{timeline_key(timeline)} otherwise")


def browser_key(timeline: Timeline) -> str:
    """The key by which the browser knows a timeline: what stands on the page for another isn't changed for this one."""
    return _browser_key(timeline_key(timeline))


def _browser_key(content: str) -> str:
    return blake2b(content.encode(), digest_size=12).hexdigest()


@st.cache_resource(max_entries=3, scope="session", show_spinner=False, hash_funcs=BY_CONTENT)
def packed_tokens(timeline: Timeline) -> bytes:
    """The token chart's bytes, the same for every request, but for their head."""
    return pack_tokens(timeline)


@st.cache_resource(max_entries=2, scope="session", show_spinner="Writing the report", hash_funcs=BY_CONTENT)
def report_file(shown: tuple[Shown, ...], number: int) -> bytes:
    """The report on a request under one or several configurations, as a file."""
    return _as_file(report(shown, number))


@st.cache_resource(max_entries=2, scope="session", show_spinner="Writing the decisions", hash_funcs=BY_CONTENT)
def decisions_file(timeline: Timeline, number: int) -> bytes:
    """The decisions of a request, as a file."""
    return _as_file(decisions_csv(timeline, number))


@st.cache_resource(max_entries=2, scope="session", show_spinner="Drawing the pictures", hash_funcs=BY_CONTENT)
def picture_files(timeline: Timeline, number: int) -> tuple[bytes, bytes]:
    """The map and the token chart with a request marked, as SVG files."""
    return map_file(timeline, number).encode(), token_file(timeline, number).encode()


@st.cache_resource(
    max_entries=2,
    scope="session",
    show_spinner="Writing the file",
    hash_funcs={Conversation: lambda one: f"{one.digest} {one.title} {one.metadata!r}"},
)
def write_in(conversations: tuple[Conversation, ...], format: str) -> WrittenConversations:
    """Conversations in another format, as a document or as lines of several, and what that has no place for."""
    return write(conversations[0] if len(conversations) == 1 else conversations, format)


def _as_file(text: str) -> bytes:
    return text.encode("utf-8-sig")  # the byte order mark tells spreadsheets that it is UTF-8


# -- what is computed from them


@st.cache_resource(max_entries=3, scope="session", show_spinner="Looking for what differs", hash_funcs=BY_CONTENT)
def differing_requests(timelines: Sequence[Timeline]) -> list[int]:
    """The requests (from 0) that don't send every message alike under all of them."""
    return compare.differing_requests(timelines)


@st.cache_resource(max_entries=8, scope="session", show_spinner="Adding up what is lost", hash_funcs=BY_CONTENT)
def figures(
    timeline: Timeline, prices: Prices | None, must_remember: tuple[int, ...], without: frozenset[int] = frozenset()
) -> Figures:
    """The figures of a timeline, for the comparison, `without` the tokens and the cost of some requests (from 0)."""
    found = retention_of(timeline, must_remember)
    return compare.measure_figures(timeline, prices, found=found, without=without)


def answer(timeline: Timeline, number: int, message: int, progress: Progress | None = None) -> Answer:
    """Why a request treats a message as it does; finding what would keep it plans again many times.

    A click ends the search in what `progress` draws.
    """
    known = _answers.setdefault(timeline, {})
    if (number, message) not in known:
        known[number, message] = timeline.explain(number, message, progress=progress)
        if len(known) > MOST_ANSWERS:
            del known[next(iter(known))]
    return known[number, message]


def knows_answer(timeline: Timeline, number: int, message: int) -> bool:
    """Whether that answer is there already."""
    return (number, message) in _answers.get(timeline, {})


MOST_ANSWERS = 64
_answers: WeakKeyDictionary[Timeline, dict[tuple[int, int], Answer]] = WeakKeyDictionary()


def comparisons(timeline: Timeline, prices: Prices) -> Mapping[str, CostComparison]:
    """Per cache model what a timeline costs, beside not trimming."""

    def compare_all() -> Mapping[str, CostComparison]:
        return {one.bill.cache.name: one for one in against_untrimmed_under(timeline, all_caches(), prices)}

    return _found_in(timeline, ("comparisons", repr(prices)), compare_all)


def retention_of(timeline: Timeline, must_remember: tuple[int, ...]) -> Retention:
    """The values that later requests needed, and whether they still held them."""
    return _found_in(timeline, ("retention", must_remember), lambda: retention(timeline, stars=must_remember))


def worst_loss(timeline: Timeline, must_remember: tuple[int, ...]) -> Loss | None:
    """The loss that the headline names."""
    found = retention_of(timeline, must_remember)
    return _found_in(timeline, ("worst loss", must_remember), lambda: named_loss(losses_shown(found)))


@st.cache_resource(
    max_entries=24, scope="session", show_spinner="Looking for what each source does", hash_funcs=BY_CONTENT
)
def settings_effect(conversation: Conversation, settings: Settings, must_remember: tuple[int, ...]) -> SettingsEffect:
    """What settings come to on a conversation. Its replay isn't kept, as only these numbers of it are shown."""
    timeline = replay(conversation, settings)
    return outcome_of(timeline, retention(timeline, stars=must_remember))


@st.cache_resource(max_entries=3, scope="session", show_spinner="Asking what may be asked later", hash_funcs=BY_CONTENT)
def ask_each(timeline: Timeline, questions: tuple[Question, ...]) -> tuple[AskedQuestion, ...]:
    """Each question that might be asked later, asked next, and which of its answers are then held."""
    return ask_all(timeline, questions)


# -- work, and counting


@st.cache_resource(max_entries=12, scope="session", show_spinner=False)
def background_work(kind: str, *keys: str) -> Work:
    """Work of that kind on those conversations, settings and prices: computed once per key, by its first caller."""
    return Work()


def tokens(conversation: Conversation, settings: Settings) -> np.ndarray:
    """Tokens of every message; the conversation itself remembers them."""
    return token_column(conversation, counter(settings))


def counter(settings: Settings) -> Counter:
    """The counter the settings name."""
    return counter_for(settings)
