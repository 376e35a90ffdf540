"""`addressed_only`: in a room, only what concerns this agent.

Of what earlier filters left, a message stays if the agent wrote it, if it mentions the agent (by id or alias, in
`metadata["mentions"]`), if the agent's own message directly follows it, or if it is the newest. Stored summaries stay
too. Authors are told apart by id alone; the rule about the following message looks at agents only. A system message
without a participant is the agent's instructions, not part of the room's history: it is always sent.
"""

from collections.abc import Iterable
from typing import Annotated

import numpy as np
from pydantic import Field

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import reason
from historylab.planning.strategies.base import Context
from historylab.planning.strategies.facts import column, is_stored_summary, whole_blocks
from historylab.planning.strategies.filters.participants import AGENTS, PEOPLE, is_author, is_named, participant
from historylab.registry import FINE, register

NOT_ADDRESSED = reason(
    "addressed_only", "Not addressed to the agent, and not answered by it.", remedy={"filter": "off"}
)
INSTRUCTIONS = reason("instructions", "The agent's instructions, no part of the room's history: always sent.")
POINT_OF_VIEW = "projection.point_of_view.agent"


@register("filter", reads=(POINT_OF_VIEW,), title="Addressed to the agent", facts=("name", "mentions"))
def addressed_only(
    plan: HistoryPlan,
    context: Context,
    *,
    agent: Annotated[
        str,
        Field(
            description="the agent's id; empty: that of Speaker names, else every assistant message is its own",
            json_schema_extra=AGENTS,
        ),
    ] = "",
    aliases: Annotated[
        str,
        Field(
            title="Other ids of the agent",
            description="other ids it is mentioned by, with commas",
            json_schema_extra=PEOPLE | FINE,
        ),
    ] = "",
) -> HistoryPlan:
    """Only what the agent wrote, what mentions it, what it answered, and the newest message."""
    agent = agent or context.settings.options.get(POINT_OF_VIEW, "")
    return only_addressed(plan, context, agent, (name.strip() for name in aliases.split(",")))


def only_addressed(plan: HistoryPlan, context: Context, agent: str, aliases: Iterable[str]) -> HistoryPlan:
    """Drop what does not concern `agent`; `aliases` are further ids it is mentioned by."""
    history = context.history
    instructions = column(history.conversation, "instructions", _is_instructions)[: history.size]
    plan = plan.pin(whole_blocks(history, instructions) & ~plan.returned, INSTRUCTIONS)
    left = np.flatnonzero(plan.sent[history.columns.block[: history.size]] & ~instructions)
    if not len(left):
        return plan
    concerns, own = _facts(history.conversation, agent, frozenset(filter(None, [agent, *aliases])))
    stays = concerns[left]
    stays[:-1] |= own[left[1:]]  # answered: the agent's own message directly follows
    stays[-1] = True
    elsewhere = np.zeros(history.size, bool)
    elsewhere[left[~stays]] = True
    return plan.drop(whole_blocks(history, elsewhere), NOT_ADDRESSED)


def _facts(conversation: Conversation, agent: str, names: frozenset[str]) -> tuple[np.ndarray, np.ndarray]:
    """bool[n] each: messages that concern the agent (its own, mentions, stored summaries); and those it wrote."""
    own = column(conversation, ("own", agent), lambda m: is_author(m, agent))
    written = column(conversation, ("written", agent), lambda m: bool(agent) and participant(m) == agent)
    mentioned = column(conversation, ("mentions", names), lambda m: _mentions(m.metadata.get("mentions"), names))
    return own | written | mentioned | column(conversation, "stored summary", is_stored_summary), own


def _is_instructions(message: Message) -> bool:
    return message.role == "system" and not is_named(message) and not is_stored_summary(message)


def _mentions(mentions: object, names: frozenset[str]) -> bool:
    return isinstance(mentions, list | tuple) and any(isinstance(m, str) and m in names for m in mentions)
