"""`collapsed_tools`: an assistant's texts, calls and results after one user message become one text.

Calls become `[Used tool: NAME]`, without arguments, results `[Tool result: …]`, truncated. What is left is user →
assistant → user, as people saw it, without tool calls that could lose their results.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

from pydantic import Field

from historylab.conversation.message import Message
from historylab.planning.strategies.truncation import truncate_text
from historylab.registry import FINE, register

RESULT_CHARACTERS = 500
CUT = "... [truncated]"


@register("projection", title="Tools as text")
def collapsed_tools(
    messages: Sequence[Message],
    *,
    characters: Annotated[
        int, Field(ge=0, le=10_000_000, description="of a tool result that are shown")
    ] = RESULT_CHARACTERS,
    system_messages: Annotated[
        bool, Field(description="keep system messages, in place", json_schema_extra=FINE)
    ] = True,
) -> list[Message]:
    """Tool calls and results become lines of one assistant message per user message."""
    collapsed: list[Message] = []
    turn: list[Message] = []
    for message in messages:
        if message.role == "user":
            collapsed += _one_message(turn, characters)
            collapsed.append(message)
            turn = []
        elif message.role in ("assistant", "tool"):
            turn.append(message)
        elif message.role == "system" and system_messages:
            collapsed.append(message)
    return collapsed + _one_message(turn, characters)


def lines_of(message: Message, characters: int = RESULT_CHARACTERS) -> Iterator[str]:
    """What one message becomes: its text and a line per call, or the line of a result; an empty result nothing."""
    if message.role == "tool":
        if message.content:
            yield f"[Tool result: {truncate_text(message.content, characters, CUT)}]"
        return
    if message.content or not message.tool_calls:
        yield message.content
    yield from (f"[Used tool: {call.name}]" for call in message.tool_calls if call.name)


def _one_message(turn: list[Message], characters: int) -> list[Message]:
    """The assistant message a turn becomes; none if it would be empty."""
    lines = [line for message in turn for line in lines_of(message, characters)]
    if not lines:
        return []
    text = "\n".join(lines).strip()
    if len(turn) == 1 and turn[0].role == "assistant" and turn[0].content == text:
        return turn
    pinned = any(message.pinned for message in turn)
    return [Message("assistant", text, turn[0].id, timestamp=turn[-1].timestamp, pinned=pinned)]
