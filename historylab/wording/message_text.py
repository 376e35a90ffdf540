"""A message as text: who speaks, one line of it, and all of it with its tool calls and media."""

from __future__ import annotations

from historylab.conversation.message import Message, known_size
from historylab.wording.untrusted import one_line

PREVIEW = 160  # characters of a message on one line


def speaker(message: Message, width: int = 60) -> str:
    """The message's role and name, at most `width` characters."""
    return one_line(" ".join(filter(None, (message.role, message.name))), width)


def preview(message: Message) -> str:
    """A message on one line: its text, then the calls it makes and the media it carries."""
    calls = " ".join(f"→ {call.name}({call.arguments[:PREVIEW]})" for call in message.tool_calls)
    media = " ".join(f"[{name}]" for name in message.media)
    said = " ".join(filter(None, (message.content[: PREVIEW * 4], calls, media)))
    return one_line(said or left_out(message), PREVIEW)


def full_text(message: Message) -> str:
    """A message's text, its tool calls with their raw arguments, and its media by name."""
    calls = [f"→ {call.name}({call.arguments})" for call in message.tool_calls]
    said = "\n".join(filter(None, [message.content, *calls, *(f"[{name}]" for name in message.media)]))
    return said or left_out(message) or "(empty)"


def left_out(message: Message) -> str:
    """ "(text not in the file: 1,234 tokens)": a message of which only the size is known; else empty."""
    size = known_size(message)
    return "" if size is None else f"(text not in the file: {size:,} tokens)"


def unsent_thinking(message: Message) -> str:
    """The model's thinking before this answer, unless the message itself says it again."""
    thought = message.metadata.get("thinking")
    return thought if isinstance(thought, str) and thought and not message.content.startswith(thought) else ""
