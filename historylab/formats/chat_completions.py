"""OpenAI Chat Completions: lists of messages, `{"messages": […]}`, tau-bench's `{"traj": […]}`, several, or JSON lines.

A file with one message per line is one conversation; any other line or list item is a conversation by itself. Fields
beside the messages (a title, tools, a reward, the logged response) go into the conversation's metadata.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from historylab.conversation.columns import ROLE_CODES
from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.errors import LoadError
from historylab.formats.base import Report, kind_of
from historylab.formats.chat_messages import pair_by_order, to_message, to_messages, to_record
from historylab.formats.content import Content
from historylab.registry import register

__all__ = ["chat_completions", "to_message", "to_messages", "to_record"]

HOLDERS = ("messages", "traj")
TITLES = ("title", "name")
FOREIGN_PARTS = {"tool_use", "tool_result", "tool-call", "tool-result"}
OWN_MARKS = {"tool_calls", "tool_call_id", "function_call", "refusal"}
BESIDE = {
    "response": "a logged response left out, as it is no part of the history it answers",
    "raw_messages": "raw_messages left out, as messages is what was sent",
}
LOOKED_AT = 200  # records sampled to recognise the format


@dataclass
class RecordGroup:
    """The records of one conversation, with the object that held them and its location in the file."""

    records: list[tuple[str, Any]]
    holder: dict[str, Any]
    where: str = ""


def looks_like_chat(content: Content) -> float:
    """0.5 for roles and contents, which other formats have too; 0.6 with a field that only this API has."""
    found = (record for group in _groups(content.values, Report(), LOOKED_AT) for _, record in group.records)
    records = list(islice(filter(_has_role, found), LOOKED_AT))
    alike = [r for r in records if _is_chat(r)]
    if not alike or len(alike) * 2 < len(records) or any(_is_foreign(r) for r in alike):
        return 0
    return 0.6 if any(OWN_MARKS & r.keys() for r in alike) else 0.5


@register("format", title="OpenAI Chat Completions", recognise=looks_like_chat)
def chat_completions(content: Content, report: Report) -> Iterator[Conversation]:
    """Messages as the Chat Completions API takes them: a list, an object with a list, or several of them in a file."""
    for group in _groups(content.values, report):
        messages = list(_messages(group, report))
        metadata = {key: value for key, value in group.holder.items() if key not in HOLDERS}
        for key in BESIDE.keys() & metadata.keys():
            report.warn(BESIDE[key], group.where)
        yield Conversation(pair_by_order(messages), _title(metadata), metadata)


def _groups(values: list[tuple[str, Any]], report: Report, most: int | None = None) -> Iterator[RecordGroup]:
    """Records grouped by conversation; top-level records, one per line, are one. `most`: items read of each list."""
    values = values[:most]
    loose = [(where, value) for where, value in values if _has_role(value)]
    if loose:
        yield RecordGroup(loose, {})
    for where, value in values:
        if not _has_role(value):
            yield from _inside(value, where, report, most)


def _inside(value: Any, where: str, report: Report, most: int | None, lists: int = 2) -> Iterator[RecordGroup]:
    if isinstance(value, list) and lists:  # a list of messages, or a list of such lists
        items = [(f"{where}[{i}]", item) for i, item in enumerate(value[:most])]
        if any(_has_role(item) for _, item in items):
            yield RecordGroup(items, {}, where)
        else:
            for at, item in items:
                yield from _inside(item, at, report, most, lists - 1)
    elif holder := _holder(value):
        yield RecordGroup(
            [(f"{where} {holder}[{i}]".strip(), item) for i, item in enumerate(value[holder])], value, where
        )
    else:
        report.skip(f"{kind_of(value)} without role or messages", where)


def _messages(group: RecordGroup, report: Report) -> Iterator[Message]:
    for where, record in group.records:
        try:
            message = to_message(record)
        except LoadError as problem:
            report.skip(str(problem), where)
            continue
        report.records += 1
        for remark in _remarks(message):
            report.warn(remark, where)
        yield message


def _remarks(message: Message) -> Iterator[str]:
    """Warnings about a message that is kept."""
    if message.role not in ROLE_CODES:
        yield f"unknown role {message.role[:40]!r}, kept as conversation"
    if not (message.content or message.tool_calls or message.media):
        yield "empty content"
    for kind in message.metadata.get("unread_parts", ()):
        yield f"a part of type {kind[:40]!r} not read"
    if any(not call.id for call in message.tool_calls) or (message.role == "tool" and not message.tool_call_id):
        yield "a call or result without an id, paired in order"
    if "timestamp" in message.metadata:
        yield "a timestamp that is no time"


def _title(holder: dict[str, Any]) -> str:
    if "task_id" in holder:
        return f"task {holder['task_id']}" + (f", trial {holder['trial']}" if "trial" in holder else "")
    return next((title for key in TITLES if isinstance(title := holder.get(key), str) and title), "")


def _has_role(value: Any) -> bool:
    return isinstance(value, dict) and "role" in value and not _holder(value)


def _holder(value: Any) -> str | None:
    return next((key for key in HOLDERS if isinstance(value, dict) and isinstance(value.get(key), list)), None)


def _is_chat(record: Any) -> bool:
    """Whether it has a text role, and a content the API accepts or a field that can replace it."""
    if not _has_role(record) or not isinstance(record["role"], str):
        return False
    if "content" in record:
        return isinstance(record["content"], str | list | None)
    return bool(OWN_MARKS & record.keys())


def _is_foreign(record: dict[str, Any]) -> bool:
    """Whether it has content parts or tool calls of another provider."""
    parts = record["content"] if isinstance(record.get("content"), list) else ()
    calls = record["tool_calls"] if isinstance(record.get("tool_calls"), list) else ()
    return any(isinstance(p, dict) and p.get("type") in FOREIGN_PARTS for p in parts) or any(
        isinstance(c, dict) and isinstance(c.get("function"), str) for c in calls
    )
