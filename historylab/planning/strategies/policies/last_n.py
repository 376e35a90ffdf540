"""`lastN`: the last N user messages and everything after the first of them. The unit is user messages, not messages.

With N user messages or fewer nothing is cut. 0 acts as 1.
"""

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from historylab.planning.blocks import Ranges, before
from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import reason
from historylab.planning.strategies.base import Context
from historylab.registry import FINE, register

OLDER = reason("last_n", "Older than the {n:last user messages}.", setting="length")
NO_SYSTEM = reason(
    "no_system", "System messages are not preserved by these settings.", remedy={"preserve_system_messages": True}
)


LateResults = Annotated[
    Literal["keep", "drop"],
    Field(
        title="Late tool results",
        description="what happens to an older tool call whose result is among the messages that are kept; the newest "
        "results always stay",
        json_schema_extra=FINE,
    ),
]


@register(
    "policy",
    "lastN",
    reads=("length",),
    title="Last N",
    says="[the last] {length:user messages}",
    from_the_end=True,
)
def last_n(plan: HistoryPlan, context: Context, *, late_results: LateResults = "keep") -> HistoryPlan:
    """The last N user messages and what follows each."""
    history, settings = context.history, context.settings
    columns = history.columns
    plan = without_systems(plan, context)
    n = max(1, settings.length)
    users = history.users
    if users <= n:
        return plan
    newest = columns.block.item(history.size - 1)  # the newest results: what the model is asked to go on from
    older: Ranges | np.ndarray = before(columns.user_blocks.item(users - n), but=(newest,))
    if late_results == "keep" and not columns.contiguous:  # such a call counts as newer: it stays with its results
        older = plan.among(older) & (columns.block_last[: history.blocks] < columns.users[users - n])
    return plan.drop(older, OLDER, n=n)


def without_systems(plan: HistoryPlan, context: Context) -> HistoryPlan:
    """The plan, with system messages dropped unless they are preserved."""
    if context.settings.preserve_system_messages:
        return plan
    return plan.drop(context.history.columns.system[: context.history.blocks] & ~plan.returned, NO_SYSTEM)
