"""Where a cut may fall: shared by the pruners that drop the oldest first.

Older turns are dropped whole, so that the history still starts with a user message and the cut moves rarely. Only when
the newest turn alone is left are its oldest blocks dropped one by one: a long agent run stays within budget and keeps
its task. Unit "whole_turn" never cuts into the newest turn; "block" cuts between any two blocks.

A cut that comes down below the limit may also be made before it is reached, where it does least harm (`When`): at the
start of a turn, or once the provider's cache has expired anyway. The limit stays the ceiling.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from pydantic import Field

from historylab.planning.blocks import Ranges, both
from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import Reason
from historylab.planning.strategies.base import Context
from historylab.planning.strategies.facts import instants
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

EARLY = "; only where a cut goes below the limit, which stays the most a request may have"
When = Annotated[
    Literal["full", "turn", "cold"],
    Field(
        title="When it cuts",
        description="once the limit is reached (full); or already from halfway between it and what a cut comes down "
        "to, at the start of a turn (turn) or after a pause of more than 5 minutes, when the provider's prompt cache "
        f"has expired (cold; needs messages with times){EARLY}",
        json_schema_extra=FINE,
    ),
]
WhenCold = Annotated[
    Literal["full", "cold"],
    Field(
        title="When it cuts",
        description="once the limit is reached (full); or already from halfway between it and what a cut comes down "
        "to, after a pause of more than 5 minutes, when the provider's prompt cache has expired (cold; needs messages "
        f"with times){EARLY}",
        json_schema_extra=FINE,
    ),
]
LAST_IN_PAUSE = "last at {at:clock}, when the cache had expired after a pause of {pause:span}."
UNTIMED = "as the messages have no times, no pause shows that the cache has expired."


class Moment(NamedTuple):
    """Why a cut is made now: the limit is reached ("full", "untimed"), a turn starts, or the cache is cold."""

    name: str
    numbers: Mapping[str, Any]

    @property
    def early(self) -> bool:
        """Whether the limit is not reached yet."""
        return self.name in ("turn", "cold")


def moment_of_cut(size: int, low: int, most: int, context: Context, when: str) -> Moment | None:
    """Whether to come down to `low` now, where at most `most` is allowed; None where the cut can wait."""
    if size > most:
        timed = when != "cold" or np.isfinite(instants(context.history.conversation)[: context.history.size]).any()
        return Moment("full" if timed else "untimed", {})
    if when == "full" or low == most or size <= (low + most) / 2:
        return None
    if when == "turn":
        before = context.previous
        return Moment("turn", {}) if before is None or context.history.users > before.history.users else None
    return _in_pause(context)


def _in_pause(context: Context) -> Moment | None:
    """The pause before this request, by the times of the newest message of both, if no cache outlives it."""
    before, history = context.previous, context.history
    if before is None or not before.size:
        return None
    from historylab.pricing import FIVE_MINUTES

    times = instants(history.conversation)
    pause = times.item(history.size - 1) - times.item(before.size - 1)
    at = history.conversation[history.size - 1].timestamp
    return Moment("cold", {"at": at, "pause": pause}) if pause > FIVE_MINUTES else None


def carries_cut(*, trim_to: float = 1.0, **_others: object) -> bool:
    """Whether these options need the previous request's plan: only a cut below the limit is carried on."""
    return trim_to < 1


def carry_cut(plan: HistoryPlan, context: Context, *reasons: Reason, keep_task: bool = True) -> HistoryPlan:
    """Drop again what the previous request dropped for one of these reasons, so that the prefix stays the same."""
    before = context.previous
    if before is None:
        return plan
    for why in reasons:
        if why.code in before.numbers:
            blocks = both(plan.decided_before(before, why=why), context.free(plan, keep_task=keep_task))
            plan = plan.drop(blocks, why, **before.numbers[why.code])
    return plan


def oldest_blocks(plan: HistoryPlan, context: Context, excess: int, unit: str, *, keep_task: bool = True) -> Ranges:
    """The oldest units a pruner may drop whose tokens make up `excess`, or all it may drop; what is decided between
    them included."""
    free = context.free(plan, keep_task=keep_task)
    last = plan.first_that_makes(excess, free)
    if last is None:
        return free
    return free.before(last + 1 if unit == "block" else _end_of_turn(context, last + 1, unit))


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
