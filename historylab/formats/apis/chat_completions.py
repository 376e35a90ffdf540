"""OpenAI Chat Completions: lists of messages, `{"messages": […]}`, several of either, or JSON lines.

A `system` prompt beside the messages comes first. Other fields beside them (a title, tools, a reward, the logged
response) go into the conversation's metadata.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.formats.base import Report
from historylab.formats.chat_messages import pair_by_order
from historylab.formats.content import Content
from historylab.formats.flat_messages import CONVERSATION_IDS
from historylab.formats.other_shapes import shape_in
from historylab.formats.record_groups import Grouping
from historylab.formats.reported import read_reported
from historylab.registry import register

TITLES = ("title", "name")
READ_BESIDE = {*TITLES, *CONVERSATION_IDS, "task_id", "trial", "stars", "evidence"}
OWN_MARKS = {"tool_calls", "tool_call_id", "function_call", "refusal"}
BESIDE = {
    "response": "a logged response left out, as it is no part of the history it answers",
    "raw_messages": "raw_messages left out, as messages is what was sent",
}
GROUPING = Grouping(("messages",), lambda value: isinstance(value, dict) and "role" in value)


def looks_like_chat(content: Content) -> float:
    """0.5 for roles and contents, which other formats have too; 0.6 with a field that only this API has."""
    records = list(filter(GROUPING.is_record, GROUPING.sample(content.values)))
    alike = [r for r in records if _is_chat(r)]
    if not alike or len(alike) * 2 < len(records):
        return 0
    if shape_in(content.values) and not _has_own_marks(alike):  # read here it would be half
        return 0
    return 0.6 if any(OWN_MARKS & r.keys() for r in alike) else 0.5


@register("format", title="OpenAI Chat Completions", recognise=looks_like_chat)
def chat_completions(content: Content, report: Report) -> Iterator[Conversation]:
    """Messages as the Chat Completions API takes them: a list, an object with a list, or several of them in a file."""
    for group in GROUPING.groups(content.values, report):
        records = _system_prompt(group.beside, group.where) + group.records
        read = (read_reported(record, where, report) for where, record in records)
        messages = [message for message in read if message]
        for key in group.beside:
            if key in BESIDE:
                report.warn(BESIDE[key], group.where)
            elif key not in READ_BESIDE:
                report.keep(key, group.where)
        yield Conversation(pair_by_order(messages), _title(group.beside), group.beside)


def _system_prompt(beside: dict[str, Any], where: str) -> list[tuple[str, Any]]:
    """The prompt that Anthropic's API takes beside the messages, taken from there, as a record of its own."""
    if not isinstance(beside.get("system"), str | list) or not beside["system"]:
        return []
    return [(f"{where} system".strip(), {"role": "system", "content": beside.pop("system")})]


def _title(holder: dict[str, Any]) -> str:
    if "task_id" in holder:
        return f"task {holder['task_id']}" + (f", trial {holder['trial']}" if "trial" in holder else "")
    return next((title for key in TITLES if isinstance(title := holder.get(key), str) and title), "")


def _is_chat(record: Any) -> bool:
    """Whether it has a text role, and a content the API accepts or a field that can replace it."""
    if not isinstance(record["role"], str):
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
