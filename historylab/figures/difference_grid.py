"""The difference grid: which messages only one of two settings sends, at every request, one byte a cell.

A cell that stands for several messages or requests shows any difference among them, so agreement hides none.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from itertools import pairwise

import numpy as np

from historylab.figures.retention_grid import MOST, NOT_SAID, bin_edges
from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import Action
from historylab.planning.replay import Timeline
from historylab.tuning.compare import IN_PART, SENT_AS


class Difference(IntEnum):
    """The difference between two plans for a message; a higher number is a larger difference."""

    NEITHER = 0
    BOTH = 1
    UNLIKE = 2  # whole or in part, in a summary or not at all
    ONLY_B = 3
    ONLY_A = 4


@dataclass(frozen=True, slots=True)
class Decisions:
    """The meaning of a cell's code: the difference, and each side's action and reason."""

    difference: Difference
    actions: tuple[Action, Action]
    reasons: tuple[int, int]


@dataclass(frozen=True, eq=False)
class DifferenceGrid:
    """Messages × requests of two timelines.

    Attributes:
        cells: uint8[rows, columns]; NOT_SAID, or k for `codes[k - 1]`. A higher byte is a larger difference.
        codes: what the bytes mean. A plan gives few reasons, one per stage, so their pairs stay far below 255.
        rows, columns: int64, bin edges as in RetentionGrid.
        newest: uint8[columns]; the code of the newest message, which a bin may hide.
        counts: int64[requests, 5]; the number of messages of each Difference.
    """

    cells: np.ndarray
    codes: tuple[Decisions, ...]
    rows: np.ndarray
    columns: np.ndarray
    newest: np.ndarray
    counts: np.ndarray


def difference_grid(a: Timeline, b: Timeline, most: int = MOST) -> DifferenceGrid:
    """The grid of two timelines whose messages match one by one. Linear in messages × requests, over arrays."""
    messages = len(a.conversation)
    rows, columns = bin_edges(messages, most), bin_edges(len(a.plans), most)
    wide = np.zeros((len(columns) - 1, len(rows) - 1), np.uint32)
    newest = np.zeros(len(columns) - 1, np.uint32)
    counts = np.zeros((len(a.plans), len(Difference)), np.int64)
    spread = np.zeros(messages, np.uint32)  # histories only grow
    for column, (first, after) in enumerate(pairwise(columns.tolist())):
        for request in range(first, after):
            fates = _fates(a.plans[request], b.plans[request])
            counts[request] = np.bincount((fates - 1) >> _SHIFT, minlength=len(Difference))
            so_far = spread[: len(fates)]
            spread[: len(fates)] = fates if request == first else np.maximum(so_far, fates)
        newest[column] = fates[-1]
        wide[column] = spread if len(rows) > messages else np.maximum.reduceat(spread, rows[:-1])
    seen = np.union1d(np.unique(wide), [NOT_SAID, *newest])
    cells = np.searchsorted(seen, wide).astype(np.uint8)
    codes = tuple(_decisions(fate - 1) for fate in seen[1:].tolist())
    return DifferenceGrid(cells.T, codes, rows, columns, np.searchsorted(seen, newest).astype(np.uint8), counts)


# A fate is a number: the difference, then per side 3 bits of action and 8 of reason; and 1 more, so never NOT_SAID.

_SIDE = 11
_SHIFT = 2 * _SIDE


def _difference(mine: Action, other: Action) -> Difference:
    ways = int(SENT_AS[mine]), int(SENT_AS[other])
    sent, sent_too = (way <= IN_PART for way in ways)
    if sent != sent_too:
        return Difference.ONLY_A if sent else Difference.ONLY_B
    if ways[0] != ways[1]:
        return Difference.UNLIKE
    return Difference.BOTH if sent else Difference.NEITHER


_DIFFERENCES = np.array([[_difference(mine, other) for other in Action] for mine in Action], np.uint32) << _SHIFT


def _fates(a: HistoryPlan, b: HistoryPlan) -> np.ndarray:
    """uint32[size]: one request's fates."""
    if a.shortened or b.shortened:
        return _fate((a.actions, a.reasons), (b.actions, b.reasons))
    per_block = _fate((a.block_actions, a.block_reasons), (b.block_actions, b.block_reasons))
    per_message: np.ndarray = per_block[a.history.columns.block[: a.size]]
    return per_message


def _fate(a: tuple[np.ndarray, np.ndarray], b: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    (mine, why), (other, why_other) = a, b
    fate: np.ndarray = _DIFFERENCES[mine, other] + (_side(mine, why) << _SIDE) + _side(other, why_other) + 1
    return fate


def _side(actions: np.ndarray, reasons: np.ndarray) -> np.ndarray:
    side: np.ndarray = np.left_shift(actions, 8, dtype=np.uint32) + reasons
    return side


def _decisions(fate: int) -> Decisions:
    sides = [fate >> _SIDE & 0x7FF, fate & 0x7FF]
    actions, reasons = [Action(side >> 8) for side in sides], [side & 0xFF for side in sides]
    return Decisions(Difference(fate >> _SHIFT), (actions[0], actions[1]), (reasons[0], reasons[1]))
