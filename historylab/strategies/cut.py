"""Where a cut may fall: shared by the pruners that take the oldest first.

Older turns go whole, so that the history still starts with a user message and the cut moves rarely. Only when nothing
but the newest turn is left do its oldest blocks go one by one: that keeps a long agent run within budget without losing
the task. Unit "block" cuts between any two blocks everywhere.
"""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from historylab.plan import HistoryPlan
from historylab.strategies.base import Context

Unit = Annotated[
    Literal["turn", "block"],
    Field(
        description="cut between whole turns (history starts with a user message, the cut moves rarely) or between any "
        "two blocks (fills the budget tighter)"
    ),
]


def oldest(plan: HistoryPlan, context: Context, excess: int, unit: str) -> np.ndarray:
    """bool[blocks]: the oldest units a pruner may take whose tokens make up `excess`, or all it may take."""
    free = plan.open & ~context.protected(plan)
    running = np.cumsum(plan.block_tokens * free)
    if not len(running) or running[-1] <= excess:
        return free
    end = int(running.searchsorted(excess)) + 1
    if unit == "turn":
        end = _end_of_turn(context, end)
    free[end:] = False
    return free


def _end_of_turn(context: Context, end: int) -> int:
    """The first block after the turn that block `end - 1` is in; `end` itself within the newest turn."""
    columns, users = context.history.columns, context.history.users
    turn = int(columns.block_turn[end - 1])
    return end if turn + 1 >= users else int(columns.user_blocks[turn + 1])
