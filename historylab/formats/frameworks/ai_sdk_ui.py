"""The AI SDK's UI messages, as `useChat` keeps them: parts since version 5, before it content and toolInvocations.

    {"id": "m2", "role": "assistant", "parts": [{"type": "step-start"}, {"type": "text", "text": "…"},
      {"type": "tool-look", "toolCallId": "c1", "state": "output-available", "input": {}, "output": "…"}]}

A call and its result share one part, and all steps of an answer one message: it becomes an assistant message per step,
with the results of the step after it. Source: ai 4, Message; ai 5 and 6, UIMessage and convertToModelMessages.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.formats.base import Report, kind_of
from historylab.formats.files.content import Content
from historylab.formats.frameworks.ai_sdk import CALL, GROUPING, PARTS, READ_OF_RESULT, add_result
from historylab.formats.messages.answers import AnswerParts, named_model
from historylab.formats.messages.content_parts import json_text
from historylab.formats.messages.fields import list_in, object_in, text_in
from historylab.formats.messages.kept_records import keep_records
from historylab.formats.messages.paths import value_at
from historylab.formats.messages.role_records import begin_message, end_message
from historylab.formats.messages.usage import to_usage
from historylab.formats.messages.walker import Table, call_at, walk_parts
from historylab.registry import register

ROLES = {role: role for role in ("system", "user", "assistant")}
READ = {"id", "role", "parts", "content", "metadata", "createdAt", "toolInvocations", "reasoning", "revisionId"}
READ |= {"chatId", "experimental_attachments", "attachments", "timestamp"}
FAILED = ("output-error", "output-denied", "error")
ANSWERED = ("output-available", "result", *FAILED)
"""States of a call that have a result."""

STILL_WRITTEN = ("input-streaming", "partial-call")


def _is_ui_message(value: Any) -> bool:
    """Tell whether it has a role and typed parts, or the calls of version 4."""
    if not isinstance(value, dict) or not isinstance(value.get("role"), str):
        return False
    parts = value.get("parts")
    typed = isinstance(parts, list) and all(isinstance(p, dict) and isinstance(p.get("type"), str) for p in parts)
    return typed or isinstance(value.get("toolInvocations"), list)


def has_typed_parts(content: Content) -> float:
    """0.8 for roles with typed parts, or with the calls of version 4."""
    found = [record for record in GROUPING.sample(content.values) if GROUPING.is_record(record)]
    known = [record for record in found if _is_ui_message(record) and (record.get("parts") or "parts" not in record)]
    return 0.8 if (known and len(known) * 2 >= len(found)) or any("toolInvocations" in r for r in known) else 0


@register("format", title="AI SDK UI messages", recognise=has_typed_parts, marks="parts toolInvocations")
def ai_sdk_ui(content: Content, report: Report) -> Iterator[Conversation]:
    """UI messages of the AI SDK, whose answers hold their calls, results and steps."""
    for group in GROUPING.groups(content.values, report):
        yield group.conversation(group.messages(read_ui_message, report), report)


@keep_records
def read_ui_message(record: Any, where: str, report: Report, more: frozenset[str] = frozenset()) -> list[Message]:
    """The messages that a UI message holds. `more` are fields that its caller reads."""
    if isinstance(record, dict) and record.get("role") == "data":
        report.pass_over("a data message, which no model sees", where)
        return []
    said = begin_message(record, ROLES, READ | more, where, report)
    if not said:
        return []
    about = object_in(record, "metadata") if said.role == "assistant" else {}
    said.late, said.metadata = True, named_model(about.get("model"), about.get("modelId"), about.get("model_name"))
    walk_parts(_parts(record, where, report), "type", UI_PARTS, said, where, report)
    usage = object_in(about, "usage") or object_in(about, "totalUsage")  # if an app put it there
    return end_message(said, where, report, to_usage(usage))


def _parts(record: dict[str, Any], where: str, report: Report) -> list[Any]:
    """The parts; of version 4 what stands instead, in the order in which it was said."""
    parts, content = list_in(record, "parts"), record.get("content")
    if not isinstance(content, str | list | None):
        report.warn(f"content that is {kind_of(content)}, not read", where)
    files = [
        {**each, "type": "file"} if isinstance(each, dict) else each
        for name in ("experimental_attachments", "attachments")
        for each in list_in(record, name)
    ]
    if parts:
        texts = "".join(part["text"] for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str))
        if isinstance(content, str) and "".join(content.split()) not in "".join(texts.split()):
            report.warn("content that differs from the parts, not read", where)
        held = any(isinstance(part, dict) and part.get("type") == "file" for part in parts)
        return [*map(_name_call, parts), *([] if held else files)]
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


def _name_call(part: Any) -> Any:
    """The part; a call's, whose type has the name of the tool, as one of a dynamic tool."""
    kind = text_in(part, "type") or "" if isinstance(part, dict) else ""
    if kind in UI_PARTS or not (kind.startswith("tool-") and "toolCallId" in part):
        return part
    return {"toolName": kind.removeprefix("tool-"), **part, "type": "dynamic-tool"}


def _read_call(part: dict[str, Any], said: AnswerParts, where: str, report: Report) -> None:
    """A call and, if its state has one, its result. What it returns is any JSON: it is no typed output."""
    held = part.get("toolInvocation", part)
    if not isinstance(held, dict):
        report.lack(f"a toolInvocation that is {kind_of(held)}, not read", where)
        return
    part = held or part
    state = part.get("state")
    said.call(call_at(part, CALL))
    report.leave(part, READ_OF_RESULT, where)
    if state in STILL_WRITTEN:
        report.warn("a call whose arguments were still being written", where)
    elif state in ANSWERED or (state is None and ("output" in part or "result" in part)):
        failed = state in FAILED or part.get("isError") is True
        given = value_at(part, ("output", "result", "errorText", "approval.reason"))
        add_result(part, [json_text(given)], failed, said, where, report)


def _end_step(part: dict[str, Any], said: AnswerParts, where: str, report: Report) -> None:
    said.end_step()
    report.leave(part, {"type"}, where)


UI_PARTS: Table = {
    **PARTS,
    "step-start": _end_step,
    "tool-invocation": _read_call,
    "dynamic-tool": _read_call,
}
