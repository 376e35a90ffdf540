"""Which messages only one of two settings sends, at every request: the larger the difference, the higher its number."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from historylab.figures.fate_changes import FateChanges, fate_changes
from historylab.planning.reasons import Action
from historylab.planning.replay import Timeline
from historylab.tuning.compare import IN_PART, SENT_AS


class PlanDifference(IntEnum):
    """The difference between two plans for a message; a higher number is a larger difference."""

    NEITHER = 0
    BOTH = 1
    UNLIKE = 2  # whole or in part, in a summary or not at all
    ONLY_B = 3
    ONLY_A = 4


@dataclass(frozen=True, slots=True)
class Decisions:
    """The meaning of a cell's code: the difference, and each side's action and reason."""

    difference: PlanDifference
    actions: tuple[Action, Action]
    reasons: tuple[int, int]


def difference_changes(a: Timeline, b: Timeline) -> FateChanges:
    """The changes of two timelines whose messages match one by one; `decisions` says what a fate means."""
    return fate_changes([a, b], _fate)


# A fate is a number: the difference, then per side 3 bits of action and 8 of reason.

_SIDE = 11
_SHIFT = 2 * _SIDE


def _difference(mine: Action, other: Action) -> PlanDifference:
    ways = int(SENT_AS[mine]), int(SENT_AS[other])
    sent, sent_too = (way <= IN_PART for way in ways)
    if sent != sent_too:
        return PlanDifference.ONLY_A if sent else PlanDifference.ONLY_B
    if ways[0] != ways[1]:
        return PlanDifference.UNLIKE
    return PlanDifference.BOTH if sent else PlanDifference.NEITHER


_DIFFERENCES = np.array([[_difference(mine, other) for other in Action] for mine in Action], np.int64) << _SHIFT


def _fate(mine: np.ndarray, why: np.ndarray, other: np.ndarray, why_other: np.ndarray) -> np.ndarray:
    fate: np.ndarray = _DIFFERENCES[mine, other] + (_side(mine, why) << _SIDE) + _side(other, why_other)
    return fate


def _side(actions: np.ndarray, reasons: np.ndarray) -> np.ndarray:
    side: np.ndarray = np.left_shift(actions, 8, dtype=np.int64) + reasons
    return side


def decisions(fate: int) -> Decisions:
    """What a fate of these changes means."""
    sides = [fate >> _SIDE & 0x7FF, fate & 0x7FF]
    actions, reasons = [Action(side >> 8) for side in sides], [side & 0xFF for side in sides]
    return Decisions(PlanDifference(fate >> _SHIFT), (actions[0], actions[1]), (reasons[0], reasons[1]))
