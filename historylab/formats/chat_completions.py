"""OpenAI Chat Completions: lists of messages, `{"messages": […]}`, tau-bench's `{"traj": […]}`, several, or JSON lines.

A file with one message per line is one conversation, or one per `conversation_id` (`session_id`, `thread_id`); any
other line or list item is a conversation by itself. A `system` prompt beside the messages comes first. Other fields
beside them (a title, tools, a reward, the logged response) go into the conversation's metadata.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.errors import LoadError
from historylab.formats.base import Report, kind_of
from historylab.formats.chat_messages import pair_by_order
from historylab.formats.content import Content
from historylab.formats.flat_messages import CONVERSATION_IDS, conversation_id_of
from historylab.formats.other_shapes import shape_in
from historylab.formats.reported import read_reported
from historylab.registry import register

HOLDERS = ("messages", "traj")
TITLES = ("title", "name")
READ_BESIDE = {*TITLES, *CONVERSATION_IDS, "task_id", "trial", "stars", "evidence"}
OWN_MARKS = {"tool_calls", "tool_call_id", "function_call", "refusal"}
BESIDE = {
    "response": "a logged response left out, as it is no part of the history it answers",
    "raw_messages": "raw_messages left out, as messages is what was sent",
}
LOOKED_AT = 200  # records sampled to recognise the format


@dataclass
class RecordGroup:
    """The records of one conversation, with what the object that held them has beside them and where it is."""

    records: list[tuple[str, Any]]
    beside: dict[str, Any] = field(default_factory=dict)
    where: str = ""


def looks_like_chat(content: Content) -> float:
    """0.5 for roles and contents, which other formats have too; 0.6 with a field that only this API has."""
    found = (record for group in _groups(content.values, Report(), LOOKED_AT) for _, record in group.records)
    records = list(islice(filter(_has_role, found), LOOKED_AT))
    alike = [r for r in records if _is_chat(r)]
    if not alike or len(alike) * 2 < len(records):
        return 0
    if shape_in(content.values) and not _has_own_marks(alike):  # read here it would be half
        return 0
    return 0.6 if any(OWN_MARKS & r.keys() for r in alike) else 0.5


@register("format", title="OpenAI Chat Completions", recognise=looks_like_chat)
def chat_completions(content: Content, report: Report) -> Iterator[Conversation]:
    """Messages as the Chat Completions API takes them: a list, an object with a list, or several of them in a file."""
    for group in _groups(content.values, report):
        read = (read_reported(record, where, report) for where, record in group.records)
        messages = [message for message in read if message]
        for key in group.beside:
            if key in BESIDE:
                report.warn(BESIDE[key], group.where)
            elif key not in READ_BESIDE:
                report.keep(key, group.where)
        yield Conversation(pair_by_order(messages), _title(group.beside), group.beside)


def _groups(values: list[tuple[str, Any]], report: Report, most: int | None = None) -> Iterator[RecordGroup]:
    """Records grouped by conversation. `most`: items read of each list."""
    values = values[:most]
    yield from _by_conversation([(where, value) for where, value in values if _has_role(value)], report)
    for where, value in values:
        if not _has_role(value):
            yield from _inside(value, where, report, most)


def _inside(value: Any, where: str, report: Report, most: int | None, lists: int = 2) -> Iterator[RecordGroup]:
    if isinstance(value, list) and lists:  # a list of messages, or a list of such lists
        items = [(f"{where}[{i}]", item) for i, item in enumerate(value[:most])]
        if any(_has_role(item) for _, item in items):
            yield from _by_conversation([(at, item) for at, item in items if not _holder(item)], report, where)
            items = [(at, item) for at, item in items if _holder(item)]
        for at, item in items:
            yield from _inside(item, at, report, most, lists - 1)
    elif holder := _holder(value):
        beside = {key: held for key, held in value.items() if key != holder}
        records = [(f"{where} {holder}[{i}]".strip(), item) for i, item in enumerate(value[holder])]
        yield RecordGroup(_system_prompt(beside, where) + records, beside, where)
    else:
        report.skip(f"{kind_of(value)} without role or messages", where)


def _by_conversation(records: list[tuple[str, Any]], report: Report, where: str = "") -> Iterator[RecordGroup]:
    """One group per id of a conversation; what is no object stays with the record before it."""
    groups: dict[str, RecordGroup] = {}
    key = ""
    for at, record in records:
        try:
            named = conversation_id_of(record)
        except LoadError as problem:
            report.skip(str(problem), at)
            continue
        if isinstance(record, dict):
            key = json.dumps(named) if named else ""
        groups.setdefault(key, RecordGroup([], named, where)).records.append((at, record))
    yield from groups.values()


def _system_prompt(beside: dict[str, Any], where: str) -> list[tuple[str, Any]]:
    """The prompt that Anthropic's API takes beside the messages, taken from there, as a record of its own."""
    if not isinstance(beside.get("system"), str | list) or not beside["system"]:
        return []
    return [(f"{where} system".strip(), {"role": "system", "content": beside.pop("system")})]


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


def _has_own_marks(records: list[dict[str, Any]]) -> bool:
    """Whether they have calls as this API has them; without any calls, any other field that only it has."""
    given = [record["tool_calls"] for record in records if isinstance(record.get("tool_calls"), list)]
    calls = [call for listed in given for call in listed if isinstance(call, dict)]
    if calls:
        return any(isinstance(call.get("function") or call.get("custom"), dict) for call in calls)
    return any(OWN_MARKS & record.keys() for record in records)
