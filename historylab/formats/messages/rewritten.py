"""Messages written anew: their images, sound and files travel, and nothing nested is shared with the caller.

Where the data of any of them is not held there is no `source`, so that the message says in words what it held.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from historylab.conversation.message import Message
from historylab.errors import LoadError
from historylab.formats.messages.content_parts import MEDIA, mapping_of
from historylab.formats.messages.excerpt import Excerpt


def with_text(message: Message, text: str, *, media: bool = True) -> Message:
    """The message with another text, or with the text alone; all other fields the caller gave stay."""
    fields = _fields(message)
    content = _content(fields.get("content"), text) if media else text
    source = {**_without_texts(copy_nested(fields)), "content": content} if fields else None
    if source and isinstance(message.source, Excerpt):
        source = message.source.rewritten(source)
    return replace(message, content=text, media=message.media if media else (), source=source)


def is_flat(source: Any) -> bool:
    """Whether a message's source is a dict with nothing nested, as that of most tool results is."""
    return type(source) is dict and all(type(value) is str for value in source.values())


def _without_texts(fields: dict[str, Any]) -> dict[str, Any]:
    """Without what stands beside the content and was read as the message's text: it would be sent twice."""
    fields.pop("refusal", None)
    if isinstance(fields.get("audio"), dict):
        fields["audio"].pop("transcript", None)
    return fields


def in_role(message: Message, role: str, text: str, **changes: Any) -> Message:
    """The message as somebody else says it: text and media, and no other field of the caller's."""
    content = _fields(message).get("content")
    held = message.media and len(message.media) == sum(map(_is_media, _parts(content)))
    source = {"role": role, "content": _content(content, text)} if held else None
    return replace(message, role=role, content=text, source=source, **changes)


def in_one(role: str, text: str, messages: Iterable[Message]) -> Message:
    """One message with the media of several, whose texts it holds already."""
    several = list(messages)
    parts = [copy_nested(part) for m in several for part in _parts(_fields(m).get("content")) if _is_media(part)]
    media = tuple(name for m in several for name in m.media)
    held = media and len(media) == len(parts)
    return Message(role, text, media=media, source={"role": role, "content": [_text(text), *parts]} if held else None)


def copy_nested(given: Any) -> Any:
    """A copy of nested dicts and lists; what else stands in them, a framework's object say, stays itself."""
    if isinstance(given, Mapping):
        return {key: copy_nested(value) for key, value in given.items()}
    if isinstance(given, list | tuple):
        return type(given)(map(copy_nested, given)) if type(given) in (list, tuple) else given
    return given


def _fields(message: Message) -> Mapping[str, Any]:
    """The fields of the caller's message that say anything; empty where they are not known."""
    if isinstance(message.source, Mapping) or message.source is None:
        return message.source or {}
    try:
        return {name: value for name, value in mapping_of(message.source).items() if value is not None}
    except LoadError:
        return {}


def _content(given: Any, text: str) -> Any:
    """The text in the place of the first one given, and the media around it."""
    parts = _parts(given)
    if not any(map(_is_media, parts)):
        return text
    first = next((k for k, part in enumerate(parts) if not _is_media(part)), 0)
    media = [(k, copy_nested(part)) for k, part in enumerate(parts) if _is_media(part)]
    before, after = ([part for k, part in media if (k < first) is early] for early in (True, False))
    return [*before, *([_text(text)] if text else []), *after]


def _parts(content: Any) -> list[Any]:
    return list(content) if isinstance(content, list | tuple) else []


def _is_media(part: Any) -> bool:
    kind = part.get("type") if isinstance(part, Mapping) else getattr(part, "type", None)
    return isinstance(kind, str) and kind in MEDIA


def _text(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}
