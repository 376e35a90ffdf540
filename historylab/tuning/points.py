"""Candidates as points: what each keeps and costs, and the frontier of those that keep more than all cheaper ones."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from historylab.settings.model import Settings


@dataclass(frozen=True, slots=True)
class Point:
    """One candidate over all conversations.

    `changes` are the settings that vary and have an effect here; `kept` is from 0 to 1, and 0 where it is not known; of
    advice it is what messages keep, and `noted` what the summary alone holds besides; `broken` are the constraints it
    violates, in words.
    """

    changes: Mapping[str, Any]
    kept: float
    cost: float
    figures: Mapping[str, Any]
    broken: tuple[str, ...]
    label: str
    kept_known: bool = True
    noted: float = 0.0

    @property
    def settings(self) -> Settings:
        return Settings(**json.loads(self.figures["settings"]))


def changes_as_text(changes: Mapping[str, Any]) -> str:
    """ "budget=4000, pruner=fifo": the settings that vary and have an effect."""
    return ", ".join(f"{name}={value}" for name, value in changes.items()) or "these settings"


def pareto(points: Iterable[Point]) -> tuple[Point, ...]:
    """The points of which none is both cheaper and keeps as much, ascending in cost."""
    frontier: list[Point] = []
    for point in sorted(points, key=lambda p: (p.cost, -p.kept)):
        if not frontier or point.kept > frontier[-1].kept:
            frontier.append(point)
    return tuple(frontier)
