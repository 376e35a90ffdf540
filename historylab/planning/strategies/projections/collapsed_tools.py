"""`collapsed_tools`: an assistant's texts, calls and results after one user message become one text.

Calls become `[Used tool: NAME]`, without arguments, results `[Tool result: …]`, truncated. What is left is user →
assistant → user, as people saw it, without tool calls that could lose their results. A turn is collapsed once it has
ended, when the next user message has come: until then the model needs its own calls and their results.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
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
        int,
        Field(
            ge=0,
            le=10_000_000,
            title="Characters of a result",
            description="characters of a tool result that are shown",
        ),
    ] = RESULT_CHARACTERS,
    system_messages: Annotated[
        bool, Field(title="Keep system messages", description="keep system messages, in place", json_schema_extra=FINE)
    ] = True,
) -> list[Message]:
    """Tool calls and results become lines of one assistant message per user message, once the next one has come."""
    shown: list[Message] = []
    turn: list[int] = []
    for message in messages:
        if message.role == "user":
            _add_text_of(turn, shown, characters)
            turn = []
        if message.role in ("assistant", "tool"):
            turn.append(len(shown))
        if message.role != "system" or system_messages:
            shown.append(message)
    return shown


def lines_of(message: Message, characters: int = RESULT_CHARACTERS) -> Iterator[str]:
    """The lines that stand for a message: its text and one per call, or that of a result; none for an empty result."""
    media = " ".join(f"[{name}]" for name in message.media)  # no API takes an image that an assistant sends
    if message.role == "tool":
        if text := " ".join(filter(None, [truncate_text(message.content, characters, CUT), media])):
            yield f"[Tool result: {text}]"
        return
    if message.content or not (message.tool_calls or media):
        yield message.content
    yield from filter(None, [media])
    yield from (f"[Used tool: {call.name}]" for call in message.tool_calls if call.name)


def as_one_message(turn: Sequence[Message], characters: int = RESULT_CHARACTERS) -> Message | None:
    """The assistant message a turn becomes: its only one, if that says it already; None if it would be empty."""
    lines = [line for message in turn for line in lines_of(message, characters)]
    if not lines:
        return None
    text = "\n".join(lines).strip()
    if len(turn) == 1 and turn[0].role == "assistant" and turn[0].content == text:
        return turn[0]
    pinned = any(message.pinned for message in turn)
    return Message("assistant", text, turn[0].id, timestamp=turn[-1].timestamp, pinned=pinned)


def _add_text_of(turn: Sequence[int], shown: list[Message], characters: int) -> None:
    """Put the text of a turn after its last message: from there on it stands for all of them."""
    text = as_one_message([shown[i] for i in turn], characters)
    if text and text.content and text is not shown[turn[0]]:
        shown.insert(turn[-1] + 1, replace(text, replaces=tuple(turn)))
