"""`point_of_view`: a room as one of its agents sees it. Source: toolpack's projection.

The agent's own messages are the assistant's, bare. Everybody else is the user: people as `Name: text`, other agents as
`Name (agent): text`. System messages stay, bare; so do tool calls and their results, which have no place in a user's
message. Where nobody is named, the text stays as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

from pydantic import Field

from historylab.conversation.message import Message
from historylab.planning.strategies.filters.participants import AGENTS, is_agent, is_own, participant
from historylab.registry import register


@register("projection", title="One agent's view of a room")
def point_of_view(
    messages: Sequence[Message],
    *,
    agent: Annotated[
        str, Field(description="the agent's id; empty: every agent's words are its own", json_schema_extra=AGENTS)
    ] = "",
) -> list[Message]:
    """Each message as the agent sees it: its own, or said by a named user."""
    return [_seen(message, agent) for message in messages]


def _seen(message: Message, agent: str) -> Message:
    if message.tool_calls or message.role == "tool":
        return message
    if message.role == "system":
        return _said(message, "system", message.content)
    if is_own(message, agent):
        return _said(message, "assistant", message.content)
    name = _name(message)
    peer = " (agent)" if is_agent(message) else ""
    return _said(message, "user", message.content if name is None else f"{name}{peer}: {message.content}")


def _name(message: Message) -> str | None:
    """The name to show; an empty one stays empty, and only the id stands in for one that is missing."""
    if message.name is not None:
        return message.name
    return message.metadata.get("participant")


def _said(message: Message, role: str, content: str) -> Message:
    """The same message in another role and wording; who said it stays known, though the name is now in the text."""
    if message.role == role and message.content == content and message.name is None:
        return message
    kind = "agent" if is_agent(message) else message.role
    metadata = {"participant": participant(message), "participantKind": kind, **message.metadata}
    return replace(message, role=role, content=content, name=None, metadata=metadata, source=None)
