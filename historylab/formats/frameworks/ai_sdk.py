"""The AI SDK's model messages, as `generateText` takes and returns them: lists, request bodies, JSON lines.

    {"role": "assistant", "content": [{"type": "tool-call", "toolCallId": "c1", "toolName": "look", "input": {}}]}
    {"role": "tool", "content": [{"type": "tool-result", "toolCallId": "c1", "toolName": "look",
                                  "output": {"type": "text", "value": "…"}}]}

Before version 5 a call has `args` and a result `result`. Several results of one tool message become several messages.
Source: @ai-sdk/provider-utils 3 and 4, ModelMessage; ai 4, CoreMessage.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message, ToolCall
from historylab.formats.base import Losses, Report, kind_of
from historylab.formats.files.content import Content
from historylab.formats.frameworks.ai_sdk_parts import read_part
from historylab.formats.messages.answers import AnswerParts
from historylab.formats.messages.chat_messages import iso_time, pair_by_order
from historylab.formats.messages.fields import text_in
from historylab.formats.messages.kept_records import keep_records
from historylab.formats.messages.record_groups import Grouping
from historylab.registry import register

ROLES = ("system", "user", "assistant", "tool")
OWN_PARTS = ("tool-call", "tool-result", "tool-approval-request", "tool-approval-response")
READ = {"role", "content", "id", "timestamp", "createdAt", "providerOptions", "experimental_providerMetadata"}
GROUPING = Grouping(("messages",), lambda value: isinstance(value, dict) and "role" in value)


def has_hyphened_parts(content: Content) -> float:
    """0.8 for content parts of calls or results as only the AI SDK spells them."""
    found = [record for record in GROUPING.sample(content.values) if GROUPING.is_record(record)]
    contents = [record["content"] for record in found if isinstance(record.get("content"), list)]
    parts = [part for content in contents for part in content if isinstance(part, dict)]
    return 0.8 if any(part.get("type") in OWN_PARTS for part in parts) else 0


def to_model_messages(conversation: Conversation, losses: Losses) -> list[dict[str, Any]]:
    """The conversation as a list of model messages; the results of one step are one tool message."""
    names = {call.id: call.name for message in conversation for call in message.tool_calls}
    written: list[dict[str, Any]] = []
    for message in conversation:
        _count_losses(message, losses)
        if message.role == "tool":
            part = _result_part(message, names.get(message.tool_call_id or "") or message.name or "")
            if written and written[-1]["role"] == "tool":
                written[-1]["content"].append(part)
            else:
                written.append({"role": "tool", "content": [part]})
            continue
        role = message.role if message.role in ROLES else "user"
        written.append({"role": role, "content": _content(message) if role == "assistant" else message.content})
    losses.lose("branches", len(conversation.branches))
    losses.lose("fields beside the messages", len(conversation.metadata))
    return written


@register(
    "format",
    title="AI SDK messages",
    recognise=has_hyphened_parts,
    marks="toolCallId toolName",
    write=to_model_messages,
)
def ai_sdk(content: Content, report: Report) -> Iterator[Conversation]:
    """Model messages of the AI SDK, with calls and results as content parts."""
    for group in GROUPING.groups(content.values, report):
        messages = [message for where, record in group.records for message in read_model_message(record, where, report)]
        yield group.conversation(pair_by_order(messages), report, model=group.beside.get("modelId"))


@keep_records
def read_model_message(record: Any, where: str, report: Report) -> list[Message]:
    """The messages of one model message: several where it holds the results of several calls."""
    role = record.get("role") if isinstance(record, dict) else None
    if not isinstance(record, dict) or not isinstance(role, str):
        report.skip(f"{kind_of(record)} without a role", where)
        return []
    content = record.get("content")
    if not isinstance(content, str | list):
        report.skip(f"content that is {kind_of(content)}, not text or a list of parts", where)
        return []
    report.records += 1
    report.leave(record, READ, where)
    if role not in ROLES:
        report.warn(f"unknown role {role[:40]!r}, kept as conversation", where)
    raw_time = record.get("timestamp") or record.get("createdAt")
    answer = AnswerParts(text_in(record, "id"), iso_time(raw_time) if raw_time else None, role=role)
    for part in [content] if isinstance(content, str) else content:
        read_part(part, answer, where, report)
    if role == "tool":
        return answer.messages() if answer.texts or answer.media or not answer.results else answer.results
    messages = answer.messages()
    if not any(m.content or m.tool_calls or m.media for m in messages):
        report.warn("empty content", where)
    return messages


def _count_losses(message: Message, losses: Losses) -> None:
    """Count what model messages have no place for."""
    said = message.metadata.keys() - {"role", *({"thinking"} if message.role == "assistant" else {"is_error"})}
    losses.lose("images, sound and files", len(message.media))
    losses.lose("names of speakers", message.name is not None and message.role != "tool")
    losses.lose("ids of messages", message.id is not None)
    losses.lose("times", message.timestamp is not None)
    losses.lose("usage, model names and other metadata", len(said))
    losses.lose("roles that it hasn't, written as user", message.role not in ROLES)
    losses.lose("pins", message.pinned)


def _content(message: Message) -> str | list[dict[str, Any]]:
    thinking = message.metadata.get("thinking")
    parts: list[dict[str, Any]] = [{"type": "reasoning", "text": thinking}] if isinstance(thinking, str) else []
    parts += [{"type": "text", "text": message.content}] if message.content else []
    parts += [_call_part(call) for call in message.tool_calls]
    return message.content if len(parts) == 1 and message.content else parts or message.content


def _call_part(call: ToolCall) -> dict[str, Any]:
    try:
        given = json.loads(call.arguments)
    except (ValueError, RecursionError):
        given = call.arguments
    return {"type": "tool-call", "toolCallId": call.id, "toolName": call.name, "input": given}


def _result_part(message: Message, name: str) -> dict[str, Any]:
    kind = "error-text" if message.metadata.get("is_error") is True else "text"
    output = {"type": kind, "value": message.content}
    return {"type": "tool-result", "toolCallId": message.tool_call_id or "", "toolName": name, "output": output}
