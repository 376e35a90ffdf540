"""Requests an API would refuse: how many naive slicing makes under the same settings, and what the guard changes.

In a naive slice a tool result can lose its call, or the history no longer starts with the user.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from historylab.conversation.columns import SYSTEM, TOOL, USER, Columns
from historylab.planning.history import History
from historylab.planning.naive_slicing import naive_masks, naive_starts
from historylab.planning.pipeline import invalid_blocks
from historylab.planning.plan import HistoryPlan
from historylab.planning.replay import Timeline

FAULTS = ("orphans", "unanswered", "wrong_start", "empty")


@dataclass(frozen=True, slots=True, eq=False)
class Validity:
    """The faults of each request: arrays of one entry per request.

    `orphans`: tool results sent without their call (int64); `unanswered`: calls sent without all their results (int64);
    `wrong_start`: the first message but systems isn't the user's (bool); `empty`: nothing but systems is left (bool).
    """

    orphans: np.ndarray
    unanswered: np.ndarray
    wrong_start: np.ndarray
    empty: np.ndarray

    @property
    def refused(self) -> np.ndarray:
        """bool[requests]: what any API refuses: a call and its results that don't match, or nothing to answer."""
        faulty: np.ndarray = (self.orphans > 0) | (self.unanswered > 0) | self.empty
        return faulty

    def share(self, fault: str) -> float:
        """Share of the requests with that fault (one of FAULTS)."""
        faulty = np.asarray(getattr(self, fault)) > 0
        return float(faulty.mean()) if len(faulty) else 0.0


def validity(timeline: Timeline) -> Validity:
    """The faults in the requests of a timeline. The guard leaves no orphans and no unanswered calls."""
    if timeline.conversation.columns.clean:  # blocks are sent whole: only what comes first can be wrong
        return _validity([(0, 0, *_start(plan)) for plan in timeline.plans])
    masks = [plan.sent[plan.history.columns.block[: plan.size]] for plan in timeline.plans]
    return _check(timeline, masks)


def naive_validity(timeline: Timeline) -> Validity:
    """The faults under the same settings sliced naively, message by message."""
    if not timeline.conversation.columns.clean or timeline.settings.filter != "off":
        return _check(timeline, naive_masks(timeline))
    starts = naive_starts(timeline)
    return _validity(
        [_sliced(timeline.conversation.columns, p.size, k) for p, k in zip(timeline.plans, starts, strict=True)]
    )


def _sliced(columns: Columns, size: int, start: int) -> tuple[int, int, bool, bool]:
    """The faults of a clean conversation's messages from `start` up to `size`: only the first block can be split."""
    if start >= size:
        return 0, 0, False, True
    home = columns.block[start]
    split = columns.block_first[home] < start
    orphans = min(int(columns.block_last[home]) + 1, size) - start if split else 0
    others = columns.role[start:size] != SYSTEM
    first = int(others.argmax())
    empty = not others[first]
    return orphans, 0, not empty and bool(columns.role[start + first] != USER), empty


@dataclass(frozen=True, slots=True)
class GuardReport:
    """The effect of sending calls and results together: naive requests any API refuses, of how many, and messages.

    `results_left_out` and `calls_left_out` are summed over all requests: halves the naive version would have sent.
    """

    requests: int
    refused: int
    results_left_out: int
    calls_left_out: int
    filtered: bool = False

    def sentence(self) -> str:
        """ "Sliced naively, 42 of 105 requests would be refused: 61 tool results without their call." """
        sliced = "Filtered, then sliced naively," if self.filtered else "Sliced naively,"
        if not self.refused:
            return f"{sliced} none of the {self.requests:,} requests would be refused."
        halves = [
            f"{n:,} {what}"
            for n, what in (
                (self.results_left_out, "tool results without their call"),
                (self.calls_left_out, "tool calls without their results"),
            )
            if n
        ]
        why = f": {' and '.join(halves)}" if halves else ""
        return f"{sliced} {self.refused:,} of {self.requests:,} requests would be refused{why}."


def guard_report(timeline: Timeline) -> GuardReport:
    """The requests and messages that the pairing guard saved under these settings."""
    naive = naive_validity(timeline)
    refused, orphans = int(naive.refused.sum()), int(naive.orphans.sum())
    filtered = timeline.settings.filter != "off"
    return GuardReport(len(timeline.plans), refused, orphans, int(naive.unanswered.sum()), filtered)


def _check(timeline: Timeline, masks: list[np.ndarray]) -> Validity:
    return _validity([_faults(plan.history, mask) for plan, mask in zip(timeline.plans, masks, strict=True)])


def _validity(rows: list[tuple[int, int, bool, bool]]) -> Validity:
    columns = list(zip(*rows, strict=True)) or [()] * len(FAULTS)
    kinds = (np.int64, np.int64, bool, bool)
    return Validity(*(np.array(column, kind) for column, kind in zip(columns, kinds, strict=True)))


def _start(plan: HistoryPlan) -> tuple[bool, bool]:
    """Whether the first block after system messages isn't the user's, and whether there is none."""
    columns, blocks = plan.history.columns, plan.history.blocks
    rest = plan.sent & ~columns.system[:blocks]
    first = int(rest.argmax()) if blocks else 0
    empty = not blocks or not rest[first]
    return not empty and bool(columns.block_role[first] != USER), empty


def _faults(history: History, mask: np.ndarray) -> tuple[int, int, bool, bool]:
    columns, size = history.columns, history.size
    role, homes = columns.role[:size], columns.block[:size]
    firsts = columns.block_first[: history.blocks]
    calling = mask[firsts]  # bool[blocks]: the message that opens the block is sent
    results = mask & (role == TOOL)
    orphans = results & (~calling[homes] | columns.orphan[homes])
    rest = mask & (role != SYSTEM)
    empty = not rest.any()
    begins_wrong = not empty and bool(role[rest.argmax()] != USER)
    return int(orphans.sum()), _unanswered(history, columns, mask, calling), begins_wrong, empty


def _unanswered(history: History, columns: Columns, mask: np.ndarray, calling: np.ndarray) -> int:
    """Messages with calls that are sent without all their results; broken in the source, or results sliced away."""
    homes = columns.block[: history.size]
    sent = np.bincount(homes, mask, history.blocks)
    split = sent < history.block_sizes
    if not columns.clean:
        split |= invalid_blocks(history) & ~columns.orphan[: history.blocks]
    return int(np.count_nonzero(calling & split))
