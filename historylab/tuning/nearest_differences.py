"""Sentences on what settings of ours send otherwise than the decisions they are to come near."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

import numpy as np

from historylab.conversation.columns import ASSISTANT, OTHER, SYSTEM, TOOL, USER
from historylab.costs.amounts import count_of
from historylab.planning.replay import Timeline
from historylab.planning.validity import validity
from historylab.tuning.observed import GONE, REWRITTEN, Observed

NOUNS: Mapping[int, str] = {
    SYSTEM: "system message",
    USER: "user message",
    ASSISTANT: "assistant message",
    TOOL: "tool result",
    OTHER: "other message",
}
FEW = 2
"""Kinds of messages that a sentence names."""


def differences_between(observed: Observed, ours: Timeline) -> Iterator[str]:
    """Sentences on what is kept more or less, rewritten, summarised, added, refused, and on how the cuts begin."""
    mine = Observed.of(ours, observed.numbers)
    yield from _compare_kept(observed, mine)
    yield from _compare_beginnings(observed, mine)
    yield from _compare_texts(observed, mine)
    yield from _compare_lengths(observed, mine)
    yield from _compare_summaries(observed, mine)
    yield from _compare_refusals(observed.timeline, ours)
    if unknown := len(ours.plans) - len(observed.numbers):
        yield f"What it sends isn’t known for {count_of(unknown, 'request')}; that counts neither way."


def _compare_kept(theirs: Observed, mine: Observed) -> Iterator[str]:
    for more, less, words in (
        (theirs, mine, "sends {} that these settings leave out"),
        (mine, theirs, "leaves out {} that these settings send"),
    ):
        pairs = zip(more.ways, less.ways, strict=True)
        apart = [np.flatnonzero((a != GONE) & (b == GONE)) for a, b in pairs]
        if requests := sum(bool(len(each)) for each in apart):
            roles = Counter(theirs.roles[np.unique(np.concatenate(apart))].tolist())
            yield f"It {words.format(_messages(roles))}, in {count_of(requests, 'request')}."


def _messages(roles: Mapping[int, int]) -> str:
    """ "12 messages (9 tool results, 2 user messages)" """
    total = sum(roles.values())
    first = [count_of(roles[role], NOUNS[role]) for role in sorted(roles, key=roles.__getitem__, reverse=True)[:FEW]]
    return first[0] if len(roles) == 1 else f"{count_of(total, 'message')} ({', '.join(first)})"


def _compare_beginnings(theirs: Observed, mine: Observed) -> Iterator[str]:
    """The messages that what stays begins with, where these differ."""
    its, ours = (each.beginnings for each in (theirs, mine))
    if its and ours and (its.keys() != ours.keys()):
        yield f"What it keeps begins with {_either(its)}; under these settings with {_either(ours)}."


def _either(roles: Mapping[int, int]) -> str:
    commonest = sorted(roles, key=roles.__getitem__, reverse=True)
    nouns = [f"a{'n' * (role in (ASSISTANT, OTHER))} {NOUNS[role]}" for role in commonest]
    *first, last = nouns
    return f"{', '.join(first)} or {last}" if first else last


def _compare_texts(theirs: Observed, mine: Observed) -> Iterator[str]:
    for one, other, words in (
        (theirs, mine, "It sends a shorter text in place of {}, which these settings send whole"),
        (mine, theirs, "It sends {} whole, in place of which these settings send a shorter text"),
    ):
        pairs = list(zip(one.ways, other.ways, strict=True))
        apart = [np.flatnonzero((a == REWRITTEN) & (b < REWRITTEN)) for a, b in pairs]
        if requests := sum(bool(len(each)) for each in apart):
            roles = Counter(theirs.roles[np.unique(np.concatenate(apart))].tolist())
            yield f"{words.format(_messages(roles))}, in {count_of(requests, 'request')}."


def _compare_lengths(theirs: Observed, mine: Observed) -> Iterator[str]:
    """The tokens of the texts that both send in place of messages, where they differ."""
    its = ours = requests = 0
    for at, (a, b) in zip(theirs.numbers, zip(theirs.ways, mine.ways, strict=True), strict=True):
        both = (a == REWRITTEN) & (b == REWRITTEN)
        pair = [int(each.timeline.plans[at].sent_tokens[both].sum()) for each in (theirs, mine)]
        its, ours, requests = its + pair[0], ours + pair[1], requests + (pair[0] != pair[1])
    if requests:
        yield (
            f"Texts in place of messages have {its:,} tokens, under these settings {ours:,}, "
            f"in {count_of(requests, 'request')}."
        )


def _compare_summaries(theirs: Observed, mine: Observed) -> Iterator[str]:
    its, ours = sum(theirs.summarised), sum(mine.summarised)
    if its != ours:
        of = f"{its or 'none'} of {count_of(len(theirs.ways), 'request')}"
        yield f"It sends a summary in {of}, these settings in {ours or 'none'}."
    plans = [theirs.timeline.plans[number] for number in theirs.numbers]
    added = sum(bool(plan.others) and not summed for plan, summed in zip(plans, theirs.summarised, strict=True))
    if added:
        yield f"It adds messages that aren’t in the conversation, in {count_of(added, 'request')}."


def _compare_refusals(its: Timeline, ours: Timeline) -> Iterator[str]:
    theirs, mine = (int(each.refused.sum()) for each in (its, ours))
    if theirs != mine:
        why = int(validity(its).orphans.sum())
        because = f" ({count_of(why, 'tool result')} without a call)" if why else ""
        yield f"An API would refuse {theirs:,} of its requests{because}, and {mine or 'none'} under these settings."
