"""Content parts of a chat message: their text, the names of their media, and what can't be read.

Source: the Chat Completions API reference, and what LangChain's `convert_to_openai_messages` makes of other providers'.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from historylab.errors import LoadError
from historylab.formats.base import kind_of
from historylab.formats.messages.other_shapes import PARTS

MEDIA = {
    "image_url": "image",
    "image": "image",
    "input_image": "image",
    "input_audio": "audio",
    "audio": "audio",
    "file": "file",
    "input_file": "file",
    "document": "file",
    "video_url": "file",
}
"""Part type → the name kept in `Message.media`; the data itself stays in `source`."""

THOUGHTS = {"thinking": "thinking", "reasoning": "reasoning", "redacted_thinking": "data"}
"""Type of a part with the model's thoughts → its field. They are read as they are sent: with the message."""


def read_content(content: Iterable[Any]) -> tuple[str, tuple[str, ...], list[str]]:
    """The text of the parts (joined by newlines), the names of their media, and what each unread part is."""
    texts: list[str] = []
    media: list[str] = []
    unread: list[str] = []
    for part in content:
        if isinstance(part, str):
            texts.append(part)
            continue
        try:
            fields = mapping_of(part)
        except LoadError as problem:
            unread.append(f"a part that is {problem}")
            continue
        kind = fields.get("type", "text")
        text = _text_of(fields, kind) if isinstance(kind, str) else None
        document = fields.get("document")
        if isinstance(document, Mapping) and "data" in document:  # Cohere's
            texts.append(json_text(document["data"]))
        elif isinstance(kind, str) and kind in MEDIA:
            media.append(MEDIA[kind])
        elif text is not None:
            texts.append(text)
        else:
            unread.append(_name_of(fields, kind))
    return "\n".join(texts), tuple(media), unread


def medium_of(mime: object) -> str:
    """The name of a medium of this media type ("image/png")."""
    kind = mime.partition("/")[0] if isinstance(mime, str) else ""
    return kind if kind in ("image", "audio") else "file"


def json_text(value: Any) -> str:
    """A text as it is, null as nothing, and any other value as JSON without whitespace."""
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


def spaced_json(value: Any, none: str = "") -> str:
    """A text as it is, null as `none`, and any other value as JSON with spaces, as most programs write it."""
    if isinstance(value, str):
        return value
    return none if value is None else json.dumps(value, ensure_ascii=False)


def mapping_of(given: Any) -> Mapping[str, Any]:
    """The fields of a mapping or of an SDK object. Raises LoadError for anything else."""
    if isinstance(given, Mapping):
        return given
    dump = getattr(given, "model_dump", None)
    fields = dump() if callable(dump) else None
    if isinstance(fields, Mapping):
        return fields
    raise LoadError(f"{kind_of(given)}, not an object")


def _text_of(part: Mapping[str, Any], kind: str) -> str | None:
    """The text of a part that has one; None for any other, and for calls and results of other APIs."""
    if kind in PARTS:
        return None
    found = part.get("refusal" if kind == "refusal" else THOUGHTS.get(kind, "text"), part.get("text"))
    summary = part.get("summary") if kind == "reasoning" else None
    if found is None and isinstance(summary, list | tuple):
        text, _, unread = read_content(summary)
        return None if unread else text
    return found if isinstance(found, str) else None


def _name_of(part: Mapping[Any, Any], kind: Any) -> str:
    if "type" not in part:
        return f"a part without a type ({', '.join(map(str, part))[:40]})"
    return f"a part of type {kind[:40]!r}" if isinstance(kind, str) else f"a part whose type is {kind_of(kind)}"
