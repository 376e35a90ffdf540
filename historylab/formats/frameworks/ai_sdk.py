"""The AI SDK's model messages, as `generateText` takes and returns them: lists, request bodies, JSON lines.

    {"role": "assistant", "content": [{"type": "tool-call", "toolCallId": "c1", "toolName": "look", "input": {}}]}
    {"role": "tool", "content": [{"type": "tool-result", "toolCallId": "c1", "toolName": "look",
                                  "output": {"type": "text", "value": "…"}}]}

Before version 5 a call has `args` and a result `result`. Several results of one tool message become several messages.
Their parts are those of UI messages, too. Source: @ai-sdk/provider-utils 3 and 4, ModelMessage; ai 4, CoreMessage.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.formats.base import Losses, Report, kind_of
from historylab.formats.files.content import Content
from historylab.formats.messages.answers import AnswerParts
from historylab.formats.messages.content_parts import json_text
from historylab.formats.messages.fields import object_in, text_in, unpack_json
from historylab.formats.messages.kept_records import keep_records
from historylab.formats.messages.paths import holds
from historylab.formats.messages.record_groups import Grouping
from historylab.formats.messages.role_records import begin_message, end_message
from historylab.formats.messages.walker import table_of, walk_parts
from historylab.registry import register

ROLES = {role: role for role in ("system", "user", "assistant", "tool")}
OWN_PARTS = ("tool-call", "tool-result", "tool-approval-request", "tool-approval-response")
READ = {"role", "content", "id", "timestamp", "createdAt", "providerOptions", "experimental_providerMetadata"}
LABELS = {"type", "providerOptions", "providerMetadata", "experimental_providerMetadata", "callProviderMetadata"}
LABELS |= {"resultProviderMetadata", "toolMetadata", "state", "id", "details", "signature"}
LABELS |= {"providerExecuted", "dynamic", "title", "step", "toolName"}
"""Fields of a part in which nothing is said."""

CALL = {"id": "toolCallId", "name": "toolName", "arguments": ("input", "args", "rawInput")}
READ_OF_RESULT = LABELS | {"toolCallId", "input", "args", "rawInput", "output", "result", "isError", "errorText"}
READ_OF_RESULT |= {"approval", "preliminary", "experimental_content"}
DENIED = "execution-denied"
GROUPING = Grouping(("messages",), lambda value: isinstance(value, dict) and "role" in value)
FILES = ("file", "file-data", "file-url", "file-id", "media")
IMAGES = ("image", "image-data", "image-url", "image-file-id")


def add_result(
    part: dict[str, Any], given: list[Any], failed: bool, said: AnswerParts, where: str, report: Report
) -> None:
    """Add the result of a call, which a part names and those given are."""
    called, name = text_in(part, "toolCallId") or None, text_in(part, "toolName") or None
    about = {"is_error": True} if failed else {}
    held = AnswerParts(None, said.timestamp, about, role="tool", name=name, answers=called)
    walk_parts(given, "type", PARTS, held, where, report)
    said.add_result(held.messages()[0])


def _read_result(part: dict[str, Any], said: AnswerParts, where: str, report: Report) -> None:
    """A result: its output, which says of what type it is, or in older versions any JSON."""
    report.leave(part, READ_OF_RESULT, where)
    output, failed = object_in(part, "output"), part.get("isError") is True
    value = part.get("result") if part.get("output") is None else part["output"]
    kind = text_in(output, "type") or ""
    if kind == DENIED or (kind and "value" in output):
        value, failed = output.get("reason" if kind == DENIED else "value"), kind.startswith(("error", DENIED))
    parts = value if kind == "content" and isinstance(value, list) else [json_text(value)]
    add_result(part, parts, failed, said, where, report)


PARTS = table_of(
    {
        "text": {"text": "text"},
        "reasoning": {"thinking": ("text", "reasoning")},
        "redacted-reasoning": None,
        "tool-call": {"call": CALL},
        "tool-result": _read_result,
        **{kind: {"media": ("mediaType", "mimeType", "contentType", "type")} for kind in FILES},
        **{kind: {"media": "type"} for kind in IMAGES},
    },
    LABELS,
)
"""Type of a part → where its words are."""


def has_hyphened_parts(content: Content) -> float:
    """0.8 for content parts of calls or results as only the AI SDK spells them."""
    found = filter(GROUPING.is_record, GROUPING.sample(content.values))
    return 0.8 if any(holds(record, {"content.type": OWN_PARTS}) for record in found) else 0


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
        yield group.conversation(group.messages(read_model_message, report), report, model=group.beside.get("modelId"))


@keep_records
def read_model_message(record: Any, where: str, report: Report) -> list[Message]:
    """The messages of one model message: several where it holds the results of several calls."""
    content = record.get("content") if isinstance(record, dict) else None
    if isinstance(record, dict) and "role" in record and not isinstance(content, str | list):
        report.skip(f"content that is {kind_of(content)}, not text or a list of parts", where)
        return []
    said = begin_message(record, ROLES, READ, where, report)
    if not said:
        return []
    walk_parts([content] if isinstance(content, str) else content or [], "type", PARTS, said, where, report)
    if said.role == "tool" and said.results and not (said.texts or said.media):
        return said.results
    return end_message(said, where, report)


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
    parts += [
        {"type": "tool-call", "toolCallId": call.id, "toolName": call.name, "input": unpack_json(call.arguments)}
        for call in message.tool_calls
    ]
    return message.content if len(parts) == 1 and message.content else parts or message.content


def _result_part(message: Message, name: str) -> dict[str, Any]:
    kind = "error-text" if message.metadata.get("is_error") is True else "text"
    output = {"type": kind, "value": message.content}
    return {"type": "tool-result", "toolCallId": message.tool_call_id or "", "toolName": name, "output": output}
