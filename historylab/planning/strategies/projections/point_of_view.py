"""`point_of_view`: a room as one of its agents sees it.

The agent's own messages become the assistant's, without a name. All others become the user's: people as `Name: text`,
other agents as `Name (agent): text`. System messages lose their name, tool calls and results stay as they are. A
message without a name keeps its text. In a chat of people alone, one of them can be taken for the agent.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from historylab.conversation.message import Message
from historylab.formats.messages.rewritten import in_role
from historylab.planning.strategies.filters.participants import AGENTS, is_agent, is_author, participant
from historylab.registry import register


@register("projection", title="One agent's view of a room", facts=("name",))
def point_of_view(
    messages: Sequence[Message],
    *,
    agent: Annotated[
        str, Field(description="the agent's id; empty: every agent's words are its own", json_schema_extra=AGENTS)
    ] = "",
) -> list[Message]:
    """Each message as the agent sees it: its own, or said by a named user."""
    return [_as_seen_by(message, agent) for message in messages]


def _as_seen_by(message: Message, agent: str) -> Message:
    if message.tool_calls or message.role == "tool":
        return message
    if message.role == "system":
        return _rewritten(message, "system", message.content)
    if is_author(message, agent):
        return _rewritten(message, "assistant", message.content)
    name = _name(message)
    peer = " (agent)" if is_agent(message) else ""
    return _rewritten(message, "user", message.content if name is None else f"{name}{peer}: {message.content}")


def _name(message: Message) -> str | None:
    """The name to show; an empty one stays empty, and only the id stands in for one that is missing."""
    if message.name is not None:
        return message.name
    return message.metadata.get("participant")


def _rewritten(message: Message, role: str, content: str) -> Message:
    """The message in another role and wording; the author moves from `name` to the metadata."""
    if message.role == role and message.content == content and message.name is None:
        return message
    kind = "agent" if is_agent(message) else message.role
    metadata = {"participant": participant(message), "participantKind": kind, **message.metadata}
    return in_role(message, role, content, name=None, metadata=metadata)
