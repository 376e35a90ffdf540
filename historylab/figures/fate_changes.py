"""The messages whose fate is another than at the request before, as runs: all that the maps need to send.

A fate is what a plan decides about a message, and why; in a difference map, what two plans decide. From one request to
the next few fates change, whatever the length of the conversation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from historylab.planning.decision_changes import spread_runs
from historylab.planning.replay import Timeline


@dataclass(frozen=True, eq=False)
class FateChanges:
    """Runs of messages that take on a fate, in the order of requests and messages.

    Attributes:
        per_request: int64[requests], how many runs belong to each request.
        first, length: int64[runs], the first message of a run, and how many there are.
        code: uint8[runs], k for `fates[k - 1]`. A higher code is a worse fate.
        fates: int64, ascending; each combines what was decided and why.
    """

    per_request: np.ndarray
    first: np.ndarray
    length: np.ndarray
    code: np.ndarray
    fates: np.ndarray

    def counts(self, group_of: np.ndarray, groups: int) -> np.ndarray:
        """int64[requests, groups]: the messages so far in each group, given int64[fates], the group of every fate."""
        request = np.repeat(np.repeat(np.arange(len(self.per_request)), self.per_request), self.length)
        group = np.repeat(group_of[self.code.astype(np.int64) - 1], self.length)
        message = spread_runs(self.first, self.length)
        order = np.argsort(message, kind="stable")  # by message, then by request
        message = message[order]
        again = np.flatnonzero(message[1:] == message[:-1]) + 1
        changes = np.zeros((len(self.per_request), groups), np.int64)
        np.add.at(changes, (request, group), 1)
        np.subtract.at(changes, (request[order][again], group[order][again - 1]), 1)
        counted: np.ndarray = np.cumsum(changes, axis=0)
        return counted


def fate_changes(timelines: Sequence[Timeline], fate_of: Callable[..., np.ndarray]) -> FateChanges:
    """The changes of one timeline's decisions, or of two timelines' with the same messages.

    `fate_of` makes int64 fates of the uint8 arrays of each side's actions and reasons; the worse, the higher.
    """
    request, message, decided = _decisions(timelines)
    fates, codes = np.unique(fate_of(*decided), return_inverse=True)
    begins = np.ones(len(codes), bool)
    begins[1:] = (np.diff(request) != 0) | (np.diff(message) != 1) | (np.diff(codes) != 0)
    starts = np.flatnonzero(begins)
    return FateChanges(
        np.bincount(request[starts], minlength=len(timelines[0].plans)),
        message[starts],
        np.diff(np.append(starts, len(codes))),
        (codes[starts] + 1).astype(np.uint8),
        fates,
    )


def _decisions(timelines: Sequence[Timeline]) -> tuple[np.ndarray, np.ndarray, list[np.ndarray]]:
    """Per change on any side its request, its message, and what each side decides about it then."""
    sides, messages = [timeline.changes for timeline in timelines], len(timelines[0].conversation)
    if len(sides) == 1:
        return sides[0].request, sides[0].place, [sides[0].action, sides[0].reason]
    request, message = np.divmod(
        np.unique(np.concatenate([side.request * messages + side.place for side in sides])), messages
    )
    decided = [side.at(request, message) for side in sides]
    parts = zip(sides, decided, strict=True)
    return request, message, [part[at] for side, at in parts for part in (side.action, side.reason)]
