"""Where a cut may fall: shared by the pruners that drop the oldest first.

Older turns are dropped whole, so that the history still starts with a user message and the cut moves rarely. Only when
the newest turn alone is left are its oldest blocks dropped one by one: a long agent run stays within budget and keeps
its task. Unit "whole_turn" never cuts into the newest turn; "block" cuts between any two blocks.
"""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import Reason
from historylab.planning.strategies.base import Context
from historylab.registry import FINE

Unit = Annotated[
    Literal["turn", "whole_turn", "block"],
    Field(
        title="Where it cuts",
        description="cut between whole turns (history starts with a user message, the cut moves rarely), the newest "
        "between its blocks (turn) or whole as well (whole_turn), or between any two blocks (fills the budget tighter)",
        json_schema_extra=FINE,
    ),
]


TrimTo = Annotated[
    float,
    Field(
        gt=0,
        le=1,
        title="Cut down to",
        description="share of the limit to come down to once it is reached; what was cut stays cut, so below 1 the cut "
        "moves rarely and the provider's prompt cache lasts",
        json_schema_extra=FINE,
    ),
]


def carries_cut(*, trim_to: float = 1.0, **_others: object) -> bool:
    """Whether these options need the previous request's plan: only a cut below the limit is carried on."""
    return trim_to < 1


def carry_cut(plan: HistoryPlan, context: Context, why: Reason, *, keep_task: bool = True) -> HistoryPlan:
    """Drop again the messages that the previous request dropped for that reason, so that the prefix stays the same."""
    before = context.previous
    if before is None or why.code not in before.numbers:
        return plan
    blocks = np.zeros(context.history.blocks, bool)
    blocks[: before.history.blocks] = (before.block_reasons == why.code) & ~before.sent
    blocks &= ~context.protected(plan, keep_task=keep_task)
    return plan.drop(blocks, why, **before.numbers[why.code])


def oldest_blocks(plan: HistoryPlan, context: Context, excess: int, unit: str, *, keep_task: bool = True) -> np.ndarray:
    """bool[blocks]: the oldest units a pruner may drop whose tokens make up `excess`, or all it may drop."""
    free: np.ndarray = plan.open & ~context.protected(plan, keep_task=keep_task)
    end = _end_of_excess(plan, free, excess)
    if end is None:
        return free
    if unit != "block":
        end = _end_of_turn(context, end, unit)
    free[end:] = False
    return free


def _end_of_excess(plan: HistoryPlan, free: np.ndarray, excess: int) -> int | None:
    """The block before which the free ones make up `excess`; None if all of them don't make up more."""
    history = plan.history
    if excess > 0 and history.whole and not plan.shortened and len(free):  # nearly always: look up the running sum
        first = int(free.argmax())
        stop = first + (int(free[first:].argmin()) or len(free) - first)
        running = history.sums.block_running
        goal = running.item(first) + excess
        if free[first] and running.item(stop) > goal:  # within the first run of free blocks
            return first + 1 + int(running[first + 1 : stop + 1].searchsorted(goal))
    sums = np.cumsum(plan.block_tokens * free)
    return int(sums.searchsorted(excess)) + 1 if len(sums) and sums[-1] > excess else None


def oldest_share(plan: HistoryPlan, context: Context, share: float) -> np.ndarray:
    """bool[blocks]: the oldest whole turns that hold at most `share` of the undecided messages and may be dropped."""
    history = context.history
    running = np.concatenate(([0], np.cumsum(history.block_sizes * plan.open)))  # messages before each block
    ends = np.append(history.columns.user_blocks[: history.users], history.blocks)
    fitting = ends[running[ends] <= int(share * running[-1])]
    free: np.ndarray = plan.open & ~context.protected(plan)
    free[int(fitting[-1]) if len(fitting) else 0 :] = False
    return free


def _end_of_turn(context: Context, end: int, unit: str) -> int:
    """The first block after the turn that block `end - 1` is in; unit "turn" may cut the newest one at `end` itself."""
    columns, users = context.history.columns, context.history.users
    turn = int(columns.block_turn[end - 1])
    if turn + 1 < users:
        return int(columns.user_blocks[turn + 1])
    return context.history.blocks if unit == "whole_turn" and users else end
