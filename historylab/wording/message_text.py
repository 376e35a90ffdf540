"""A message as text: who speaks, one line of it, and all of it with its tool calls and media."""

from __future__ import annotations

import re

from historylab.conversation.injected import without_frames
from historylab.conversation.message import REFERENCES, Message, known_size
from historylab.wording.untrusted import one_line

PREVIEW = 160  # characters of a message on one line
LOOK_AT = 8_000  # characters of a message looked at for them: what an app wraps around a prompt may be long
ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
"""What a terminal takes for colours and titles."""
TYPED = re.compile(r"<(command-name|command-args|bash-input)>(.*?)(?:</\1>|\Z)", re.DOTALL)
"""The tags that coding agents wrap around a command that was typed."""
TAGS = re.compile(r"</?[a-z]+[-_][a-z_-]+>")


def speaker(message: Message, width: int = 60) -> str:
    """The message's role and name, at most `width` characters: "user, injected" where no person wrote it."""
    role = f"{message.role}, injected" if message.injected else message.role
    return one_line(" ".join(filter(None, (role, message.name))), width)


def preview(message: Message) -> str:
    """A message on one line: its text, then the calls it makes and the media it carries."""
    calls = " ".join(f"→ {call.name}({call.arguments[:PREVIEW]})" for call in message.tool_calls)
    media = " ".join(f"[{name}]" for name in message.media)
    said = " ".join(filter(None, (_shown_text(message.content[:LOOK_AT])[: PREVIEW * 4], calls, media)))
    return one_line(said or left_out(message), PREVIEW)


def own_words(message: Message) -> str:
    """What was said in a message, of its first thousands of characters: "" where an app wrote all of them."""
    text = without_escapes(message.content[:LOOK_AT])
    return "" if message.injected else without_frames(TYPED.sub("", text)).strip()


def _shown_text(text: str) -> str:
    """The text without escapes and wrappers; where nothing else is in it, the command typed, or what was wrapped."""
    text = without_escapes(text)
    typed = without_frames(TYPED.sub(lambda found: f" {found[2]} ", text))
    return typed.strip() or TAGS.sub("", text).strip()


def without_escapes(text: str) -> str:
    """The text without the colours and titles of a terminal."""
    return ESCAPES.sub("", text) if "\x1b" in text else text


def full_text(message: Message) -> str:
    """A message's text without a terminal's escapes, its tool calls with their raw arguments, and its media by name."""
    calls = [f"→ {call.name}({call.arguments})" for call in message.tool_calls]
    said = "\n".join(filter(None, [message.content, *calls, *(f"[{name}]" for name in message.media)]))
    return without_escapes(said) or left_out(message) or "(empty)"


def left_out(message: Message) -> str:
    """ "(text not in the file: 1,234 tokens)": a message whose text isn't known, its size if that is; else empty."""
    if REFERENCES in message.metadata:
        return "(kept by the provider: neither text nor size is known)"
    size = known_size(message)
    return "" if size is None else f"(text not in the file: {size:,} tokens)"


def unsent_thinking(message: Message) -> str:
    """The model's thinking before this answer, unless the message itself says it again."""
    thought = message.metadata.get("thinking")
    return thought if isinstance(thought, str) and thought and not message.content.startswith(thought) else ""
