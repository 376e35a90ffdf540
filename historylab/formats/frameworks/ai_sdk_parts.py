"""Content parts of the AI SDK, of model messages and of UI messages, from version 3 to 6: calls, results, files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from historylab.conversation.message import Message, ToolCall
from historylab.formats.base import Report, kind_of
from historylab.formats.messages.answers import AnswerParts, tool_call
from historylab.formats.messages.content_parts import json_text, medium_of
from historylab.formats.messages.fields import text_in

LABELS = {"type", "providerOptions", "providerMetadata", "experimental_providerMetadata", "callProviderMetadata"}
LABELS |= {"resultProviderMetadata", "toolMetadata", "state", "id"}
"""Fields of a part in which nothing is said."""

CALL = LABELS | {"toolCallId", "toolName", "input", "args", "rawInput", "providerExecuted", "dynamic", "title", "step"}
RESULT = CALL | {"output", "result", "isError", "errorText", "approval", "preliminary", "experimental_content"}
FILE = LABELS | {"data", "image", "url", "mediaType", "mimeType", "contentType", "filename", "name"}
THOUGHT = LABELS | {"text", "reasoning", "details", "signature"}
"""Fields of a part that are read, and those that repeat what is."""


def read_part(part: Any, answer: AnswerParts, where: str, report: Report) -> None:
    """Add a part to an answer."""
    kind = part.get("type") if isinstance(part, dict) else None
    if isinstance(part, str):
        answer.say(part)
    elif not isinstance(kind, str):
        report.warn(f"a part that is {kind_of(part)}, not read", where)
    elif kind == "text" and isinstance(part.get("text"), str):
        answer.say(part["text"])
        report.leave(part, THOUGHT, where)
    elif kind == "reasoning" and isinstance(thought := part.get("text", part.get("reasoning")), str):
        answer.think(thought)
        report.leave(part, THOUGHT, where)
    elif kind in ("file", "image"):
        answer.attach(_name_medium(part))
        report.leave(part, FILE, where)
    elif kind == "tool-call":
        answer.call(to_call(part))
        report.leave(part, CALL, where)
    elif kind == "tool-result":
        answer.add_result(to_result(part, where, report, answer.timestamp))
        report.leave(part, RESULT, where)
    elif kind != "redacted-reasoning":
        report.warn(f"a part of type {kind[:40]!r} not read", where)


def to_call(part: Mapping[str, Any]) -> ToolCall:
    """A call; its input becomes JSON text."""
    given = next((part[key] for key in ("input", "args", "rawInput") if part.get(key) is not None), None)
    return tool_call(part.get("toolCallId"), part.get("toolName"), given)


def to_result(part: Mapping[str, Any], where: str, report: Report, timestamp: str | None = None) -> Message:
    """A `tool-result` part as a message: its output, or in older versions its result."""
    text, media, failed = _result(part, where, report)
    return Message(
        "tool",
        text,
        name=text_in(part, "toolName") or None,
        tool_call_id=text_in(part, "toolCallId") or None,
        media=media,
        timestamp=timestamp,
        metadata={"is_error": True} if failed else {},
    )


def _name_medium(part: Mapping[str, Any]) -> str:
    if part.get("type") == "image":
        return "image"
    return medium_of(next((part[key] for key in ("mediaType", "mimeType", "contentType") if part.get(key)), ""))


def _result(part: Mapping[str, Any], where: str, report: Report) -> tuple[str, tuple[str, ...], bool]:
    output = part.get("output")
    kind = output.get("type") if isinstance(output, dict) else None
    if isinstance(output, dict) and kind == "content" and isinstance(output.get("value"), list):
        return *_contents(output["value"], where, report), False
    if isinstance(output, dict) and kind == "execution-denied":
        return json_text(output.get("reason")), (), True
    if isinstance(output, dict) and isinstance(kind, str) and "value" in output:
        return json_text(output["value"]), (), kind.startswith("error")
    return json_text(part.get("result") if output is None else output), (), part.get("isError") is True


def _contents(items: list[Any], where: str, report: Report) -> tuple[str, tuple[str, ...]]:
    texts, media = [], []
    for item in items:
        kind = item.get("type") if isinstance(item, dict) else None
        if kind == "text" and isinstance(item.get("text"), str):
            texts.append(item["text"])
        elif isinstance(kind, str) and kind.partition("-")[0] in ("media", "file", "image"):
            media.append("image" if kind.startswith("image") else medium_of(item.get("mediaType")))
        else:
            report.warn(f"a part of type {str(kind)[:40]!r} not read", where)
    return "\n".join(texts), tuple(media)
