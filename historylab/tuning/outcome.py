"""Outcomes: facts kept and cost of one conversation under one set of settings, request by request.

A sweep's row sums these over a whole conversation. Advice needs them apart: it chooses on some requests or
conversations and judges on others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from itertools import chain

import numpy as np

from historylab.costs.bill import against_untrimmed
from historylab.costs.caches.base import Cache
from historylab.costs.traffic import baseline_of, billed_traffic
from historylab.errors import SettingsError
from historylab.planning.reasons import BY_SUMMARY
from historylab.planning.replay import Timeline
from historylab.recall.questions import ask
from historylab.recall.retention import Retention
from historylab.tuning.replayed import Replayed

SAID, USED, QUOTED = range(3)
"""Tiers of needs, the strongest first: what a person asked for (must-remember marks, questions, gold evidence), values
in tool calls, and literals in answers, of which no transcript shows that they were looked up."""
TIER_OF = {"star": SAID, "question": SAID, "evidence": SAID, "reference": USED, "link": QUOTED}


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """Needs, needs held, cost and tokens of every request.

    `needed`, `held` and `noted` (int64[requests, tiers]) count the needs of each tier, those that were held, and of
    these the ones that the summary alone held; `cost` and `untrimmed` (float64[requests]) are dollars, or tokens where
    prices are unknown (not `priced`), with these settings and without trimming; `tokens` (int64[requests]) is what was
    sent, `over_budget` (bool[requests]) where that was more than allowed.
    """

    needed: np.ndarray
    held: np.ndarray
    noted: np.ndarray
    cost: np.ndarray
    untrimmed: np.ndarray
    tokens: np.ndarray
    over_budget: np.ndarray
    priced: bool

    def __len__(self) -> int:
        return len(self.cost)

    def without(self, requests: Sequence[int]) -> Outcome:
        """The same with nothing needed, sent or paid at some requests (from 0)."""
        if not requests:
            return self
        arrays = {each.name: getattr(self, each.name).copy() for each in fields(self) if each.name != "priced"}
        for array in arrays.values():
            array[list(requests)] = 0
        return replace(self, **arrays)


ASKED_AT = 10
"""The most requests that a question is asked after, spread over those that follow its answer."""


def measure_outcome(replayed: Replayed, cache: Cache | str | None = None, *, needs: bool = True) -> Outcome:
    """The outcome of a replay, priced as `bill` prices it by default, or under that cache; or without any `needs`."""
    timeline = replayed.timeline
    needed, held, noted = (np.zeros((len(timeline.plans), len(set(TIER_OF.values()))), np.int64) for _ in range(3))
    found = chain(_needs(replayed.retention), _ask_questions(replayed)) if needs else ()
    for request, kind, was_held, in_summary in found:
        needed[request, TIER_OF[kind]] += 1
        held[request, TIER_OF[kind]] += was_held
        noted[request, TIER_OF[kind]] += in_summary
    cost, untrimmed, priced = _costs(timeline, replayed, cache)
    if len(untrimmed) != len(cost):  # a projection changes who speaks, and so how many requests there are
        untrimmed = np.full(len(cost), untrimmed.sum() / max(1, len(cost)))
    return Outcome(needed, held, noted, cost, untrimmed, billed_traffic(timeline).sent, timeline.over_budget, priced)


def _needs(found: Retention) -> Iterator[tuple[int, str, bool, bool]]:
    """(request, kind, whether it was held, and by the summary alone).

    A must-remember message is needed by every request after it.
    """
    for (need, held), in_summary in zip(found.needed, found.in_summary, strict=True):
        yield need.step, need.kind, held, in_summary
    columns = found.timeline.conversation.columns
    for star in found.starred:
        first = 0 if star.message is None else columns.first_request_after(star.message)
        for request in range(first, len(columns.requests)):
            held = star.lost_since(request) is None
            yield request, "star", held, held and star.holder(found.timeline, request) == BY_SUMMARY


def _ask_questions(replayed: Replayed) -> Iterator[tuple[int, str, bool, bool]]:
    """Every question after some of the requests by which its answer was said; answered where most of that is held."""
    timeline = replayed.timeline
    columns = timeline.conversation.columns
    for question in replayed.options.questions_to(replayed.conversation):
        last = ask(timeline, question)[0]
        said = max(last.messages[:1], default=len(timeline.conversation))
        first, last_request = columns.first_request_after(said), len(columns.requests) - 1
        if first > last_request:
            continue
        spread = np.unique(np.linspace(first, last_request, ASKED_AT).astype(int))
        for asked in ask(timeline, question, spread.tolist()):
            if asked.share is not None:
                yield asked.request, "question", asked.share >= 0.5, False


def _costs(timeline: Timeline, replayed: Replayed, cache: Cache | str | None) -> tuple[np.ndarray, np.ndarray, bool]:
    try:
        compared = against_untrimmed(timeline, cache, replayed.options.prices)
    except SettingsError:  # no prices are known: tokens stand for them
        sent, whole = (found.sent.astype(float) for found in (billed_traffic(timeline), baseline_of(timeline)))
        return sent, whole, False
    return compared.bill.dollars, compared.baseline.dollars, True
