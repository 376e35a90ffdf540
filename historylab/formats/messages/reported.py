"""Reads one chat message of a file: what can't be read is counted on the report, and the rest is not lost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from historylab.conversation.columns import ROLE_CODES
from historylab.conversation.message import Message, revise
from historylab.errors import LoadError
from historylab.formats.base import NOTHING, Report
from historylab.formats.messages.chat_messages import PLAIN_ROLES, to_message, unread_fields
from historylab.formats.messages.content_parts import MEDIA, THOUGHTS, read_content
from historylab.formats.messages.fields import list_in
from historylab.formats.messages.flat_messages import CONVERSATION_IDS
from historylab.formats.messages.other_shapes import PARTS
from historylab.formats.messages.paths import values_at

KNOWN_PARTS = (*MEDIA, *PARTS)
"""Types of content parts that are media, or another API's calls and results."""

OF_PART = {"type", "text", "id", "index", "cache_control", "citations", "annotations", "extras"}
"""Fields of a content part with text: those read, and those in which nothing is said."""

THOUGHT_FIELDS = ("thinking_blocks", "reasoning_content", "reasoning", "thinking", "tool_plan")
"""Fields beside the content in which other providers of this API return what the model thought; the first counts."""

LABELS_OF_CALL = {"id", "type", "index"}


def read_messages(records: Iterable[tuple[str, Any]], report: Report) -> list[Message]:
    """The messages of located records, without those skipped."""
    messages: list[Message] = []
    plain = 0
    for where, record in records:
        if type(record) is dict and len(record) == 2:  # most messages: nothing to warn of, and nothing to keep
            role, content = record.get("role"), record.get("content")
            if content and type(content) is type(role) is str and role in PLAIN_ROLES:
                plain += 1
                messages.append(Message(PLAIN_ROLES[role], content))
                continue
        if message := read_reported(record, where, report):
            messages.append(message)
    report.records += plain
    return messages


def read_reported(record: Any, where: str, report: Report) -> Message | None:
    """The message; None if it is skipped. Counts the record, and warns of what isn't read of it."""
    said, thinking = _without_thoughts(record, where, report)
    try:
        message = to_message(said, partly=True)
    except LoadError as problem:
        report.skip(str(problem), where)
        return None
    unread = message.metadata.get("unread_parts")
    if unread and not (message.content or message.tool_calls or message.media or message.role == "tool"):
        report.skip(f"{unread[0]}, which can't be read, and nothing else", where)
        return None
    report.records += 1
    for remark in _remarks(message, said):
        report.warn(remark, where)
    metadata = {**message.metadata, "thinking": thinking} if thinking else message.metadata
    return message if said is record else revise(message, source=record, metadata=metadata)


def _without_thoughts(record: Any, where: str, report: Report) -> tuple[Any, str]:
    """The record without what the model thought, and that; the record itself where it holds none."""
    if not isinstance(record, dict):
        return record, ""
    beside = [name for name in THOUGHT_FIELDS if name in record]
    fields = beside and [name for name in beside if isinstance(record[name], str) or _thinking_in(record[name])]
    content = list_in(record, "content")
    parts = content and [part for part in content if _is_thought(part)]
    if not (fields or parts):
        return record, ""
    repeated = {"reasoning_details"} if fields else set()
    said = {name: value for name, value in record.items() if name not in fields and name not in repeated}
    if parts:
        said["content"] = [part for part in content if not _is_thought(part)]
    readable = [part for part in parts if part["type"] != "redacted_thinking"]
    if len(readable) < len(parts):
        report.warn("redacted thinking, which only the provider can read", where)
    thoughts = [thinking_beside(record)] + [read_content([part])[0] for part in readable]
    return said, "\n".join(filter(None, thoughts))


def thinking_beside(record: Mapping[str, Any]) -> str:
    """The thinking that stands beside a message's content; empty if there is none."""
    return next((text for name in THOUGHT_FIELDS if (text := _thinking_in(record.get(name)))), "")


def _thinking_in(given: Any) -> str:
    """A text, or the texts of blocks, as LiteLLM has them."""
    texts = values_at(given, "thinking") if isinstance(given, list) else [given]
    return "\n".join(text for text in texts if isinstance(text, str) and text)


def _is_thought(part: Any) -> bool:
    kind = part.get("type") if isinstance(part, dict) else None
    return isinstance(kind, str) and kind in THOUGHTS and not read_content([part])[2]


def _remarks(message: Message, record: dict[str, Any]) -> Iterator[str]:
    """Warnings about a message that is kept."""
    if message.role not in ROLE_CODES:
        yield f"unknown role {message.role[:40]!r}, kept as conversation"
    if not (message.content or message.tool_calls or message.media):
        yield "empty content"
    for part in message.metadata.get("unread_parts", ()):
        yield f"{part} not read"
    yield from (f"a field {name[:40]!r} not read" for name in _unread(record))
    if record.get("tool_calls") and record.get("function_call"):
        yield "a function_call beside tool_calls not read"
    if any(not call.id for call in message.tool_calls) or (message.role == "tool" and not message.tool_call_id):
        yield "a call or result without an id, paired in order"
    if "timestamp" in message.metadata:
        yield "a timestamp that is no time"


def _unread(record: dict[str, Any]) -> Iterator[str]:
    """The fields of a message, of its content parts and of its calls that say something and aren't read."""
    yield from (name for name in unread_fields(record) if name not in CONVERSATION_IDS)
    content, called = record.get("content"), record.get("function_call")
    calls = record.get("tool_calls") or ([{"function": called}] if called and isinstance(called, dict) else ())
    for part in content if isinstance(content, list) else ():
        if isinstance(part, dict) and "text" in part and part.get("type", "text") not in KNOWN_PARTS:
            yield from (name for name, value in part.items() if name not in OF_PART and value not in NOTHING)
    for call in calls:
        function = call.get("function") or call.get("custom")
        for name, value in call.items():
            is_label = name in LABELS_OF_CALL and not isinstance(value, list | dict)
            if not is_label and name not in ("function", "custom") and value not in NOTHING:
                yield name
        read = ("name", "input" if "custom" in call else "arguments")
        yield from (name for name, value in function.items() if name not in read and value not in NOTHING)
