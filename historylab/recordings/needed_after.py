"""Facts that requests needed after the messages that said them had gone: by a cut, or out of an app's window."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from historylab.conversation.sent import is_summary
from historylab.planning.reasons import BY_MESSAGE, BY_SUMMARY, Action
from historylab.planning.replay import Timeline
from historylab.recall.held import find_holder, still_says
from historylab.recall.references import Need, contains_value, find_needs
from historylab.recall.severity import severity_of
from historylab.recall.value_kinds import kind_of_value

IN_SUMMARY, SAID_AGAIN, LOST = FATES = ("summary", "said again", "lost")


@dataclass(frozen=True, slots=True, eq=False)
class NeededFact:
    """A value that was gone when a request needed it, counted once per cut: at the first request that did.

    Attributes:
        need: the value, the request that needed it, and all that said it before.
        fate: "summary" if a summary that was sent says it, else "said again" if a message after the cut did so before
            the request, else "lost": nothing in the file that was sent says it.
        gone: the first request (from 0) that no longer had it.
        said_in: the newest message that said it before that, of those who said it first.
        by: who said it first: "person", "tool", "assistant", "injected" or "system".
        severity: how bad it is where it is lost, one of `severity.SEVERITIES`.
        kind: the kind of value, one of `value_kinds.VALUE_KINDS`.
        again_in: the message that said it again; None unless one did.
    """

    need: Need
    fate: str
    gone: int
    said_in: int
    by: str
    severity: str
    kind: str
    again_in: int | None = None


class Gone:
    """The first request that no longer sends each message, or not with its own text; the number of requests if none.

    `summaries` are messages that stand for others; `cuts` has, per request that a cut came before, the message from
    which on all was said after it.
    """

    def __init__(self, timeline: Timeline, summaries: frozenset[int], cuts: Mapping[int, int]):
        requests, size = len(timeline.plans), len(timeline.conversation)
        self.timeline, self.summaries, self.cuts = timeline, summaries, cuts
        self._sent_until, self._whole_until = np.full(size, requests), np.full(size, requests)
        for request in range(requests - 1, -1, -1):
            plan = timeline.plans[request]
            self._sent_until[: plan.size][plan.actions > Action.TRUNCATED] = request
            for cut in plan.shortened:
                self._whole_until[cut.messages] = request

    @property
    def whole_until(self) -> np.ndarray:
        """int64[messages]: the first request that no longer sends all of it."""
        until: np.ndarray = np.minimum(self._sent_until, self._whole_until)
        return until

    def says_until(self, message: int, value: str) -> int:
        """The first request that no longer sends that message with this value in it."""
        shortened: int = self._whole_until.item(message)
        gone: int = self._sent_until.item(message)
        if shortened < gone and not still_says(self.timeline.plans[shortened], message, value):
            return shortened
        return gone


class _Absence(NamedTuple):
    """The messages that said a value until a request at which it was gone, and the one that said it again."""

    said: list[int]
    gone: int
    again_in: int | None = None


def facts_after(gone: Gone) -> Iterator[NeededFact]:
    """The values that were gone when a request needed them, in order of those requests; each once per cut.

    All that goes between cuts, as out of a window that moves, counts as one.
    """
    timeline, counted = gone.timeline, set[tuple[int, str]]()
    for request, needs in enumerate(find_needs(timeline.conversation)):
        for need in needs if request not in timeline.unknown else ():
            found = _fact(gone, need)
            if not found:
                continue
            key = found.gone if found.gone in gone.cuts else -1, need.value
            if key not in counted:
                counted.add(key)
                yield found


def _fact(gone: Gone, need: Need) -> NeededFact | None:
    """The need as a fact that had gone; None if it hadn't."""
    absence = _last_absence(gone, need)
    if absence is None:
        return None
    fate, again_in = _fate(gone, need, absence)
    conversation = gone.timeline.conversation
    sayer = severity_of(conversation, [(need.value, np.array(absence.said, np.int64))])
    kind = kind_of_value(need.value)
    return NeededFact(need, fate, absence.gone, sayer.message, sayer.by, sayer.name, kind, again_in)


def _last_absence(gone: Gone, need: Need) -> _Absence | None:
    """The last time that no message sent said a value, up to the request that needs it; None if there is none."""
    said, until, found = list[int](), -1, None
    for i in (i for i in need.said if i not in gone.summaries):
        first = gone.timeline.conversation.columns.first_request_after(i)
        if said and (first > until or (first == until and i >= gone.cuts.get(until, i + 1))):
            found = _Absence(said.copy(), until, i)
        said.append(i)
        until = max(until, gone.says_until(i, need.value))
    return _Absence(said, until) if said and until <= need.step else found


def _fate(gone: Gone, need: Need, absence: _Absence) -> tuple[str, int | None]:
    """The fate of the value at the request that needs it, and the message that said it again."""
    plan = gone.timeline.plans[need.step]
    conversation, actions = plan.history.conversation, plan.actions
    texts = [plan.summary.text] if plan.summary else []
    texts += [conversation[i].content for i in gone.summaries if i < plan.size and actions[i] <= Action.TRUNCATED]
    texts += [other.content for other in plan.others if is_summary(other)]
    if any(contains_value(text, need.value) for text in texts):
        return IN_SUMMARY, None
    if absence.again_in is not None:
        return SAID_AGAIN, absence.again_in
    holder = find_holder(plan, need.value, need.mentions, need.lines) if need.lines else None
    if holder == BY_SUMMARY:
        return IN_SUMMARY, None
    if holder == BY_MESSAGE:
        return SAID_AGAIN, max(i for _, said in need.lines for i in said.tolist() if actions[i] <= Action.TRUNCATED)
    return LOST, None
