"""Content blocks of Anthropic's Messages API and of logs of it: text, media, calls, usage.

Source: the Messages API reference, content blocks and usage.
"""

from __future__ import annotations

import json
from typing import Any

from historylab.conversation.message import ToolCall
from historylab.formats.base import kind_of
from historylab.formats.content_parts import MEDIA

USAGE = {
    "input": "input_tokens",
    "output": "output_tokens",
    "cache_reads": "cache_read_input_tokens",
    "cache_writes": "cache_creation_input_tokens",
}
"""Field of `Usage` → the API's field."""


def read_parts(content: str | list[Any]) -> tuple[str, tuple[str, ...], list[dict[str, Any]]]:
    """A content's text (texts joined by newlines), the names of its media, and its other parts."""
    if isinstance(content, str):
        return content, (), []
    texts: list[str] = []
    media: list[str] = []
    rest: list[dict[str, Any]] = []
    for part in content:
        block = {"type": "text", "text": part} if isinstance(part, str) else part
        if not isinstance(block, dict):
            block = {"type": kind_of(block)}
        kind = block.get("type")
        if kind == "text" and isinstance(block.get("text"), str):
            texts.append(block["text"])
        elif isinstance(kind, str) and kind in MEDIA:
            media.append(MEDIA[kind])
        else:
            rest.append(block)
    return "\n".join(filter(None, texts)), tuple(media), rest


def to_call(part: dict[str, Any]) -> ToolCall:
    """A `tool_use` block as a call; its input becomes JSON text."""
    name, given, chosen = part.get("name"), part.get("input"), part.get("id")
    arguments = given if isinstance(given, str) else json.dumps({} if given is None else given, ensure_ascii=False)
    return ToolCall(chosen if isinstance(chosen, str) else "", name if isinstance(name, str) else "", arguments)


def to_usage(given: Any) -> dict[str, int] | None:
    """Tokens as the provider reported them, by field of `Usage`; None if it reported none."""
    if not isinstance(given, dict):
        return None
    counts = {ours: n if type(n := given.get(theirs)) is int and n > 0 else 0 for ours, theirs in USAGE.items()}
    return counts if any(counts.values()) else None
