"""`sliding_window`: always the last turns, whole, whatever the budget; what is still over is reported."""

from typing import Annotated

import numpy as np
from pydantic import Field

from historylab.plan import reason
from historylab.registry import register

OUTSIDE = reason("window", "Outside the window of the last {turns:,} turns.", knob="pruner.sliding_window.turns")


@register("pruner")
def sliding_window(
    plan, context, *, turns: Annotated[int, Field(ge=1, le=1_000_000, description="whole turns that stay")] = 10
):
    """Keeps the last turns whole, whatever the budget."""
    history = context.history
    turn = history.columns.block_turn[: history.blocks][plan.open]  # never falls
    left = turn[np.flatnonzero(np.diff(turn, prepend=-1))]  # each once, without what precedes the first user message
    if len(left) <= turns:
        return plan
    outside = np.zeros(history.blocks, bool)
    outside[: history.columns.user_blocks[left[-turns]]] = True
    return plan.drop(outside & ~context.protected(plan), OUTSIDE, turns=turns)
