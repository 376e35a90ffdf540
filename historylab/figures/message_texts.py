"""The messages' texts for the list in the browser: a line of each, and for the chat what begins it; deflated JSON.

They depend on the conversation and the counter alone, so that they are sent once and not again with every setting.
Every text is safe to show as text: what can't be seen in it is replaced.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.counters.base import is_guessed
from historylab.figures.packing import deflate
from historylab.wording.message_text import left_out, preview, unsent_thinking
from historylab.wording.untrusted import multiline, one_line

TEXT, LINES = 700, 12  # characters and lines shown of a message
RESULT, RESULT_LINES = 280, 4  # of a tool's result
CALL = 160  # characters of a call's arguments
KINDS = ("system", "user", "assistant", "tool")

Part = tuple[str, str, int]
"""A part of a bubble: "text", "call", "note" or "thought", its beginning, and how many characters are hidden."""


def pack_lines(conversation: Conversation, tokens: np.ndarray) -> bytes:
    """A line of every message, and what stands beside it. `tokens` (int64) is what each takes."""
    return deflate({**conversation.remember("list lines", lambda: _lines(conversation)), "tokens": tokens.tolist()})


def pack_bubbles(conversation: Conversation) -> bytes:
    """The parts of every message's bubble."""
    return deflate([_parts(message) for message in conversation])


def beginning(message: Message, text: str) -> tuple[str, int]:
    """As much of the text as its bubble shows, and how many characters are hidden."""
    return _clip(text, *((RESULT, RESULT_LINES) if message.role == "tool" else (TEXT, LINES)))


def _lines(conversation: Conversation) -> dict[str, list[Any]]:
    return {
        "kinds": [m.role if m.role in KINDS else "other" for m in conversation],
        "roles": [one_line(m.role, 30) for m in conversation],
        "names": [one_line(m.name or "", 40) for m in conversation],
        "texts": [preview(m) for m in conversation],
        "media": [i for i, m in enumerate(conversation) if is_guessed(m)],
    }


def _parts(message: Message) -> list[Part]:
    said: list[Part] = [("text", *beginning(message, message.content))] if message.content else []
    for call in message.tool_calls:
        arguments = one_line(call.arguments, CALL)
        said.append(("call", f"→ {one_line(call.name, 60)}({arguments})", max(0, len(call.arguments) - CALL)))
    said += [("note", f"[{one_line(media, 20)}]", 0) for media in message.media]
    thought = unsent_thinking(message)
    before: list[Part] = [("thought", *_clip(thought, TEXT, LINES))] if thought else []
    return before + (said or [("note", left_out(message) or "(empty)", 0)])


def _clip(text: str, most: int, lines: int) -> tuple[str, int]:
    ends = [at for at, character in enumerate(text[:most]) if character == "\n"]
    length = ends[lines - 1] if len(ends) >= lines else most
    return multiline(text[:length], length), max(0, len(text) - length)
