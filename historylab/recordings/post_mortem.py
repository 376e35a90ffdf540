"""The post-mortem of a conversation that was cut: what of each cut was needed later, and what was done again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import PurePath

import numpy as np

from historylab.conversation.compactions import Compaction
from historylab.conversation.conversation import Conversation
from historylab.conversation.sent import is_summary
from historylab.costs.bill import MILLION, Bill, bill
from historylab.errors import SettingsError
from historylab.planning.replay import Timeline
from historylab.recordings.as_sent import as_sent, has_cuts
from historylab.recordings.calls_again import CallAgain, find_calls_again
from historylab.recordings.needed_after import FATES, Gone, NeededFact, facts_after


@dataclass(frozen=True, slots=True, eq=False)
class CutReport:
    """One cut, or an app's moving window as a whole.

    Attributes:
        request: the first request (from 0) after it.
        cut: as the conversation records it; None for a window that moves.
        by: who cut.
        tokens_before, tokens_after: the size of the request before it and of `request`; of a window, the most that
            nothing left out would have been, and the most that was sent. None where neither is known.
        facts: what requests needed of it, in order.
        again: the calls that brought again what it took.
        dollars: the price of these calls, at that of fresh input and output; None where prices are unknown.
        known: False where the file doesn't say which messages went: nothing is known then of facts and calls.
    """

    request: int
    cut: Compaction | None
    by: str
    tokens_before: int | None
    tokens_after: int | None
    facts: tuple[NeededFact, ...] = ()
    again: tuple[CallAgain, ...] = ()
    dollars: Decimal | None = None
    known: bool = True

    @property
    def fates(self) -> Mapping[str, int]:
        """The number of facts by what became of them (see FATES)."""
        counts = Counter(fact.fate for fact in self.facts)
        return {fate: counts[fate] for fate in FATES}

    @property
    def tokens_again(self) -> int:
        """Tokens of the calls that were made again and of what they brought."""
        return sum(call.call_tokens + call.result_tokens for call in self.again)

    @property
    def files_again(self) -> int:
        """The number of files that were read again."""
        return len({PurePath(call.path).name for call in self.again if call.path})


def post_mortem(conversation: Conversation) -> tuple[CutReport, ...]:
    """A report per cut of the conversation as it was sent, the oldest first; the window of an app that moves is one.

    Empty where nothing was cut, or nothing says what was sent. Computed once.
    """
    return conversation.remember("post-mortem", lambda: tuple(_reports(conversation)) if has_cuts(conversation) else ())


def _reports(conversation: Conversation) -> Iterator[CutReport]:
    timeline = as_sent(conversation)
    cuts = _cuts_apart(timeline)
    gone = Gone(timeline, summaries_of(cuts), {cut.request: _place_of(conversation, cut) for cut in cuts})
    facts, again, prices = list(facts_after(gone)), list(find_calls_again(timeline, gone.whole_until)), _bill(timeline)

    def report(cut: Compaction | None, requests: Collection[int], sizes: tuple[int | None, int | None]) -> CutReport:
        those = tuple(fact for fact in facts if fact.gone in requests)
        calls = tuple(call for call in again if call.gone in requests)
        first, by = min(requests), (cut and cut.by) or timeline.decided_by
        known = cut is None or first not in timeline.unknown
        return CutReport(first, cut, by, *sizes, those, calls, _dollars(calls, prices), known)

    for cut in {cut.request: cut for cut in cuts}.values():  # of two before one request the later is what it met
        yield report(cut, {cut.request}, (cut.tokens_before, cut.tokens_after))
    moved = set(np.unique(gone.whole_until).tolist()) - set(gone.cuts) - {len(timeline.plans)}
    if moved:
        yield report(None, moved, (int(timeline.untrimmed_contexts.max()), int(timeline.contexts.max())))


def _cuts_apart(timeline: Timeline) -> tuple[Compaction, ...]:
    """The cuts, without what is but a larger move of an app's window: unmarked, unsummarised, with others beside it."""
    cuts = timeline.original.recorded.compactions
    marked = [cut for cut in cuts if not (cut.inferred and cut.dropped) or _is_summed_up(timeline, cut)]
    at = {cut.request for cut in cuts}
    moves = any(len(step.changed.left) for step in timeline.steps if step.number not in at)
    return tuple(marked) if moves else cuts


def _is_summed_up(timeline: Timeline, cut: Compaction) -> bool:
    plan = timeline.plans[cut.request]
    return bool(plan.summary or cut.summary is not None or any(map(is_summary, plan.others)))


def summaries_of(cuts: Iterable[Compaction]) -> frozenset[int]:
    """The messages that stand for what these cuts took."""
    return frozenset(cut.summary for cut in cuts if cut.summary is not None)


def _place_of(conversation: Conversation, cut: Compaction) -> int:
    """The message from which on all was surely said after the cut."""
    return conversation.columns.requests.item(cut.request) if cut.summary is None else cut.summary


def _bill(timeline: Timeline) -> Bill | None:
    try:
        return bill(timeline)
    except SettingsError:  # the prices are unknown
        return None


def _dollars(calls: Iterable[CallAgain], priced: Bill | None) -> Decimal | None:
    """The cost of the calls and their results as fresh output and input, each at the prices of its request."""
    if priced is None:
        return None
    total = Decimal(0)
    for call in calls:
        prices = priced.prices.for_request(int(priced.traffic.sent[call.request]))
        total += call.call_tokens * prices.output + call.result_tokens * prices.input
    return total / MILLION
