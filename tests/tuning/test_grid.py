"""Candidates: every combination of some values, or a random choice among them."""

from __future__ import annotations

import pytest

from historylab import Settings
from historylab.errors import SettingsError
from historylab.tuning.grid import grid, random_search


def test_a_grid_is_every_combination_the_last_axis_fastest():
    found = grid(Settings(), budget=[1, 2], **{"pruner.fifo.unit": ["turn", "block"]})
    assert [(s.budget, s.value("pruner.fifo.unit")) for s in found] == [
        (1, "turn"), (1, "block"), (2, "turn"), (2, "block"),
    ]  # fmt: skip
    assert grid(Settings(budget=7)) == [Settings(budget=7)]


@pytest.mark.parametrize(
    "axes", [{"budget": []}, {"pruner": "fifo"}, {"budget": 4000}, {"bugdet": [1]}, {"budget": [-1]}]
)
def test_axes_that_cannot_be_are_refused(axes):
    with pytest.raises(SettingsError, match=next(iter(axes))):
        grid(Settings(), **axes)


def test_a_random_search_is_the_same_for_the_same_seed():
    axes = {"budget": range(100, 10_000), "pruner": ["fifo", "off"]}
    first = random_search(Settings(), 20, 3, **axes)
    assert first == random_search(Settings(), 20, 3, **axes)
    assert first != random_search(Settings(), 20, 4, **axes)
    assert len(set(first)) == 20
    assert len(random_search(Settings(), 20, 3, pruner=["fifo", "off"])) == 2
