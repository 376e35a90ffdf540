"""Contents of Google's API as messages of ours: each result, each summary of ours, and what is said around them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from historylab.conversation.message import Message
from historylab.errors import LoadError
from historylab.formats.base import kind_of
from historylab.formats.messages.chat_messages import pair_by_order
from historylab.formats.messages.content_parts import medium_of
from historylab.formats.messages.excerpt import Excerpt
from historylab.formats.messages.gemini_contents import (
    DATA,
    RESULTS,
    add_part,
    is_result_part,
    part_runs,
    read_part_run,
    role_in,
)
from historylab.formats.messages.summary_marks import mark_summary
from historylab.formats.requests.form import STRICT, call_records, fields_of

ROLES = ("user", "model", "function", "tool")
Part = dict[str, Any]


def is_models(item: Any) -> bool:
    """Tell whether a model gave a content."""
    try:
        fields = fields_of(item)
        return role_in({**fields, "parts": parts_in(fields)}) == "model"
    except LoadError:
        return False


def parts_in(content: Mapping[str, Any]) -> list[Any]:
    """The parts of a content; the API takes one in place of a list of it."""
    parts = content.get("parts")
    if isinstance(parts, Mapping):
        return [parts]
    if not isinstance(parts, list | tuple | None):
        raise LoadError(f"parts are {kind_of(parts)}, not a list of parts")
    return list(parts or ())


def as_part(given: Any) -> Part:
    """A part as dicts."""
    if isinstance(given, str):
        return {"text": given}
    part = fields_of(given)
    return {name: fields_of(held) if hasattr(held, "model_dump") else held for name, held in part.items()}


def turn_in(items: Sequence[Any]) -> tuple[str, list[Part]]:
    """The role and the parts of a content; of several that a model gave in a row the texts go on, as in a stream."""
    parts: list[Part] = []
    role = ""
    for item in items:
        content = fields_of(item)
        held = [as_part(part) for part in parts_in(content)]
        role = role or role_in({**content, "parts": held})
        for part in held if len(items) > 1 else ():
            add_part(parts, part)
        parts = parts if len(items) > 1 else held
    if role not in ROLES:
        raise LoadError(f"a role {role[:40]!r}, which this API doesn't have")
    return role, parts


def messages_in_contents(items: Sequence[Any]) -> list[Message]:
    """The messages of a content, or of several that a model gave in a row."""
    role, parts = turn_in(items)
    runs = part_runs(role, parts)
    return [_message_of(tuple(items), role, run, place, len(runs)) for place, run in enumerate(runs)]


def contents_as_sent(content: Any) -> list[Message]:
    """The messages of a content, a summary with its mark."""
    found = pair_by_order(messages_in_contents([content]))
    return [replace(m, content=mark_summary(m.content)) if m.role == "system" else m for m in found]


def _message_of(items: tuple[Any, ...], role: str, run: list[Part], place: int, of: int) -> Message:
    message = read_part_run(role, run, "", STRICT)
    fields: dict[str, Any] = {"role": message.role}
    if message.role == "tool":
        fields["tool_call_id"] = message.tool_call_id
        held: Part = next((run[0][name] for name in RESULTS if run and run[0].get(name)), {})
        inner = held.get("parts")
        fields["content"] = _with_media(message, [as_part(part) for part in inner] if inner else [])
    else:
        fields["content"] = _with_media(message, run)
    if message.tool_calls:
        fields["tool_calls"] = call_records(message)
    return replace(message, source=Excerpt(fields, items, place, of))


def _with_media(message: Message, run: list[Part]) -> str | list[Part]:
    """The text of a message, or a text and its media, whose parts are given the type they have in other APIs."""
    media = [{"type": kind, **part} for part in run if (kind := medium_in_part(part))]
    return (
        [*([{"type": "text", "text": message.content}] if message.content else []), *media]
        if media
        else message.content
    )


def medium_in_part(part: Part) -> str:
    """The name of the medium that a part is; empty for any other."""
    held = next((part[name] for name in DATA if isinstance(part.get(name), Mapping)), None)
    return "" if held is None else medium_of(held.get("mimeType", held.get("mime_type")))


def stands_apart(part: Part) -> bool:
    """Tell whether it is a thought, a call, a result: nothing that is said in words or media."""
    return (
        part.get("thought") is True
        or not (isinstance(part.get("text"), str) or medium_in_part(part))
        or is_result_part(part)
    )
