"""The messages whose fate is another than at the request before, as runs: all that the maps need to send.

A fate is what a plan decides about a message, and why; in a difference map, what two plans decide. From one request to
the next few fates change, whatever the length of the conversation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from historylab.conversation.columns import Columns
from historylab.planning.plan import HistoryPlan


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


def fate_changes(
    columns: Columns, sides: Sequence[Sequence[HistoryPlan]], fate_of: Callable[..., np.ndarray]
) -> FateChanges:
    """The changes of one timeline's plans, or of two timelines' with the same messages.

    `fate_of` makes int64 fates of the uint8 arrays of each side's actions and reasons; the worse, the higher.
    """
    per_message = any(plan.shortened for plans in sides for plan in plans)
    requests, homes, decided = _changed(columns, sides, per_message=per_message)
    if not per_message:
        requests, homes, decided = _messages_of(columns, requests, homes, decided)
    fates, codes = np.unique(fate_of(*decided), return_inverse=True)
    begins = np.ones(len(codes), bool)
    begins[1:] = (np.diff(requests) != 0) | (np.diff(homes) != 1) | (np.diff(codes) != 0)
    starts = np.flatnonzero(begins)
    return FateChanges(
        np.bincount(requests[starts], minlength=len(columns.requests)),
        homes[starts],
        np.diff(np.append(starts, len(codes))),
        (codes[starts] + 1).astype(np.uint8),
        fates,
    )


def spread_runs(first: np.ndarray, length: np.ndarray) -> np.ndarray:
    """int64: the members of all runs, one after another."""
    ends = np.cumsum(length)
    members: np.ndarray = np.arange(ends[-1] if len(ends) else 0) + np.repeat(first - ends + length, length)
    return members


def _changed(
    columns: Columns, sides: Sequence[Sequence[HistoryPlan]], *, per_message: bool
) -> tuple[np.ndarray, np.ndarray, list[np.ndarray]]:
    """Per change its request, its block (or message), and what each side decided."""
    late = {} if per_message else _late_blocks(columns)
    found: list[np.ndarray] = []
    decided: list[list[np.ndarray]] = [[] for _ in range(2 * len(sides))]
    before = [np.empty(0, np.uint8)] * len(decided)
    for request, plans in enumerate(zip(*sides, strict=True)):
        now = [part for plan in plans for part in _decisions(plan, per_message=per_message)]
        known = len(before[0])
        new = np.ones(len(now[0]), bool)
        new[:known] = now[0][:known] != before[0]
        for part, was in zip(now[1:], before[1:], strict=True):
            new[:known] |= part[:known] != was
        if request in late:
            new[late[request]] = True
        where = np.flatnonzero(new)
        found.append(where)
        for chosen, part in zip(decided, now, strict=True):
            chosen.append(part[where])
        before = now
    requests = np.repeat(np.arange(len(found)), [len(where) for where in found])
    return requests, _joined(found, np.int64), [_joined(parts, np.uint8) for parts in decided]


def _decisions(plan: HistoryPlan, *, per_message: bool) -> tuple[np.ndarray, np.ndarray]:
    return (plan.actions, plan.reasons) if per_message else (plan.block_actions, plan.block_reasons)


def _late_blocks(columns: Columns) -> dict[int, list[int]]:
    """Per request the blocks that an earlier one had in part: their later messages are new."""
    arrived = columns.requests.searchsorted(np.arange(len(columns.block)), "right")
    late: dict[int, list[int]] = {}
    for message in np.flatnonzero(arrived > arrived[columns.block_first[columns.block]]).tolist():
        late.setdefault(int(arrived[message]), []).append(int(columns.block[message]))
    return late


def _messages_of(
    columns: Columns, requests: np.ndarray, blocks: np.ndarray, decided: list[np.ndarray]
) -> tuple[np.ndarray, np.ndarray, list[np.ndarray]]:
    """The same per message instead of per block: of those that were said by then."""
    order = np.argsort(columns.block, kind="stable")
    sizes = np.bincount(columns.block, minlength=len(columns.block_first))
    many = sizes[blocks]
    messages = order[spread_runs((np.cumsum(sizes) - sizes)[blocks], many)]
    requests = np.repeat(requests, many)
    said = np.flatnonzero(messages < columns.requests[requests]) if len(messages) else messages
    said = said[np.lexsort((messages[said], requests[said]))]
    return requests[said], messages[said], [np.repeat(part, many)[said] for part in decided]


def _joined(parts: list[np.ndarray], kind: type) -> np.ndarray:
    return np.concatenate(parts) if parts else np.empty(0, kind)
