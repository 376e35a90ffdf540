"""`newest`: at most so many of the newest messages, as stores load them. Source: toolpack's `maxTurnsToLoad`."""

from typing import Annotated

import numpy as np
from pydantic import Field

from historylab.plan import reason
from historylab.registry import register
from historylab.strategies.facts import whole_blocks

NOT_LOADED = reason("newest", "Older than the newest {messages:,} messages.", knob="filter.newest.messages")


@register("filter")
def newest(
    plan, context, *, messages: Annotated[int, Field(ge=0, le=1_000_000, description="messages that are loaded")] = 100
):
    """At most the newest messages; a tool call stays when any of its results does."""
    history = context.history
    older = np.arange(history.size) < history.size - messages
    return plan.drop(whole_blocks(history, older), NOT_LOADED, messages=messages)
