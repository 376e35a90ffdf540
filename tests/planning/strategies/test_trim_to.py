"""A cut below the limit moves rarely: what one request dropped, the next ones drop as well."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as tried
from hypothesis import strategies as st
from token_sketches import counted, replayed

from historylab.conversation.conversation import Conversation
from historylab.costs.traffic import traffic
from historylab.generators.base import generate
from historylab.planning.pipeline import open_pipeline, plan_history
from historylab.planning.reasons import Action
from historylab.planning.replay import replay
from historylab.planning.strategies.base import Context
from historylab.settings.model import Settings

TURNS = " ".join(["u10 a10"] * 12) + " u10"
FIFO = Settings(policy="all", pruner="fifo", budget=100)
WINDOW = Settings(policy="all", pruner="sliding_window", **{"pruner.sliding_window.turns": 4})
HALF = {"pruner.fifo.trim_to": 0.5}


def sketches(timeline) -> list[str]:
    return [plan.sketch() for plan in timeline.plans]


def test_fifo_comes_down_to_the_share_and_stays_there_until_it_is_full_again():
    timeline = replayed(counted(TURNS), FIFO.replace(**HALF))
    dropped = [plan.sketch().count("D") for plan in timeline.plans]
    assert dropped == [0, 0, 0, 0, 0, 6, 6, 6, 12, 12, 12, 18, 18]
    assert timeline.tokens.max() <= 100


def test_without_a_share_the_cut_moves_at_every_turn_once_it_is_full():
    assert traffic(replayed(counted(TURNS), FIFO)).breaks == 8
    assert traffic(replayed(counted(TURNS), FIFO.replace(**HALF))).breaks == 3


def test_the_window_shrinks_to_the_share_and_fills_up_again():
    timeline = replayed(counted(TURNS), WINDOW.replace(**{"pruner.sliding_window.trim_to": 0.5}))
    left = [plan.size - plan.sketch().count("D") for plan in timeline.plans]
    assert left == [1, 3, 5, 7, 3, 5, 7, 3, 5, 7, 3, 5, 7]


def test_reasons_say_to_what_and_when():
    timeline = replayed(counted(TURNS), FIFO.replace(**HALF))
    assert timeline.plans[7].reason(0).sentence == (
        "Oldest first, down to 50 tokens, last when the request had 110 and the budget allowed 100."
    )
    window = replayed(counted(TURNS), WINDOW.replace(**{"pruner.sliding_window.trim_to": 0.5}))
    assert (
        window.plans[-1].reason(0).sentence
        == "Outside the window: cut to the last 2 turns when there were more than 4."
    )


def test_only_a_share_below_one_needs_the_request_before():
    assert not open_pipeline(FIFO).carries
    assert not open_pipeline(WINDOW).carries
    assert open_pipeline(FIFO.replace(**HALF)).carries
    assert open_pipeline(WINDOW.replace(**{"pruner.sliding_window.trim_to": 0.9})).carries


def test_planning_one_request_agrees_with_the_replay():
    conversation, settings = counted(TURNS), FIFO.replace(**HALF, counter="chars/4", budget=20)
    for plan in replay(conversation, settings).plans:
        alone = plan_history(Conversation(conversation.messages[: plan.size]), settings)
        assert alone.sketch() == plan.sketch()


PRUNERS = [{"pruner": "fifo", "pruner.fifo.unit": unit} for unit in ("turn", "whole_turn", "block")]
PRUNERS += [{"pruner": "sliding_window", "pruner.sliding_window.turns": 3}]


@cache
def session(seed: int) -> Conversation:
    """With times: a message a minute, every tenth after a pause of ten."""
    said = generate("coding_agent", seed=seed, turns=6).messages
    return Conversation(
        replace(m, timestamp=f"2026-05-04T{(k + k // 10 * 10) // 60:02}:{(k + k // 10 * 10) % 60:02}")
        for k, m in enumerate(said)
    )


@pytest.mark.parametrize("options", PRUNERS, ids=str)
@tried(deadline=None, max_examples=40)
@given(
    share=st.floats(0.05, 0.95),
    budget=st.integers(200, 3000),
    seed=st.integers(0, 3),
    min_turns=st.integers(0, 3),
    when=st.sampled_from(["full", "cold", "turn"]),
)
def test_what_was_dropped_stays_dropped_and_nothing_else_could_have_been(options, share, budget, seed, min_turns, when):
    pruner = f"pruner.{options['pruner']}"
    when = "full" if when == "turn" and pruner == "pruner.sliding_window" else when
    chosen = {**options, f"{pruner}.trim_to": share, f"{pruner}.when": when}
    settings = Settings(policy="all", counter="chars/4", budget=budget, min_turns=min_turns, **chosen)
    before = np.zeros(0, bool)
    for plan in replay(session(seed), settings).plans:
        dropped = plan.actions == Action.DROPPED
        assert dropped[: len(before)][before].all()
        before = dropped
        if options["pruner"] == "fifo" and plan.over_budget:
            free = plan.open & ~Context(plan.history, settings, None, None).protected(plan)
            assert not free.any() or options["pruner.fifo.unit"] == "whole_turn"
