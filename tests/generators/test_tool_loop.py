"""The tool loop: as many rounds as asked, whole blocks, errors that are repeated, values of earlier results used."""

from __future__ import annotations

import pytest

from historylab import Settings, replay
from historylab.generators.base import generate
from historylab.recall.references import find_needs

LOOP = generate("tool_loop", turns=2, rounds=80, output_lines=20)


@pytest.mark.parametrize("seed", range(5))
def test_every_call_has_its_result_and_no_turn_ends_in_a_call(seed):
    loop = generate("tool_loop", turns=4, rounds=30, output_lines=3, seed=seed)
    assert loop.columns.clean
    assert all(turn.complete for turn in loop.turns[:-1])


def test_a_task_takes_the_rounds_asked_for():
    assert sum(bool(m.tool_calls) for m in LOOP) == 80
    assert len(replay(LOOP, Settings()).plans) == 82  # with the report, and the question after it


def test_a_call_that_fails_is_made_again_until_it_works():
    calls = [(call, i) for i, m in enumerate(LOOP) for call in m.tool_calls]
    results = {m.tool_call_id: m for m in LOOP if m.role == "tool"}
    failed = [(call, i) for call, i in calls if results[call.id].metadata.get("is_error")]
    assert len(failed) >= 5
    for call, i in failed:
        again = next(m for m in LOOP[i + 1 :] if m.tool_calls)
        assert [(c.name, c.arguments) for c in again.tool_calls] == [(call.name, call.arguments)]
    assert results[calls[-1][0].id].metadata == {}


def test_calls_are_made_at_once_and_results_are_large():
    assert max(len(m.tool_calls) for m in LOOP) == 4
    lengths = [m.content.count("\n") for m in LOOP if m.role == "tool" and not m.metadata]
    assert max(lengths) >= 20
    assert min(lengths) == 0


def test_later_calls_use_what_earlier_results_said():
    used = {need.used_as.split(".")[1] for step in find_needs(LOOP) for need in step if need.kind == "reference"}
    assert {"cursor", "number", "numbers"} <= used
