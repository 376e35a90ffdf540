"""Converts one Chat Completions message to a Message and back, as `trim()` does on every request.

Accepts dicts and other mappings, and the SDK's own objects (anything with `model_dump()`), whole or inside
`tool_calls`. The given object is kept in `Message.source`. What can't be read is an error, never left out: a message is
read whole or not at all. Source: the Chat Completions API reference, messages.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from historylab.conversation.message import Message, ToolCall, instant
from historylab.errors import LoadError
from historylab.formats.base import NOTHING, kind_of
from historylab.formats.messages.content_parts import mapping_of, read_content
from historylab.formats.messages.kept_records import parts_beside
from historylab.formats.messages.other_shapes import CALL_FIELDS, INSTEAD, shape_of

READ = frozenset(
    {"role", "content", "id", "name", "tool_calls", "tool_call_id", "function_call", "refusal", "audio"}
    | {"timestamp", "created_at"}
)
"""Fields of a message that are read."""

PLAIN_ROLES = {"system": "system", "user": "user", "assistant": "assistant"}
"""Roles of messages that are mostly text alone, each as one text for all messages."""

PARTS = frozenset({"text", "image_url", "input_audio", "file"})
"""Types of content parts that the API takes."""

RENAMED_ROLES = {"developer": "system", "function": "tool"}
"""Roles of the API that mean one of ours; the original stays in `metadata["role"]`."""


def to_messages(records: Iterable[Any], first: int = 0) -> list[Message]:
    """Read chat messages in order, numbered from `first`. Raises LoadError naming the first invalid one.

    Calls and results without ids (as in the API before tools) are paired in order, by function name.
    """
    if isinstance(records, str | bytes | Mapping) or not isinstance(records, Iterable):
        raise LoadError(f"{kind_of(records)} was given where a list of messages is meant")
    messages: list[Message] = []
    for number, record in enumerate(records, first):
        try:
            messages.append(to_message(record))
        except LoadError as problem:
            raise LoadError(f"message {number} of those given: {problem}; {advice_on(record)}") from None
    return pair_by_order(messages)


def to_message(record: Any, *, partly: bool = False) -> Message:
    """Read one chat message. Calls and results without an id keep an empty one: only `to_messages` can pair them.

    Raises LoadError naming the fault briefly, so that equal faults can be counted together. `partly`: content parts
    that can't be read are named in `metadata["unread_parts"]` instead, for callers who report them.
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
        content, media = _content(content, metadata, partly)
    if given.get("refusal"):
        metadata["refusal"] = _text(given, "refusal")
        content = "\n".join(filter(None, (content, metadata["refusal"])))
    if audio := given.get("audio"):
        media += ("audio",)
        said = None if isinstance(audio, str) else _text(mapping_of(audio), "transcript")
        content = "\n".join(filter(None, (content, said)))
    if not partly or not (content or media):
        _refuse_other_fields(given)
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


def chat_parts(message: Message) -> list[Any] | None:
    """The parts it was read from, if they hold its media as this API takes them; else None."""
    given = parts_beside(message, "content")
    theirs = given and all(isinstance(part, Mapping) and part.get("type") in PARTS for part in given)
    return given if theirs and read_content(given) == (message.content, message.media, []) else None


def sort_by_time(messages: list[Message]) -> list[Message]:
    """Sorted by time; in file order if one has none."""
    times = [instant(message.timestamp) for message in messages]
    if any(map(math.isnan, times)):
        return messages
    return [messages[i] for i in sorted(range(len(messages)), key=times.__getitem__)]


UNNAMED = "unnamed-"
"""The beginning of the ids that are given to calls without any."""


def pair_by_order(messages: list[Message], first: int = 0) -> list[Message]:
    """Give calls and results without ids matching ids: each result answers the oldest open call of its name.

    Calls with an id are open to a result of their name, and a single one to any without a name, until the next message
    that calls: some SDKs leave its id out.
    The ids given hold the call's number in the list, of which the first message given is number `first`.
    """
    asking = [m for m in messages if m.tool_calls or m.role == "tool"]
    if not any((m.role == "tool" and not m.tool_call_id) or any(not c.id for c in m.tool_calls) for m in asking):
        return messages
    waiting: list[ToolCall] = []
    paired = []
    for i, message in enumerate(messages):
        if message.tool_calls:
            calls = tuple(
                call if call.id else replace(call, id=f"{UNNAMED}{first + i}-{k}")
                for k, call in enumerate(message.tool_calls)
            )
            waiting = [*(call for call in waiting if call.id.startswith(UNNAMED)), *calls]
            message = replace(message, tool_calls=calls) if calls != message.tool_calls else message  # noqa: PLW2901
        elif message.role == "tool" and message.tool_call_id:
            waiting = [call for call in waiting if call.id != message.tool_call_id]
        elif message.role == "tool":
            unnamed = message.name is None
            call = next((c for c in waiting if (c.id.startswith(UNNAMED) if unnamed else c.name == message.name)), None)
            if call := call or (waiting[0] if unnamed and len(waiting) == 1 else None):
                waiting.remove(call)
                message = replace(message, tool_call_id=call.id)  # noqa: PLW2901
        paired.append(message)
    return paired


def _text(given: Mapping[str, Any], key: str) -> str | None:
    value = given.get(key)
    if value is None or type(value) is str:
        return value
    if isinstance(value, str):  # an enum of strings, say: its plain value
        return str.__str__(value)
    if type(value) is int and key != "role":
        return str(value)
    raise LoadError(f"{key} is {kind_of(value)}, not text")


def unread_fields(given: Mapping[Any, Any]) -> list[str]:
    """The fields of a message that say something and aren't read."""
    return [str(field) for field, value in given.items() if field not in READ and value not in NOTHING]


def _refuse_other_fields(given: Mapping[Any, Any]) -> None:
    """Raise LoadError if other fields than Chat Completions' hold what the message says or calls."""
    if not CALL_FIELDS.keys().isdisjoint(given) and (found := [field for field in CALL_FIELDS if given.get(field)]):
        raise LoadError(f"a field {found[0]!r} that can't be read")
    if "content" not in given and not any(map(given.get, ("tool_calls", "function_call", "refusal", "audio"))):
        fields = ", ".join(field[:40] for field in unread_fields(given)[:4])
        if fields:
            raise LoadError(f"no content, only fields that can't be read ({fields})")


def advice_on(record: Any) -> str:
    """Advice on a message that can't be read, by its looks."""
    try:
        shape = shape_of(record if isinstance(record, Mapping) else mapping_of(record))
    except LoadError:
        shape = ""
    if shape:
        return f"it looks like {shape}; give it as OpenAI Chat Completions has it: {INSTEAD}"
    return "a message looks like {'role': 'user', 'content': '…'}"


def _content(content: Any, metadata: dict[str, Any], partly: bool) -> tuple[str, tuple[str, ...]]:
    """Text and media names of a content that is not a plain string."""
    if content is None:
        return "", ()
    if isinstance(content, str):
        return str.__str__(content), ()
    if not isinstance(content, list | tuple):
        raise LoadError(f"content is {kind_of(content)}, not text, a list of parts or null")
    text, media, unread = read_content(content)
    if unread and not partly:
        raise LoadError(f"{unread[0]} can't be read")
    if unread:
        metadata["unread_parts"] = unread
    return text, media


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
    if raw is None:
        return None
    if isinstance(raw, datetime):
        return raw.isoformat()
    try:
        if isinstance(raw, str) and len(raw) == 8 and raw.isdecimal():  # 20260101
            return datetime.fromisoformat(raw).isoformat()
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
