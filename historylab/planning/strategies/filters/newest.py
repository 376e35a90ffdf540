"""`newest`: at most so many of the newest messages, as a store loads them.

Messages that earlier filters dropped are not counted, as a store filters first; nor are those a summary stands for, as
they are no longer in the store. For systems that load so many: what else keeps the last N messages is the policy
`lastMessages`, so screens offer this filter only where it is chosen.
"""

from typing import Annotated

import numpy as np
from pydantic import Field

from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import Action, counted_noun, reason
from historylab.planning.strategies.base import Context
from historylab.registry import register

NOT_LOADED = reason("newest", "Older than the {messages:newest messages}.", setting="filter.newest.messages")


def phrase(messages: int | None = None) -> str:
    return "the newest messages only" if messages is None else f"the {counted_noun(messages, 'newest messages')} only"


@register("filter", title="Newest messages", phrase=phrase, unlisted=True)
def newest(
    plan: HistoryPlan,
    context: Context,
    *,
    messages: Annotated[
        int, Field(ge=0, le=1_000_000, title="Messages that are loaded", description="messages that are loaded")
    ] = 100,
) -> HistoryPlan:
    """At most the newest messages; a tool call stays when any of its results does."""
    left = plan.open & ~plan.returned
    if context.previous is not None and context.previous.summary is not None:
        left &= ~plan.among(plan.decided_before(context.previous, Action.SUMMARIZED))
    sizes = context.history.block_sizes * left
    newer = np.cumsum(sizes[::-1])[::-1] - sizes  # messages after each block
    return plan.drop(left & (newer >= messages), NOT_LOADED, messages=messages)
