"""`adaptive`: the number of turns that stay follows from their length and the model's room.

The newest turns that together fit a share of the room stay: many short ones, fewer with long tool logs. Never fewer
than `least`, even if they exceed the room, nor more than `most`.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Annotated

from pydantic import Field

from historylab.planning.blocks import Ranges, before
from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import reason
from historylab.planning.strategies.base import Context, newest_sent_users
from historylab.pricing import window_of
from historylab.registry import register

NO_ROOM_LEFT = reason(
    "adaptive", "{room:,} tokens hold no more than the {turns:newest turns}.", setting="pruner.adaptive.least"
)
LEAST = reason(
    "adaptive_least",
    "Older than the {turns:newest turns}, kept in spite of having more than {room:,} tokens.",
    setting="pruner.adaptive.least",
)
MOST = reason("adaptive_most", "Older than the {turns:newest turns}.", setting="pruner.adaptive.most")

Turns = Annotated[
    int, Field(ge=1, le=1_000_000, title="Turns at least", description="turns that stay at least, however long")
]
MostTurns = Annotated[
    int, Field(ge=1, le=1_000_000, title="Turns at most", description="turns that stay at most, however short")
]


@register(
    "pruner",
    reads=("min_turns", "window"),
    title="As many turns as fit",
    phrase="adaptive pruning{to}",
    says=", then [drop the turns that exceed {share:%}] of {budget} tokens",
    from_the_end=True,
)
def adaptive(
    plan: HistoryPlan,
    context: Context,
    *,
    share: Annotated[
        float,
        Field(
            gt=0,
            le=1,
            title="Share for the turns",
            description="share of the budget, or of a smaller window, the turns may take",
        ),
    ] = 0.5,
    least: Turns = 2,
    most: MostTurns = 20,
) -> HistoryPlan:
    """Keeps as many of the newest turns as fit a share of the model's room."""
    users = newest_sent_users(plan, most + 1).tolist()
    room = int(share * _room(plan, context))
    fitting = _fitting_turns(plan, users, room)
    turns = min(max(fitting, least), most)
    if turns >= len(users):
        return plan
    why = MOST if turns == most else LEAST if fitting < turns else NO_ROOM_LEFT
    numbers = {} if why is MOST else {"room": room}
    return plan.drop(context.free(plan).before(users[-turns]), why, turns=turns, **numbers)


def _room(plan: HistoryPlan, context: Context) -> int:
    """The budget, or the model's window where that is known and smaller."""
    window = context.settings.window or window_of(context.settings.model)
    return min(plan.budget, window) if window else plan.budget


def _fitting_turns(plan: HistoryPlan, users: list[int], room: int) -> int:
    """How many of the newest user messages fit the room with all after them; pinned blocks count wherever they are."""
    blocks = plan.history.blocks
    always = plan.tokens - plan.tokens_of(before(blocks))
    return bisect_right(
        range(len(users)), room, key=lambda turns: always + plan.tokens_of(Ranges([(users[-turns - 1], blocks)]))
    )
