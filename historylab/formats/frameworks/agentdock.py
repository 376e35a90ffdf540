"""AgentDock: the messages of a chat as its browser keeps them, alone or beside the `chatSettings` of its template.

They are UI messages of the AI SDK's version 4, with contentParts for calls and results and flags for the screen. Tool
messages have the role `data`, for which the AI SDK has a place. `historyPolicy` and `historyLength` are kept as
metadata: they say what was sent, not what was said. Source: AgentDock, agentdock-core/src/types/messages.ts and
src/hooks/use-chat-storage.ts.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message, revise
from historylab.formats.base import Report
from historylab.formats.files.content import Content
from historylab.formats.frameworks.ai_sdk import CALL, GROUPING
from historylab.formats.frameworks.ai_sdk_ui import read_ui_message
from historylab.formats.messages.answers import AnswerParts
from historylab.formats.messages.chat_messages import iso_time
from historylab.formats.messages.content_parts import json_text
from historylab.formats.messages.fields import list_in, text_in
from historylab.formats.messages.walker import table_of, walk_parts
from historylab.registry import register

FLAGS = {"isStreaming", "isLoading", "isError", "isTyping", "isPending", "isComplete", "showToolCall"}
"""Fields for the screen that shows a message; nothing is said in them."""

OWN = {"contentParts", "isToolMessage", *FLAGS}
SETTINGS = {"chatSettings", "historyPolicy", "historyLength"}
MORE = frozenset({*OWN, "toolCallId", "toolName", "data", "annotations"})
READ_OF_TOOL = {"id", "role", "content", "createdAt"} | MORE
PARTS = table_of({"tool_call": {"call": CALL}, "tool_result": {"result": {"id": "toolCallId", "text": "result"}}})


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
        yield group.conversation(group.messages(_read, report), report)


def _read(record: Any, where: str, report: Report) -> list[Message]:
    if isinstance(record, dict) and record.get("role") in ("data", "tool") and _is_tool_message(record):
        report.records += 1
        report.leave(record, READ_OF_TOOL, where)
        return _tool_message(record)
    given, held = list_in(record, "contentParts") if isinstance(record, dict) else [], AnswerParts()
    said = [part for part in given if isinstance(part, dict) and part.get("type") not in [*PARTS]]
    walk_parts([part for part in given if part not in said], "type", PARTS, held, where, report)
    read = read_ui_message(
        record if not said or record.get("parts") else {**record, "parts": said}, where, report, MORE
    )
    known = {call.id for message in read for call in message.tool_calls}
    answered = {message.tool_call_id for message in read}
    more = tuple(call for call in held.calls if not call.id or call.id not in known)
    new = [result for result in held.results if result.tool_call_id not in answered]
    return [revise(m, tool_calls=m.tool_calls + more) if at == 0 else m for at, m in enumerate(read)] + new


def _is_tool_message(record: dict[str, Any]) -> bool:
    return record.get("isToolMessage") is True or isinstance(record.get("toolCallId"), str)


def _tool_message(record: dict[str, Any]) -> list[Message]:
    about = {"is_error": True} if record.get("isError") is True else {}
    said = AnswerParts(text_in(record, "id"), iso_time(record.get("createdAt")), about, role="tool")
    said.name, said.answers = text_in(record, "toolName"), text_in(record, "toolCallId")
    said.say(json_text(record.get("content")))
    return said.messages()
