"""`sliding_window`: always the last whole turns, whatever the budget; a request over it is reported."""

from typing import Annotated

import numpy as np
from pydantic import Field

from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import counted, reason
from historylab.planning.strategies.base import Context
from historylab.planning.strategies.cutting import TrimTo, carries_cut, carry_cut
from historylab.registry import register

Turns = Annotated[int, Field(ge=0, le=1_000_000, title="Turns in the window", description="whole turns that stay")]
OUTSIDE = reason("window", "Outside the window of the {turns:last turns}.", setting="pruner.sliding_window.turns")
CUT_BELOW = reason(
    "window_cut",
    "Outside the window: cut to the {left:last turns} when there were more than {turns:,}.",
    setting="pruner.sliding_window.turns",
)


def phrase(turns: int | None = None) -> str:
    return f"a window of {counted(turns, 'turns')}" if turns is not None else "a sliding window"


@register("pruner", carries=carries_cut, reads=("min_turns",), title="Sliding window", phrase=phrase)
def sliding_window(plan: HistoryPlan, context: Context, *, turns: Turns = 10, trim_to: TrimTo = 1.0) -> HistoryPlan:
    """Keeps the last turns whole, whatever the budget."""
    if trim_to == 1:
        return plan.drop(_before_last(plan, context, turns, turns), OUTSIDE, turns=turns)
    plan = carry_cut(plan, context, CUT_BELOW)
    left = min(turns, max(1, int(trim_to * turns)))
    return plan.drop(_before_last(plan, context, turns, left), CUT_BELOW, turns=turns, left=left)


def _before_last(plan: HistoryPlan, context: Context, turns: int, left: int) -> np.ndarray:
    """bool[blocks]: with more than `turns` turns sent, what may be dropped before the last `left` of them."""
    history = context.history
    outside = np.zeros(history.blocks, bool)
    users = history.columns.user_blocks[: history.users]
    sent = users[plan.sent[users]]
    if len(sent) <= turns:
        return outside
    outside[: sent[-left] if left else history.blocks] = True
    outside &= ~context.protected(plan)
    return outside
