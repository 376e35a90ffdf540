"""Settings of ours that cut to the same size, planned again: how many of the facts that were needed they would hold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import floor
from typing import Any

import numpy as np

from historylab.conversation.conversation import Conversation
from historylab.counters.base import token_column
from historylab.planning.history import History
from historylab.planning.pipeline import open_instruments, open_pipeline
from historylab.planning.reasons import LOST
from historylab.planning.replay import replay
from historylab.recall.held import find_holder
from historylab.recall.references import Said
from historylab.recordings.as_sent import as_sent
from historylab.recordings.needed_after import NeededFact
from historylab.recordings.post_mortem import CutReport, summaries_of
from historylab.settings.model import Settings

SUMMARIZERS = ("ledger", "extractive")
"""Summarizers that ask no model."""
LARGER = 1.05
"""Up to this share of a size another is the same."""


@dataclass(frozen=True, slots=True, eq=False)
class SameSize:
    """Settings of ours, how many of a report's facts they would hold, of all; and the tokens that this takes."""

    settings: Settings
    held: int
    of: int
    tokens: int


def settings_of_same_size(conversation: Conversation, report: CutReport) -> tuple[SameSize, ...]:
    """A few settings that cut to the size of a report, those first that would hold the most of its facts.

    After a cut: at its first request, planned over all that stands before it but the summaries of the program that cut.
    Of a window that moves: at every request that missed one. What was but said again is not held. Empty where there are
    no facts or sizes, and without those that would send more.
    """
    if not report.facts or not report.tokens_after or not report.tokens_before:
        return ()
    key = "settings of the same size", report.request, report.cut is None
    return conversation.remember(key, lambda: _of_same_size(conversation, report), most=64)


def _of_same_size(conversation: Conversation, report: CutReport) -> tuple[SameSize, ...]:
    base = {**as_sent(conversation).settings.values(), "policy": "all"}
    hold = _hold_in_window if report.cut is None else _hold_after_cut
    found = [hold(conversation, report, Settings(**{**base, **changes})) for changes in _choices(conversation, report)]
    same = (each for each in found if each.tokens <= LARGER * (report.tokens_after or 0))
    return tuple(sorted(same, key=lambda each: -each.held))


def _choices(conversation: Conversation, report: CutReport) -> Iterator[dict[str, Any]]:
    """Changes to the settings sent under that come to the same size: the oldest go first, or into a summary."""
    after, before = report.tokens_after or 0, report.tokens_before or 0
    yield {"budget": after, "pruner": "fifo", "pruner.fifo.unit": "block"}
    for summarizer in SUMMARIZERS:
        if report.cut is None:
            yield {"budget": after, "pruner": "summarize", "pruner.summarize.unit": "block", "summarizer": summarizer}
            continue
        full = max(0.01, min(1.0, floor(100 * _tokens_before(conversation, report) / before) / 100))
        yield {
            **{"budget": before, "window": before, "threshold": full, "pruner": "off", "summarizer": summarizer},
            **{"compaction": "at_threshold", "compaction.at_threshold.unit": "block"},
            "compaction.at_threshold.target": max(0.001, min(full, floor(1000 * after / before) / 1000)),
        }


def _said_before(conversation: Conversation, report: CutReport) -> np.ndarray:
    """int64: the messages before the first request after a cut, without the summaries."""
    summaries = summaries_of(conversation.recorded.compactions)
    return np.setdiff1d(np.arange(conversation.columns.requests.item(report.request)), [*summaries])


def _tokens_before(conversation: Conversation, report: CutReport) -> int:
    """Tokens of a request that sends all of these, as it is counted."""
    timeline = as_sent(conversation)
    tokens = token_column(conversation, timeline.counter)
    return int(tokens[_said_before(conversation, report)].sum()) + timeline.settings.overhead


def _hold_after_cut(conversation: Conversation, report: CutReport, settings: Settings) -> SameSize:
    """The facts that the first request after a cut would have held."""
    kept = _said_before(conversation, report)
    without, instruments = conversation.edited([conversation[i] for i in kept.tolist()]), open_instruments(settings)
    plan = open_pipeline(settings).plan(History(without, instruments.counter, len(without)), instruments, None)

    def before_it(messages: np.ndarray) -> np.ndarray:
        return kept.searchsorted(messages[np.isin(messages, kept)])

    said = ((fact.need.value, *_said_first(fact)) for fact in report.facts)
    there = ((value, before_it(those), [(line, before_it(of)) for line, of in lines]) for value, those, lines in said)
    held = sum(find_holder(plan, *each) != LOST for each in there)
    return SameSize(settings, held, len(report.facts), plan.tokens + settings.overhead)


def _hold_in_window(conversation: Conversation, report: CutReport, settings: Settings) -> SameSize:
    """The facts that the requests that missed them would have held: those that needed them, or had them said again."""
    timeline, sizes = replay(conversation, settings), conversation.columns.requests

    def missed_at(fact: NeededFact) -> int:  # an answer that says it again is that of a request of its size
        return fact.need.step if fact.again_in is None else int(sizes.searchsorted(fact.again_in))

    said = ((timeline.plans[missed_at(fact)], fact.need.value, *_said_first(fact)) for fact in report.facts)
    held = sum(find_holder(*each) != LOST for each in said)
    return SameSize(settings, held, len(report.facts), int(timeline.tokens.max()) + settings.overhead)


def _said_first(fact: NeededFact) -> tuple[np.ndarray, list[Said]]:
    """The mentions of a fact and of its lines, without those from where it was said again: that was to be spared."""
    mentions, lines, again = fact.need.mentions, fact.need.lines, fact.again_in
    if again is None:
        return mentions, list(lines)
    return mentions[mentions < again], [(line, said[said < again]) for line, said in lines]
