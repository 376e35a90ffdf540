"""AgentDock: the messages of a chat as its browser keeps them, alone or beside the `chatSettings` of its template.

They are UI messages of the AI SDK's version 4, with contentParts for calls and results and flags for the screen. Tool
messages have the role `data`, for which the AI SDK has a place. `historyPolicy` and `historyLength` are kept as
metadata: they say what was sent, not what was said. Source: AgentDock, agentdock-core/src/types/messages.ts and
src/hooks/use-chat-storage.ts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.formats.base import Report, kind_of
from historylab.formats.files.content import Content
from historylab.formats.frameworks.ai_sdk_parts import to_call
from historylab.formats.frameworks.ai_sdk_ui import read_ui_message
from historylab.formats.messages.chat_messages import iso_time, pair_by_order
from historylab.formats.messages.content_parts import json_text
from historylab.formats.messages.fields import text_in
from historylab.formats.messages.record_groups import Grouping
from historylab.registry import register

FLAGS = {"isStreaming", "isLoading", "isError", "isTyping", "isPending", "isComplete", "showToolCall"}
"""Fields for the screen that shows a message; nothing is said in them."""

OWN = {"contentParts", "isToolMessage", *FLAGS}
SETTINGS = {"chatSettings", "historyPolicy", "historyLength"}
MORE = frozenset({*OWN, "toolCallId", "toolName", "data", "annotations"})
READ_OF_TOOL = {"id", "role", "content", "createdAt"} | MORE
GROUPING = Grouping(("messages",), lambda value: isinstance(value, dict) and "role" in value)


def looks_like_agentdock(content: Content) -> float:
    """0.9 for messages with AgentDock's own fields, or beside its chat settings."""
    for group in GROUPING.groups(content.values, Report()):
        records = [record for _, record in group.records if GROUPING.is_record(record)]
        if records and (SETTINGS & group.beside.keys() or any(OWN & record.keys() for record in records)):
            return 0.9
    return 0


@register(
    "format", title="AgentDock chats", recognise=looks_like_agentdock, marks="contentParts isToolMessage chatSettings"
)
def agentdock(content: Content, report: Report) -> Iterator[Conversation]:
    """Chats of AgentDock, with its chat settings kept beside them."""
    for group in GROUPING.groups(content.values, report):
        messages = [message for where, record in group.records for message in _read(record, where, report)]
        yield group.conversation(pair_by_order(messages), report)


def _read(record: Any, where: str, report: Report) -> list[Message]:
    if isinstance(record, dict) and record.get("role") in ("data", "tool") and _is_tool_message(record):
        report.records += 1
        report.leave(record, READ_OF_TOOL, where)
        return [_tool_message(record)]
    if not isinstance(record, dict) or not isinstance(record.get("contentParts"), list):
        return read_ui_message(record, where, report, MORE)
    plain = [part for part in record["contentParts"] if isinstance(part, dict)]
    for part in record["contentParts"]:
        if not isinstance(part, dict):
            report.warn(f"a part that is {kind_of(part)}, not read", where)
    calls = tuple(to_call(part) for part in plain if part.get("type") == "tool_call")
    results = [_result(part) for part in plain if part.get("type") == "tool_result"]
    kept = [part for part in plain if part.get("type") not in ("tool_call", "tool_result")]
    said = {"parts": kept} if kept and not record.get("parts") else {}
    read = read_ui_message({**record, **said}, where, report, MORE)
    known = {call.id for message in read for call in message.tool_calls}
    more = tuple(call for call in calls if not call.id or call.id not in known)
    answered = {message.tool_call_id for message in read}
    new = [result for result in results if result.tool_call_id not in answered]
    return [replace(m, tool_calls=m.tool_calls + more) if at == 0 else m for at, m in enumerate(read)] + new


def _is_tool_message(record: dict[str, Any]) -> bool:
    return record.get("isToolMessage") is True or isinstance(record.get("toolCallId"), str)


def _tool_message(record: dict[str, Any]) -> Message:
    time = record.get("createdAt")
    return Message(
        "tool",
        json_text(record.get("content")),
        text_in(record, "id"),
        text_in(record, "toolName"),
        tool_call_id=text_in(record, "toolCallId"),
        timestamp=iso_time(time) if time else None,
        metadata={"is_error": True} if record.get("isError") is True else {},
    )


def _result(part: dict[str, Any]) -> Message:
    return Message("tool", json_text(part.get("result")), tool_call_id=text_in(part, "toolCallId"))
