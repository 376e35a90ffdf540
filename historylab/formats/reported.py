"""Reads one chat message of a file: what can't be read is counted on the report, and the rest is not lost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from historylab.conversation.columns import ROLE_CODES
from historylab.conversation.message import Message
from historylab.errors import LoadError
from historylab.formats.base import NOTHING, Report
from historylab.formats.chat_messages import to_message, unread_fields
from historylab.formats.content_parts import MEDIA
from historylab.formats.flat_messages import CONVERSATION_IDS
from historylab.formats.other_shapes import PARTS

OF_PART = {"type", "text", "id", "index", "cache_control", "citations", "annotations", "extras"}
"""Fields of a content part with text: those read, and those in which nothing is said."""

LABELS_OF_CALL = {"id", "type", "index"}


def read_reported(record: Any, where: str, report: Report) -> Message | None:
    """The message; None if it is skipped. Counts the record, and warns of what isn't read of it."""
    try:
        message = to_message(record, partly=True)
    except LoadError as problem:
        report.skip(str(problem), where)
        return None
    unread = message.metadata.get("unread_parts")
    if unread and not (message.content or message.tool_calls or message.media or message.role == "tool"):
        report.skip(f"{unread[0]}, which can't be read, and nothing else", where)
        return None
    report.records += 1
    for remark in _remarks(message, record):
        report.warn(remark, where)
    return message


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
        if isinstance(part, dict) and "text" in part and part.get("type", "text") not in (*MEDIA, *PARTS):
            yield from (name for name, value in part.items() if name not in OF_PART and value not in NOTHING)
    for call in calls:
        function = call.get("function") or call.get("custom")
        labels = {name for name in LABELS_OF_CALL if not isinstance(call.get(name), list | dict)}
        arguments = {"name", "input" if "custom" in call else "arguments"}
        for fields, read in ((call, {*labels, "function", "custom"}), (function, arguments)):
            yield from (name for name, value in fields.items() if name not in read and value not in NOTHING)
