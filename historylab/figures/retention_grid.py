"""The retention grid: what every request did with every message, one byte a cell, at most 1,000 cells a side.

A cell that stands for several messages or requests shows the worst of them, so that a kept message never hides a loss.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import Action
from historylab.planning.replay import Timeline

MOST = 1_000
NOT_SAID = 0
BEST_FIRST = (Action.PINNED, Action.KEPT, Action.TRUNCATED, Action.SUMMARIZED, Action.DROPPED)
_SEVERITY = np.array([BEST_FIRST.index(action) * 256 + 1 for action in Action], np.uint16)


@dataclass(frozen=True, eq=False)
class RetentionGrid:
    """Messages × requests.

    Attributes:
        cells: uint8[rows, columns]; NOT_SAID, or k for `codes[k - 1]`. A higher byte is a worse fate.
        codes: (action, reason code) pairs, the best action first.
        rows, columns: int64, one more than there are: row i holds the messages from `rows[i]` up to `rows[i + 1]`.
        newest: uint8[columns]; the code of the newest message, which a bin may hide.
        pins: (row, first column) of every row with a message that the last request pins; a bin may hide them too.
    """

    cells: np.ndarray
    codes: tuple[tuple[Action, int], ...]
    rows: np.ndarray
    columns: np.ndarray
    newest: np.ndarray
    pins: tuple[tuple[int, int], ...]


def retention_grid(timeline: Timeline, most: int = MOST) -> RetentionGrid:
    """The grid of a timeline. Linear in messages × requests, over arrays; at most `most` × `most` cells in memory."""
    plans, messages = timeline.plans, len(timeline.conversation)
    rows, columns = bin_edges(messages, most), bin_edges(len(plans), most)
    cells = np.zeros((len(columns) - 1, len(rows) - 1), np.uint16)
    newest = np.zeros(len(columns) - 1, np.uint16)
    spread = np.zeros(messages, np.uint16)  # histories only grow
    for column, (first, after) in enumerate(pairwise(columns.tolist())):
        fates = _worst_of(plans[first:after])
        newest[column] = _newest(plans[after - 1])
        spread[: len(fates)] = fates
        cells[column] = spread if len(rows) > messages else np.maximum.reduceat(spread, rows[:-1])
    seen = np.zeros(len(BEST_FIRST) * 256 + 1, bool)
    seen[cells] = seen[newest] = True
    seen[NOT_SAID] = True
    byte = (np.cumsum(seen) - 1).astype(np.uint8)
    codes = tuple((BEST_FIRST[(fate - 1) // 256], (fate - 1) % 256) for fate in np.flatnonzero(seen)[1:].tolist())
    return RetentionGrid(byte[cells].T, codes, rows, columns, byte[newest], _pins(plans, rows, columns))


def bin_edges(count: int, most: int = MOST) -> np.ndarray:
    """int64: the first item of each of at most `most` bins of nearly equal size, and the end of the last one."""
    bins = min(count, most)
    edges: np.ndarray = np.arange(bins + 1, dtype=np.int64) * count // max(1, bins)
    return edges


def _worst_of(plans: Sequence[HistoryPlan]) -> np.ndarray:
    """uint16: the worst fate under these plans of every message in the last one's history."""
    if any(plan.shortened for plan in plans):
        worst = np.zeros(plans[-1].size, np.uint16)
        for plan in plans:
            np.maximum(worst[: plan.size], _fates(plan), out=worst[: plan.size])
        return worst
    worst = np.zeros(plans[-1].history.blocks, np.uint16)
    for plan in plans:
        so_far = worst[: plan.history.blocks]
        np.maximum(so_far, _fate(plan.block_actions, plan.block_reasons), out=so_far)
    per_message: np.ndarray = worst[plans[-1].history.columns.block[: plans[-1].size]]
    return per_message


def _newest(plan: HistoryPlan) -> int:
    """The fate of the newest message."""
    if plan.shortened:
        return int(_fates(plan)[-1])
    block = plan.history.columns.block[plan.size - 1]
    return int(_SEVERITY[plan.block_actions[block]]) + int(plan.block_reasons[block])


def _fates(plan: HistoryPlan) -> np.ndarray:
    return _fate(plan.actions, plan.reasons)


def _fate(actions: np.ndarray, reasons: np.ndarray) -> np.ndarray:
    """uint16: a number per action and reason that grows as the action gets worse; never NOT_SAID."""
    fate: np.ndarray = _SEVERITY[actions] + reasons
    return fate


def _pins(plans: Sequence[HistoryPlan], rows: np.ndarray, columns: np.ndarray) -> tuple[tuple[int, int], ...]:
    if not plans:
        return ()
    pinned = np.flatnonzero(plans[-1].actions == Action.PINNED)
    since = np.searchsorted([plan.size for plan in plans], pinned, "right")
    at, first = np.unique(np.searchsorted(rows, pinned, "right") - 1, return_index=True)
    column = np.searchsorted(columns, since[first], "right") - 1
    return tuple(zip(at.tolist(), column.tolist(), strict=True))
