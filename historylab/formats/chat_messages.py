"""Converts one Chat Completions message to a Message and back, as `trim()` does on every request.

Accepts dicts and other mappings, and the SDK's own objects (anything with `model_dump()`), whole or inside
`tool_calls`. The given object is kept in `Message.source`. Source: the Chat Completions API reference, messages.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from historylab.conversation.message import Message, ToolCall
from historylab.errors import LoadError
from historylab.formats.base import kind_of

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

PLAIN_ROLES = frozenset({"system", "user", "assistant"})
RENAMED_ROLES = {"developer": "system", "function": "tool"}
"""Roles of the API that mean one of ours; the original stays in `metadata["role"]`."""


def to_messages(records: Iterable[Any]) -> list[Message]:
    """Read chat messages in order. Raises LoadError naming the first invalid one, and what was found there.

    Calls and results without ids (as in the API before tools) are paired in order, by function name.
    """
    if isinstance(records, str | bytes | Mapping) or not isinstance(records, Iterable):
        raise LoadError(f"{kind_of(records)} was given where a list of messages is meant")
    messages: list[Message] = []
    try:
        for record in records:
            messages.append(to_message(record))
    except LoadError as problem:
        example = "{'role': 'user', 'content': '…'}"
        raise LoadError(f"message {len(messages)} of those given: {problem}; a message looks like {example}") from None
    return pair_by_order(messages)


def to_message(record: Any) -> Message:
    """Read one chat message. Calls and results without an id keep an empty one: only `to_messages` can pair them.

    Raises LoadError naming the fault briefly, so that equal faults can be counted together.
    """
    given = record if type(record) is dict else mapping_of(record)
    role, content = given.get("role"), given.get("content")
    if len(given) == 2 and type(content) is type(role) is str and role in PLAIN_ROLES:  # most messages: a fast path
        return Message(role, content, source=record)
    if not (role := role if type(role) is str else _text(given, "role")):
        raise LoadError("no role")
    metadata: dict[str, Any] = {}
    media: tuple[str, ...] = ()
    if type(content) is not str:
        content, media = _content(content, metadata)
    if not content and given.get("refusal"):
        content = metadata["refusal"] = _text(given, "refusal") or ""
    if role in RENAMED_ROLES:
        metadata["role"] = role
        role = RENAMED_ROLES[role]
    calls = given.get("tool_calls") or given.get("function_call")
    return Message(
        role,
        content,
        _text(given, "id"),
        _text(given, "name"),
        _calls(given, metadata) if calls else (),
        _text(given, "tool_call_id"),
        media,
        _timestamp(given, metadata),
        False,
        metadata,
        record,
    )


def to_record(message: Message) -> dict[str, Any]:
    """A new chat message (a dict the API accepts) for a Message without a source, such as a summary.

    Media, whose data is not held, become a word in brackets.
    """
    role = message.metadata.get("role", message.role)
    content = "\n".join(filter(None, (message.content, *(f"[{name}]" for name in message.media))))
    record: dict[str, Any] = {"role": role if RENAMED_ROLES.get(role) == "system" else message.role}
    record["content"] = None if message.tool_calls and not content else content
    if message.name:
        record["name"] = message.name
    if message.tool_calls:
        record["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in message.tool_calls
        ]
    if message.tool_call_id is not None:
        record["tool_call_id"] = message.tool_call_id
    return record


def pair_by_order(messages: list[Message]) -> list[Message]:
    """Give calls and results without ids matching ids: each result answers the oldest open call of its name."""
    if not any((m.role == "tool" and not m.tool_call_id) or any(not c.id for c in m.tool_calls) for m in messages):
        return messages
    waiting: list[ToolCall] = []
    paired = []
    for i, message in enumerate(messages):
        if any(not call.id for call in message.tool_calls):
            calls = tuple(
                call if call.id else replace(call, id=f"unnamed-{i}-{k}") for k, call in enumerate(message.tool_calls)
            )
            waiting += [new for new, old in zip(calls, message.tool_calls, strict=True) if not old.id]
            message = replace(message, tool_calls=calls)  # noqa: PLW2901
        elif message.role == "tool" and not message.tool_call_id:
            call = next((c for c in waiting if message.name in (None, c.name)), None)
            if call:
                waiting.remove(call)
                message = replace(message, tool_call_id=call.id)  # noqa: PLW2901
        paired.append(message)
    return paired


def mapping_of(given: Any) -> Mapping[str, Any]:
    """The fields of a mapping or of an SDK object. Raises LoadError for anything else."""
    if isinstance(given, Mapping):
        return given
    dump = getattr(given, "model_dump", None)
    fields = dump() if callable(dump) else None
    if isinstance(fields, Mapping):
        return fields
    raise LoadError(f"{kind_of(given)}, not an object")


def _text(given: Mapping[str, Any], key: str) -> str | None:
    value = given.get(key)
    if value is None or type(value) is str:
        return value
    if isinstance(value, str):  # an enum of strings, say: its plain value
        return str.__str__(value)
    if type(value) is int and key != "role":
        return str(value)
    raise LoadError(f"{key} is {kind_of(value)}, not text")


def _content(content: Any, metadata: dict[str, Any]) -> tuple[str, tuple[str, ...]]:
    """Text and media names of a content that is not a plain string."""
    if content is None:
        return "", ()
    if isinstance(content, str):
        return str.__str__(content), ()
    if not isinstance(content, list | tuple):
        raise LoadError(f"content is {kind_of(content)}, not text, a list of parts or null")
    texts, media, unread = [], [], []
    for part in content:
        fields = {"text": part} if isinstance(part, str) else mapping_of(part)
        kind = fields.get("type", "text")
        text = fields.get("refusal" if kind == "refusal" else "text")
        if isinstance(kind, str) and kind in MEDIA:
            media.append(MEDIA[kind])
        elif isinstance(text, str):
            texts.append(text)
        else:
            unread.append(str(kind))
    if unread:
        metadata["unread_parts"] = unread
    return "\n".join(texts), tuple(media)


def _calls(given: Mapping[str, Any], metadata: dict[str, Any]) -> tuple[ToolCall, ...]:
    calls = given.get("tool_calls")
    if not calls:
        metadata["function_call"] = True
        return (_call({"function": given["function_call"]}),)
    if not isinstance(calls, list | tuple):
        raise LoadError(f"tool_calls is {kind_of(calls)}, not a list")
    return tuple([_call(call) for call in calls])


def _call(call: Any) -> ToolCall:
    call = call if type(call) is dict else mapping_of(call)
    function = call.get("function") or call.get("custom")
    if function is None:
        raise LoadError("a tool call without a function")
    function = function if type(function) is dict else mapping_of(function)
    arguments = function["input"] if "input" in function and "custom" in call else function.get("arguments")
    if type(arguments) is not str:
        arguments = "" if arguments is None else json.dumps(arguments, ensure_ascii=False, default=str)
    return ToolCall(_text(call, "id") or "", _text(function, "name") or "", arguments)


def _timestamp(given: Mapping[str, Any], metadata: dict[str, Any]) -> str | None:
    raw = given.get("timestamp")
    if raw is None:
        raw = given.get("created_at")
        if raw is None:
            return None
    if (moment := iso_time(raw)) is None:
        metadata["timestamp"] = raw
    return moment


def iso_time(raw: Any) -> str | None:
    """ISO 8601 text of an ISO text (unchanged) or of an epoch in seconds, milli- or microseconds (UTC); else None."""
    if isinstance(raw, datetime):
        return raw.isoformat()
    try:
        if isinstance(raw, str) and not raw.replace(".", "", 1).isdecimal():
            datetime.fromisoformat(raw)
            return raw
        seconds = math.nan if isinstance(raw, bool) else float(raw)
        for _ in range(2):
            if abs(seconds) >= 1e11:  # the year 5138 in seconds: larger numbers are finer units
                seconds /= 1000
        return datetime.fromtimestamp(seconds, UTC).isoformat()
    except (TypeError, ValueError, OverflowError, OSError):
        return None
