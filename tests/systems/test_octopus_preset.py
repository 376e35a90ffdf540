"""Octopus' preset: it sends what its functions leave."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from octopus_chats import chat, ids
from sketches import conv

from historylab.planning.pipeline import plan_history
from historylab.planning.replay import replay
from historylab.systems.octopus import (
    DEFAULT_BUDGET,
    PRESET,
    assemble_history,
    get_last_n_turns,
)
from historylab.trimming.trim import trim


def test_the_preset_keeps_the_same_three_turns_as_the_functions():
    conversation = conv("s u a u a(t) a u a u a u", words=40)
    assert (PRESET.min_turns, PRESET.budget) == (3, DEFAULT_BUDGET)
    tight = PRESET.replace(budget=50, reserve=0)
    assert plan_history(conversation, tight).sketch() == "PDDKKKKKKKKK"


def test_the_summarising_preset_folds_a_share_and_then_drops():
    conversation = conv("s" + " u a" * 10, words=40)
    settings = PRESET.replace(pruner="summarize_share", budget=700, reserve=0, min_turns=1)
    plan = plan_history(conversation, settings)
    assert plan.sketch().startswith("PSS")
    assert not plan.over_budget
    assert replay(conversation, settings).plans[-1].tokens <= 700


@pytest.mark.feature("O07", "O08")
@pytest.mark.parametrize(
    ("face", "preset"),
    [
        ({"strategy": "FIFO", "min_history_turns": 0}, {"min_turns": 0}),
        (
            {"strategy": "SlidingWindow", "min_history_turns": 0, "sliding_window_turns": 0},
            {"pruner": "sliding_window", "min_turns": 0, "pruner.sliding_window.turns": 0},
        ),
    ],
)
def test_minimum_and_window_start_at_0_in_the_preset_as_in_the_functions(face, preset):
    history, asked = chat("s1 u1 a1 u2 a2"), chat("u3")
    assert ids(assemble_history(history, 10, **face).messages) == "s1"
    assert ids(trim([*history, *asked], PRESET.replace(budget=20, reserve=0, **preset))) == "s1 u3"


@given(st.lists(st.sampled_from("suaa"), max_size=12), st.integers(0, 4), st.integers(0, 80))
def test_the_preset_sends_the_minimum_the_functions_guarantee(letters, turns, budget):
    history = chat(" ".join(f"{letter}{number}" for number, letter in enumerate(letters)))
    guaranteed = get_last_n_turns(history, turns)
    settings = PRESET.replace(budget=budget, reserve=0, min_turns=turns)
    sent = trim([*history, *chat("u99")], settings)
    if any(m["role"] == "assistant" for m in guaranteed):  # without a complete turn ours guarantees none
        assert {id(m) for m in guaranteed} <= {id(m) for m in sent}
