"""The difference map says of every message and request what the two plans do."""

from __future__ import annotations

import numpy as np
import pytest
from map_bytes import unpacked

from historylab import Settings, generate, replay
from historylab.figures.difference_fates import PlanDifference, decisions, difference_changes
from historylab.figures.difference_map import pack_difference
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
    changes = difference_changes(a, b)
    codes = [decisions(fate) for fate in changes.fates.tolist()]
    counts = changes.counts(np.array([code.difference for code in codes]), len(PlanDifference))
    cells = unpacked(pack_difference(a, b, "AB", "k", "c")).cells(len(TALK))
    for request, (mine, other) in enumerate(zip(a.plans, b.plans, strict=True)):
        decided = [codes[k - 1] for k in cells[: mine.size, request]]
        assert [code.actions for code in decided] == list(zip(mine.actions, other.actions, strict=True))
        assert [code.reasons for code in decided] == list(zip(mine.reasons, other.reasons, strict=True))
        sent, too = mine.actions <= Action.TRUNCATED, other.actions <= Action.TRUNCATED
        differ = np.array([code.difference for code in decided])
        assert ((differ == PlanDifference.ONLY_A) == (sent & ~too)).all()
        assert ((differ == PlanDifference.ONLY_B) == (~sent & too)).all()
        assert (np.flatnonzero(differ >= PlanDifference.UNLIKE) == differing_messages([a, b], request)).all()
        assert not cells[mine.size :, request].any()
        assert (counts[request] == np.bincount(differ, minlength=5)).all()
    assert np.flatnonzero(counts[:, PlanDifference.UNLIKE :].any(axis=1)).tolist() == differing_requests([a, b])


def test_the_larger_a_difference_the_higher_its_code():
    a, b = timelines("both ways")
    codes = unpacked(pack_difference(a, b, "AB", "k", "c")).words["codes"]
    assert codes == sorted(codes)
    assert {PlanDifference.NEITHER, PlanDifference.BOTH, PlanDifference.ONLY_B} <= set(codes)


def test_the_bytes_say_it_in_words_with_both_sides_reasons():
    a, b = timelines("length")
    part = unpacked(pack_difference(a, b, "AC", "k", "c"))
    words, newest = part.words, part.cells(len(TALK))[:, -1]
    assert part.head == {"key": "k", "conversation": "c"}
    assert [look["word"] for look in words["looks"]] == ["in neither", "in both", "not alike", "only C", "only A"]
    assert words["says"][0] == "the same messages"
    only_a = [k for k in newest.tolist() if k and words["codes"][k - 1] == PlanDifference.ONLY_A]
    assert words["says"][-1] == f"{len(only_a)} messages only in A"
    why = part.sentence(len(a.plans) - 1, only_a[0])
    assert why == "A: ● kept. C: × dropped. Older than the last 2 user messages."
    assert part.arrays["share"][0] == 0
    assert part.arrays["share"][-1] > 0
