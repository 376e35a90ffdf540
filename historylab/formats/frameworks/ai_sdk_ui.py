"""The AI SDK's UI messages, as `useChat` keeps them: parts since version 5, before it content and toolInvocations.

    {"id": "m2", "role": "assistant", "parts": [{"type": "step-start"}, {"type": "text", "text": "…"},
      {"type": "tool-look", "toolCallId": "c1", "state": "output-available", "input": {}, "output": "…"}]}

A call and its result share one part, and all steps of an answer one message: it becomes an assistant message per step,
with the results of the step after it. Source: ai 4, Message; ai 5 and 6, UIMessage and convertToModelMessages.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.formats.base import Report, kind_of
from historylab.formats.files.content import Content
from historylab.formats.frameworks.ai_sdk_parts import RESULT, read_part, to_call, to_result
from historylab.formats.messages.answers import AnswerParts, named_model, with_usage
from historylab.formats.messages.chat_messages import iso_time, pair_by_order
from historylab.formats.messages.content_parts import json_text
from historylab.formats.messages.fields import list_in, object_in, text_in
from historylab.formats.messages.kept_records import keep_records
from historylab.formats.messages.record_groups import Grouping
from historylab.formats.messages.usage import to_usage
from historylab.registry import register

ROLES = ("system", "user", "assistant")
READ = {"id", "role", "parts", "content", "metadata", "createdAt", "toolInvocations", "reasoning", "revisionId"}
READ |= {"chatId", "experimental_attachments", "attachments", "timestamp"}
ANSWERED = ("output-available", "output-error", "output-denied", "result", "error")
"""States of a call that have a result."""

STILL_WRITTEN = ("input-streaming", "partial-call")


def _is_ui_message(value: Any) -> bool:
    """Whether it has a role and typed parts, or the calls of version 4."""
    if not isinstance(value, dict) or not isinstance(value.get("role"), str):
        return False
    parts = value.get("parts")
    typed = isinstance(parts, list) and all(isinstance(p, dict) and isinstance(p.get("type"), str) for p in parts)
    return typed or isinstance(value.get("toolInvocations"), list)


GROUPING = Grouping(("messages",), lambda value: isinstance(value, dict) and "role" in value)


def has_typed_parts(content: Content) -> float:
    """0.8 for roles with typed parts, or with the calls of version 4."""
    found = [record for record in GROUPING.sample(content.values) if GROUPING.is_record(record)]
    known = [record for record in found if _is_ui_message(record) and (record.get("parts") or "parts" not in record)]
    return 0.8 if (known and len(known) * 2 >= len(found)) or any("toolInvocations" in r for r in known) else 0


@register("format", title="AI SDK UI messages", recognise=has_typed_parts, marks="parts toolInvocations")
def ai_sdk_ui(content: Content, report: Report) -> Iterator[Conversation]:
    """UI messages of the AI SDK, whose answers hold their calls, results and steps."""
    for group in GROUPING.groups(content.values, report):
        read = (read_ui_message(record, where, report) for where, record in group.records)
        yield group.conversation(pair_by_order([message for found in read for message in found]), report)


@keep_records
def read_ui_message(record: Any, where: str, report: Report, more: frozenset[str] = frozenset()) -> list[Message]:
    """The messages that a UI message holds. `more` are fields that its caller reads."""
    role = record.get("role") if isinstance(record, dict) else None
    if not isinstance(record, dict) or not isinstance(role, str):
        report.skip(f"{kind_of(record)} without a role", where)
        return []
    if role == "data":
        report.pass_over("a data message, which no model sees", where)
        return []
    report.records += 1
    report.leave(record, READ | more, where)
    if role not in ROLES:
        report.warn(f"unknown role {role[:40]!r}, kept as conversation", where)
    about = object_in(record, "metadata") if role == "assistant" else {}
    raw_time = record.get("createdAt") or record.get("timestamp") or object_in(record, "metadata").get("createdAt")
    time = iso_time(raw_time) if raw_time else None
    answer = AnswerParts(text_in(record, "id"), time, _metadata(about), late=True, role=role)
    for part in _parts(record, where, report):
        _read_part(part, answer, where, report)
    messages, fits = with_usage(answer.messages(), _usage(about))
    if not fits:
        report.warn("usage summed over several requests, not read", where)
    if not any(m.content or m.tool_calls or m.media for m in messages):
        report.warn("empty content", where)
    return messages


def _parts(record: dict[str, Any], where: str, report: Report) -> list[Any]:
    """The parts; of version 4 what stands instead, in the order in which it was said."""
    parts, content = list_in(record, "parts"), record.get("content")
    if not isinstance(content, str | list | None):
        report.warn(f"content that is {kind_of(content)}, not read", where)
    attached = list_in(record, "experimental_attachments") + list_in(record, "attachments")
    files = [{**each, "type": "file"} if isinstance(each, dict) else each for each in attached]
    if parts:
        texts = "".join(part["text"] for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str))
        if isinstance(content, str) and "".join(content.split()) not in "".join(texts.split()):
            report.warn("content that differs from the parts, not read", where)
        held = any(isinstance(part, dict) and part.get("type") == "file" for part in parts)
        return [*parts, *([] if held else files)]
    said = [content] if isinstance(content, str) else list_in(record, "content")
    thought = [{"type": "reasoning", "text": text}] if (text := text_in(record, "reasoning")) else []
    return [*thought, *_steps(list_in(record, "toolInvocations")), *said, *files]


def _steps(invocations: list[Any]) -> Iterator[Any]:
    """The calls of version 4 with a mark between steps; its text follows the last one."""
    before: Any = None
    for call in invocations:
        step = call.get("step") if isinstance(call, dict) else None
        if before is not None and step != before:
            yield {"type": "step-start"}
        before = step if step is not None else before
        yield {"type": "tool-invocation", "toolInvocation": call}
    yield {"type": "step-start"}


def _read_part(part: Any, answer: AnswerParts, where: str, report: Report) -> None:
    kind = str(part.get("type")) if isinstance(part, dict) else ""
    if kind == "step-start":
        answer.end_step()
        report.leave(part, {"type"}, where)
    elif kind == "tool-invocation" and isinstance(part.get("toolInvocation"), dict):
        _read_call(part["toolInvocation"], answer, where, report)
    elif kind == "dynamic-tool" or (kind.startswith("tool-") and "toolCallId" in part):
        _read_call({"toolName": kind.removeprefix("tool-"), **part}, answer, where, report)
    else:
        read_part(part, answer, where, report)


def _read_call(part: dict[str, Any], answer: AnswerParts, where: str, report: Report) -> None:
    """A call and, if its state has one, its result. What it returns is any JSON: it is no typed output."""
    state = part.get("state")
    answer.call(to_call(part))
    report.leave(part, RESULT, where)
    if state in STILL_WRITTEN:
        report.warn("a call whose arguments were still being written", where)
    elif state in ANSWERED or (state is None and ("output" in part or "result" in part)):
        failed = state in ("output-error", "output-denied", "error") or part.get("isError") is True
        given = next((part[key] for key in ("output", "result", "errorText") if part.get(key) is not None), None)
        if given is None and isinstance(part.get("approval"), dict):
            given = part["approval"].get("reason")
        typed = {"type": "error-text" if failed else "text", "value": json_text(given)}
        answer.add_result(to_result({**part, "output": typed}, where, report, answer.timestamp))


def _metadata(about: Mapping[str, Any]) -> dict[str, Any]:
    return dict(named_model(about.get("model"), about.get("modelId"), about.get("model_name")))


def _usage(about: Mapping[str, Any]) -> dict[str, int] | None:
    """Usage that an app put into a message's metadata, if it did it in the AI SDK's own words."""
    return to_usage(object_in(about, "usage") or object_in(about, "totalUsage"))
