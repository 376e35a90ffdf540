"""From a sweep's table to one choice: the Pareto frontier of recall against cost, and what the choice gives up.

found = recommend(table, "keep every reference, never over the budget, cheapest under automatic caching")
found.settings, found.why, found.gives_up, found.frontier, found.sensitivity
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from historylab.errors import SettingsError
from historylab.settings.effect import has_effect
from historylab.settings.model import Settings, setting_names
from historylab.tuning.choice_words import given_up, why_chosen, why_nothing
from historylab.tuning.combine import Row
from historylab.tuning.constraints import BALANCED, BETTER, BETTER_IN_BOTH, Constraints, read_constraints
from historylab.tuning.measures import combine_rows
from historylab.tuning.points import Point, changes_as_text, pareto
from historylab.tuning.replayed import AS_SENT
from historylab.tuning.table import rows_of

if TYPE_CHECKING:
    from historylab.tuning.table import DataFrame

KEPT = {
    "questions_kept": "answers to your questions ≈",
    "evidence_kept": "gold evidence",
    "references_kept": "references",
    "links_kept": "links ≈",
    "tokens_share": "tokens",
}
"""Columns that can stand for "kept", the first with a known value: what was asked for, before what is inferred."""


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """The effect of one setting alone: per value, the means over all candidates that have it, with an effect."""

    setting: str
    values: tuple[Any, ...]
    kept: tuple[float, ...]
    cost: tuple[float, ...]

    @property
    def cost_range(self) -> float:
        """Cost at the most expensive value ÷ cost at the cheapest."""
        return max(self.cost) / min(self.cost) if min(self.cost) > 0 else math.inf


@dataclass(frozen=True, slots=True)
class Recommendation:
    """The choice (None if nothing meets the constraints), why, what it gives up, and what it was chosen from.

    `kept_is` and `cost_is` name the columns behind `kept` and `cost`; `frontier` is ascending in cost, each point
    keeping more than all cheaper ones; `excluded` counts the candidates that break each constraint.
    """

    choice: Point | None
    why: tuple[str, ...]
    gives_up: tuple[str, ...]
    frontier: tuple[Point, ...]
    points: tuple[Point, ...]
    excluded: Mapping[str, int]
    sensitivity: tuple[Sensitivity, ...]
    constraints: Constraints
    kept_is: str
    cost_is: str

    @property
    def settings(self) -> Settings | None:
        return self.choice.settings if self.choice else None


def recommend(
    table: DataFrame | Iterable[Row],
    constraints: Constraints | str = "balanced",
    *,
    name: Callable[[Mapping[str, Any]], str] = changes_as_text,
    nouns: Mapping[str, str] | None = None,
) -> Recommendation:
    """Choose from a sweep's table (a DataFrame, or its rows). A row of what was really sent is nothing to choose.

    `name` puts a candidate's changes into words, `nouns` what is kept, per column of KEPT.

    Raises SettingsError for unknown words in the constraints, an empty table, and costs the table doesn't have.
    """
    stated = read_constraints(constraints) if isinstance(constraints, str) else constraints
    if stated.aim in (BETTER, BETTER_IN_BOTH):
        raise SettingsError(f"“{stated.aim}” needs settings to compare with, and a table doesn't say which are yours")
    rows = [row for row in rows_of(table) if row["settings"] != AS_SENT]
    if not rows:
        raise SettingsError("the table has no rows to recommend from; sweep at least one conversation")
    if f"cost_{stated.cache}" not in rows[0]:
        raise SettingsError(f"the table has no costs under {stated.cache!r} caching; sweep with that cache")
    figures = [combine_rows(group) for group in _by_candidate([_nan_if_unknown(row) for row in rows])]
    kept_is = next((name for name in KEPT if any(not math.isnan(f[name]) for f in figures)), "tokens_share")
    cost_is = f"cost_{stated.cache}"
    if any(math.isnan(f[cost_is]) for f in figures):
        cost_is = "tokens_total"
    varied = _varied_settings(figures)
    nouns = nouns or KEPT
    noun = nouns[kept_is]
    points = tuple(_point(f, varied, stated, kept_is, cost_is, name, nouns["references_kept"]) for f in figures)
    choice, what = _choose(points, stated)
    frontier = pareto(points)
    why = why_chosen(choice, points, stated, what, noun, cost_is) if choice else (why_nothing(points),)
    gives_up = tuple(given_up(choice, points, noun, cost_is)) if choice else ()
    excluded = dict(Counter(words for point in points for words in point.broken))
    sensitivity = _sensitivity(points, varied)
    return Recommendation(choice, why, gives_up, frontier, points, excluded, sensitivity, stated, noun, cost_is)


# -- from rows to points


def _nan_if_unknown(row: Row) -> dict[str, Any]:
    """A row whose unknown figures are NaN, as JSON can't say it."""
    return {name: math.nan if value is None else value for name, value in row.items()}


