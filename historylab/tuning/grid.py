"""Candidates: the settings a sweep tries, every combination of some values or a number of them picked at random."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from historylab.errors import SettingsError
from historylab.generators.base import Dice
from historylab.settings.model import Settings


def grid(base: Settings | None = None, **axes: Sequence[Any]) -> list[Settings]:
    """Every combination of the axes' values, the last axis varying fastest.

    An option's name has dots: `grid(base, **{"pruner.fifo.unit": ["turn", "block"]})`. Raises SettingsError for a name
    or value that cannot be.
    """
    base, named = base or Settings(), _check_axes(axes)
    return [base.replace(**dict(zip(named, values, strict=True))) for values in itertools.product(*named.values())]


def random_search(base: Settings | None = None, n: int = 50, seed: int = 0, **axes: Sequence[Any]) -> list[Settings]:
    """`n` different combinations picked at random (fewer where there are no more); an axis may be a long `range`."""
    base, named, dice = base or Settings(), _check_axes(axes), Dice(seed)
    found: dict[str, Settings] = {}
    for _ in range(20 * n):
        if len(found) == n:
            break
        picked = base.replace(**{name: dice.pick(values) for name, values in named.items()})
        found.setdefault(picked.key, picked)
    return list(found.values())


def _check_axes(axes: Mapping[str, Sequence[Any]]) -> Mapping[str, Sequence[Any]]:
    for name, values in axes.items():
        if isinstance(values, str) or not isinstance(values, Sequence) or not len(values):
            raise SettingsError(f"the values of {name} are {values!r}; give a list of at least one value")
    return axes
