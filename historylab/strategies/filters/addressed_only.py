"""`addressed_only`: in a room, only what concerns this agent. Source: toolpack's addressed-only mode, all four rules.

A message stays if the agent wrote it, if it mentions the agent (by id or alias, in `metadata["mentions"]`), if the
agent's own message directly follows it, or if it is the newest. Stored summaries stay too.
"""

from typing import Annotated

import numpy as np
from pydantic import Field

from historylab.conversation import Conversation
from historylab.plan import reason
from historylab.registry import register
from historylab.strategies.facts import column, whole_blocks
from historylab.strategies.filters.participants import participant

NOT_ADDRESSED = reason(
    "addressed_only", "Not addressed to the agent, and not answered by it.", remedy={"filter": "off"}
)


@register("filter")
def addressed_only(
    plan,
    context,
    *,
    agent: Annotated[str, Field(description="the agent's id; empty: every assistant message is its own")] = "",
    aliases: Annotated[str, Field(description="other ids it is mentioned by, with commas")] = "",
):
    """Only what the agent wrote, what mentions it, what it answered, and the newest message."""
    history = context.history
    names = frozenset(name.strip() for name in f"{agent},{aliases}".split(",") if name.strip())
    elsewhere = ~_concerns(history.conversation, agent, names)[: history.size]
    if history.size:
        elsewhere[-1] = False
    return plan.drop(whole_blocks(history, elsewhere), NOT_ADDRESSED)


def _concerns(conversation: Conversation, agent: str, names: frozenset[str]) -> np.ndarray:
    own = column(conversation, ("own", agent), lambda m: _is_own(m, agent))
    mentioned = column(
        conversation, ("mentions", names), lambda m: not names.isdisjoint(m.metadata.get("mentions") or ())
    )
    summary = column(conversation, "stored summary", lambda m: bool(m.metadata.get("isSummary")))
    answered = np.append(own[1:], False)
    return own | mentioned | answered | summary


def _is_own(message, agent: str) -> bool:
    return participant(message) == agent if agent else message.role in ("assistant", "tool")