def _by_candidate(rows: Sequence[Row]) -> list[list[Row]]:
    """Rows of the same settings together; of a sweep that was cancelled only settings that saw all conversations."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(row["settings"], []).append(row)
    most = max(map(len, groups.values()))
    return [group for group in groups.values() if len(group) == most]


def _varied_settings(figures: Sequence[Row]) -> list[str]:
    """The settings named by any table's columns; the rows may come from several tables."""
    named = dict.fromkeys(name for row in figures for name in row)
    return [name for name in setting_names() if name in named]


def _point(
    figures: Row,
    varied: Sequence[str],
    stated: Constraints,
    kept_is: str,
    cost_is: str,
    name: Callable[[Mapping[str, Any]], str],
    references: str,
) -> Point:
    settings = Settings(**json.loads(figures["settings"]))
    changes = {setting: settings.value(setting) for setting in varied if has_effect(settings, setting)}
    broken = tuple(stated.broken_by(figures, references))
    known = not math.isnan(figures[kept_is])
    kept = float(figures[kept_is]) if known else 0.0
    return Point(changes, kept, float(figures[cost_is]), figures, broken, name(changes), known)


# -- the choice


def _choose(points: Sequence[Point], stated: Constraints) -> tuple[Point | None, str]:
    """The choice, and what makes it the one."""
    allowed = [point for point in points if not point.broken]
    if not allowed:
        return None, ""
    if stated.aim == "keeps most":
        return min(allowed, key=lambda p: (-p.kept, p.cost)), "keeps the most"
    best = max(point.kept for point in allowed)
    least = BALANCED * best if stated.aim == "balanced" else 0
    choice = min((p for p in allowed if p.kept >= least), key=lambda p: (p.cost, -p.kept))
    return choice, "is the cheapest" + (f" that keeps {BALANCED:.0%} of the best" if stated.aim == "balanced" else "")


def _sensitivity(points: Sequence[Point], varied: Sequence[str]) -> tuple[Sensitivity, ...]:
    """The effect of each setting that varies, the one that moves the cost most first."""
    found = []
    for setting in varied:
        with_it = [point for point in points if setting in point.changes]
        values = _in_order(dict.fromkeys(point.changes[setting] for point in with_it))
        if len(values) < 2:
            continue
        groups = [[p for p in with_it if p.changes[setting] == value] for value in values]
        kept = tuple(sum(p.kept for p in group) / len(group) for group in groups)
        cost = tuple(sum(p.cost for p in group) / len(group) for group in groups)
        found.append(Sensitivity(setting, values, kept, cost))
    return tuple(sorted(found, key=lambda s: -s.cost_range))


def _in_order(values: Iterable[Any]) -> tuple[Any, ...]:
    """Numbers ascending, anything else as it was met."""
    found = tuple(values)
    return tuple(sorted(found)) if all(isinstance(value, int | float) for value in found) else found
