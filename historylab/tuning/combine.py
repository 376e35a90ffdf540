"""Ways to combine a measure's values for several conversations into one: the sum, the largest, a mean."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

Row = Mapping[str, Any]
"""Column → value, for one conversation under one set of settings."""
Combine = Callable[[Sequence[Row], str], Any]
"""From the rows of one candidate, and the name of a column, to that column's combined value."""


def first(rows: Sequence[Row], name: str) -> Any:
    """The first conversation's: for what has no meaning for several."""
    return rows[0][name]


def total(rows: Sequence[Row], name: str) -> Any:
    """The sum; NaN if any is unknown."""
    return sum(row[name] for row in rows)


def largest(rows: Sequence[Row], name: str) -> Any:
    """The maximum."""
    return max(row[name] for row in rows)


def mean(rows: Sequence[Row], name: str) -> float:
    """The mean of the known values; NaN if there are none."""
    return _weighted_mean(rows, name, lambda _row: 1)


def weighted_by(weight: str | Callable[[Row], float]) -> Combine:
    """The mean of the known values, each with a weight: another column, or a function of the row. NaN if all are 0."""
    of = (lambda row: row[weight]) if isinstance(weight, str) else weight
    return lambda rows, name: _weighted_mean(rows, name, of)


def _weighted_mean(rows: Sequence[Row], name: str, weight: Callable[[Row], float]) -> float:
    pairs = [(float(row[name]), float(weight(row))) for row in rows]
    known = [(value, w) for value, w in pairs if w and not (math.isnan(value) or math.isnan(w))]
    weights = sum(w for _, w in known)
    return sum(value * w for value, w in known) / weights if weights else math.nan
