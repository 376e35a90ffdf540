"""A picture of bounded size says what the timeline says, and bins hide no loss."""

from __future__ import annotations

import numpy as np
import pytest
from sketches import conv

from historylab import Action, Settings, generate, replay
from historylab.figures.retention_grid import BEST_FIRST, NOT_SAID, bin_edges, retention_grid

SETTINGS = {
    "fifo": Settings(policy="all", budget=700),
    "summary": Settings(policy="all", budget=900, pruner="summarize"),
    "shortened": Settings(policy="lastN", length=4, tool_output="truncate", budget=2000),
    "nothing": Settings(policy="none"),
}


def timeline(name: str = "fifo", turns: int = 30):
    return replay(generate("support_desk", turns=turns), SETTINGS[name])


@pytest.mark.parametrize("name", SETTINGS)
def test_every_cell_is_the_plans_own_decision(name):
    made = timeline(name)
    grid = retention_grid(made)
    action = np.array([255, *(action for action, _ in grid.codes)])
    assert (action[grid.cells] == made.actions()).all()
    reason = np.array([0, *(reason for _, reason in grid.codes)])
    for column, plan in enumerate(made.plans):
        assert (reason[grid.cells[: plan.size, column]] == plan.reasons).all()
        assert grid.newest[column] == grid.cells[plan.size - 1, column]


@pytest.mark.parametrize("name", SETTINGS)
def test_in_a_bin_the_worst_counts(name):
    made = timeline(name)
    whole, binned = retention_grid(made), retention_grid(made, most=7)
    severity = np.array([-1, *(BEST_FIRST.index(action) for action, _ in whole.codes)])[whole.cells]
    coarse = np.array([-1, *(BEST_FIRST.index(action) for action, _ in binned.codes)])[binned.cells]
    assert binned.cells.shape == (7, 7)
    for r in range(7):
        for c in range(7):
            rows, columns = slice(*binned.rows[r : r + 2]), slice(*binned.columns[c : c + 2])
            assert coarse[r, c] == severity[rows, columns].max()
    assert (binned.newest > NOT_SAID).all()


@pytest.mark.parametrize(("count", "most"), [(0, 5), (1, 5), (5, 5), (6, 5), (999, 10), (10_000, 1000)])
def test_bins_are_as_equal_as_can_be_and_leave_nothing_out(count, most):
    found = bin_edges(count, most)
    sizes = np.diff(found)
    assert sizes.sum() == count
    assert len(sizes) == min(count, most)
    assert not count or sizes.max() - sizes.min() <= 1


def test_worse_bytes_are_higher():
    codes = retention_grid(timeline("summary")).codes
    severities = [BEST_FIRST.index(action) for action, _ in codes]
    assert severities == sorted(severities)
    assert Action.SUMMARIZED in {action for action, _ in codes}


def test_a_pin_is_a_line_from_when_it_was_said_even_in_a_bin():
    made = replay(conv("s u a u a u! a u a u a u"), Settings(policy="lastN", length=1))
    assert retention_grid(made).pins == ((0, 0), (5, 2))
    assert retention_grid(made, most=3).pins == ((0, 0), (1, 1))
