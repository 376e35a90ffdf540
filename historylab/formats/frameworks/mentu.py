"""Mentu's `agent_messages` rows: roles user, assistant, tool_use, tool_result and system; one conversation per id.

Source: mentu-ai/mentu-web, agent-service/src/db/messages.ts (f7065bc). Other rows with those roles are read too.
Consecutive call rows are one message with several calls. A result row names no call: it answers the call whose id its
own id contains, else the oldest open one. Rows are put in the order of their times, unless that would part a result
from its call.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.formats.base import Report
from historylab.formats.files.content import Content
from historylab.formats.messages.chat_messages import sort_by_time
from historylab.formats.messages.flat_messages import FLAT_ROLES, as_flat_message, pair_results, read_fields
from historylab.formats.messages.record_groups import Grouping, located_items
from historylab.formats.messages.reported import read_reported
from historylab.registry import register

HOLDERS = ("agent_messages", "messages", "rows", "data")
GROUPING = Grouping((), lambda _: True)
COLUMNS = {"tool_name", "tool_input", "tool_output"}


def has_flat_roles(content: Content) -> float:
    """0.8 for roles that only flat messages have, or for the table's own columns."""
    rows = [row for _, row in located_items(content.values, *HOLDERS) if isinstance(row, dict)]
    flat = any(row.get("role") in FLAT_ROLES for row in rows)
    table = any("role" in row and "conversation_id" in row and COLUMNS & row.keys() for row in rows)
    return 0.8 if flat or table else 0


@register("format", title="Mentu agent messages", recognise=has_flat_roles, marks="tool_name tool_input tool_output")
def mentu(content: Content, report: Report) -> Iterator[Conversation]:
    """Stored rows of agent messages, with tool calls and results as separate rows."""
    for group in GROUPING.groups([*located_items(content.values, *HOLDERS, report=report)], report):
        found = [message for where, row in group.records if (message := _read(row, where, report))]
        if found:
            yield group.conversation(_in_order(found, group.records[0][0], report), report)


def _read(row: Any, where: str, report: Report) -> Message | None:
    if not isinstance(row, dict) or row.get("role") not in FLAT_ROLES:
        return read_reported(row, where, report)
    message = as_flat_message(row)
    report.records += 1
    report.leave(row, read_fields(row), where)
    if message.timestamp is None and (row.get("timestamp") or row.get("created_at")):
        report.warn("a timestamp that is no time", where)
    return message


def _join_calls(messages: list[Message]) -> list[Message]:
    """Join consecutive call rows into one assistant message with several calls."""
    joined: list[Message] = []
    for message in messages:
        if joined and all(each.metadata.get("role") == "tool_use" for each in (joined[-1], message)):
            joined[-1] = replace(joined[-1], tool_calls=joined[-1].tool_calls + message.tool_calls)
        else:
            joined.append(message)
    return joined


def _in_order(rows: list[Message], where: str, report: Report) -> list[Message]:
    """The rows as messages, sorted by time if all have one: a query may return the newest first."""
    as_given, by_time = pair_results(_join_calls(rows)), sort_by_time(rows)
    if by_time == rows:
        return as_given
    ordered = pair_results(_join_calls(by_time))
    if _orphans(ordered) > _orphans(as_given):  # a clock went back
        report.warn("times that go back, left in the order of the file", where)
        return as_given
    report.warn("rows put in the order of their times", where)
    return ordered


def _orphans(messages: list[Message]) -> int:
    return int(Conversation(messages).columns.orphan.sum())
