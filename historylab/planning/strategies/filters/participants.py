"""`participants`: only what certain people or agents said."""

from collections import Counter
from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from historylab.conversation.message import Message
from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import reason
from historylab.planning.strategies.base import Context
from historylab.planning.strategies.facts import column
from historylab.registry import register

PEOPLE = {"offers": "participants"}
AGENTS = {"offers": "agents"}
"""Mark options that hold ids of a conversation's participants, several with commas, or of one agent: screens offer
those there are."""
PERSON = "person"
"""The kind of participant in a chat that no model takes part in, as far as its file says."""
OTHER_PARTICIPANT = reason("participants", "Said by somebody these settings leave out.", remedy={"filter": "off"})


def participant(message: Message) -> str:
    """The author: the participant's id, else the name, else the role."""
    return str(message.metadata.get("participant") or message.name or message.role)


def is_named(message: Message) -> bool:
    """Whether the author is known beyond the role."""
    return bool(message.metadata.get("participant") or message.name)


def is_agent(message: Message) -> bool:
    """Whether an agent wrote it: by the kind of participant if that is known, else by the role."""
    kind = message.metadata.get("participantKind")
    return kind == "agent" if kind else message.role in ("assistant", "tool")


def is_author(message: Message, agent: str) -> bool:
    """Whether this agent wrote it. Without an id, every agent's messages count; an unnamed agent is always this one.

    A person counts only where the chat is known to be one of people (the kind "person"): elsewhere somebody could take
    an agent's name.
    """
    if is_agent(message):
        return not agent or not is_named(message) or participant(message) == agent
    return bool(agent) and message.metadata.get("participantKind") == PERSON and participant(message) == agent


def named_authors(messages: Sequence[Message], *, agents: bool = False) -> list[str]:
    """The ids of named authors, most messages first; with `agents`, of agents only if there are any."""
    authors = [m for m in messages if is_named(m) and m.role != "tool"]
    chosen = [m for m in authors if is_agent(m)] if agents and any(map(is_agent, messages)) else authors
    return [name for name, _ in Counter(map(participant, chosen)).most_common()]


@register("filter", title="Some people only", facts=("name",))
def participants(
    plan: HistoryPlan,
    context: Context,
    *,
    ids: Annotated[
        str,
        Field(
            title="People kept",
            description="ids or names kept, with commas; empty keeps everybody",
            json_schema_extra=PEOPLE,
        ),
    ] = "",
) -> HistoryPlan:
    """Only messages of the named participants, and tool results."""
    wanted = frozenset(name.strip() for name in ids.split(",") if name.strip())
    if not wanted:
        return plan
    history = context.history
    others = column(
        history.conversation, ("participants", wanted), lambda m: m.role != "tool" and participant(m) not in wanted
    )
    blocks = others[history.columns.block_first[: history.blocks]]  # a block belongs to the author of its first message
    return plan.drop(blocks & ~plan.returned, OTHER_PARTICIPANT)
