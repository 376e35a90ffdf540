"""The difference map says of every message and request what the two plans do, and no bin hides a difference."""

from __future__ import annotations

import numpy as np
import pytest
from map_bytes import unpacked

from historylab import Settings, generate, replay
from historylab.figures.difference_grid import Difference, difference_grid
from historylab.figures.difference_map import pack_difference
from historylab.figures.retention_grid import NOT_SAID
from historylab.planning.reasons import Action
from historylab.tuning.compare import differing_messages, differing_requests

TALK = generate("coding_agent", turns=6, seed=1)
PAIRS = {
    "length": (Settings(length=4), Settings(length=2)),
    "both ways": (Settings(policy="all", budget=3000), Settings(length=3, pruner="off")),
    "summary": (Settings(policy="all", budget=3000), Settings(policy="all", budget=3000, pruner="summarize")),
    "shortened": (Settings(policy="all"), Settings(policy="all", tool_output="truncate", budget=9000)),
    "alike": (Settings(), Settings()),
}


def timelines(name: str):
    return [replay(TALK, settings) for settings in PAIRS[name]]


@pytest.mark.parametrize("name", PAIRS)
def test_every_cell_is_what_the_two_plans_do(name):
    a, b = timelines(name)
    grid = difference_grid(a, b)
    for request, (mine, other) in enumerate(zip(a.plans, b.plans, strict=True)):
        codes = [grid.codes[k - 1] for k in grid.cells[: mine.size, request]]
        assert [code.actions for code in codes] == list(zip(mine.actions, other.actions, strict=True))
        assert [code.reasons for code in codes] == list(zip(mine.reasons, other.reasons, strict=True))
        sent, too = mine.actions <= Action.TRUNCATED, other.actions <= Action.TRUNCATED
        differ = np.array([code.difference for code in codes])
        assert ((differ == Difference.ONLY_A) == (sent & ~too)).all()
        assert ((differ == Difference.ONLY_B) == (~sent & too)).all()
        assert (np.flatnonzero(differ >= Difference.UNLIKE) == differing_messages([a, b], request)).all()
        assert (grid.cells[mine.size :, request] == NOT_SAID).all()
        assert (grid.counts[request] == np.bincount(differ, minlength=5)).all()
    assert np.flatnonzero(grid.counts[:, Difference.UNLIKE :].any(axis=1)).tolist() == differing_requests([a, b])


@pytest.mark.parametrize("name", PAIRS)
def test_in_a_bin_a_difference_wins(name):
    a, b = timelines(name)
    whole, binned = difference_grid(a, b), difference_grid(a, b, most=5)
    fine, coarse = (np.array([-1, *(c.difference for c in g.codes)])[g.cells] for g in (whole, binned))
    assert coarse.shape == (5, 5)
    for r in range(5):
        for c in range(5):
            inside = fine[binned.rows[r] : binned.rows[r + 1], binned.columns[c] : binned.columns[c + 1]]
            assert coarse[r, c] == inside.max()


def test_the_bytes_say_it_in_words_with_both_sides_reasons():
    a, b = timelines("length")
    still, newest, cells = unpacked(pack_difference(a, b, "C"))
    assert [look["word"] for look in still["looks"]] == ["in neither", "in both", "not alike", "only C", "only A"]
    assert still["says"][0] == "the same messages"
    counted = (difference_grid(a, b).counts[-1]).tolist()
    assert still["says"][-1] == f"{counted[Difference.ONLY_A]} messages only in A"
    k = next(k for k in np.unique(cells[:, -1]).tolist() if k and still["codes"][k - 1] == Difference.ONLY_A)
    why = still["sentences"][still["why"][-1][str(k)]]
    assert why == "A: ● kept. C: × dropped. Older than the last 2 user messages."
    assert still["share"][0] == 0
    assert still["share"][-1] > 0
    assert len(newest) == still["columns"] == len(a.plans)
