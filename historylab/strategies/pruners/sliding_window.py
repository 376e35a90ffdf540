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
    users = history.columns.user_blocks[: history.users]
    left = users[plan.sent[users]]
    if len(left) <= turns:
        return plan
    outside = np.zeros(history.blocks, bool)
    outside[: left[-turns] if turns else history.blocks] = True
    return plan.drop(outside & ~context.protected(plan), OUTSIDE, turns=turns)
