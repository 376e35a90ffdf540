"""Records that are a message each, under a role: the message that one begins, and what is told of it in the end."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any

from historylab.conversation.message import Message, ToolCall
from historylab.formats.base import Report, kind_of
from historylab.formats.messages.answers import AnswerParts, with_usage
from historylab.formats.messages.chat_messages import iso_time
from historylab.formats.messages.fields import list_in, text_in
from historylab.formats.messages.paths import value_at
from historylab.formats.messages.walker import call_at

CALL = {
    "id": ("id", "tool_id"),
    "name": ("function.name", "function.tool_name", "name", "tool_name"),
    "arguments": ("function.arguments", "function.input", "function.tool_kwargs", "arguments", "input", "tool_kwargs"),
}
TIMES = ("timestamp", "createdAt", "created_at", "metadata.createdAt")


def begin_message(
    record: Any, roles: Mapping[str, str], read: Set[str], where: str, report: Report
) -> AnswerParts | None:
    """The message that a record begins, with its role, id and time; None where it has no role.

    Counts the record, and warns of its fields that aren't among those `read`, and of a role that none of `roles` is.
    """
    named = text_in(record, "role") if isinstance(record, dict) else None
    if named is None:
        report.skip(f"{kind_of(record)} without a role", where)
        return None
    report.records += 1
    report.leave(record, read, where)
    role = roles.get(named, named)
    if named not in roles:
        report.warn(f"unknown role {role[:40]!r}, kept as conversation", where)
    return AnswerParts(text_in(record, "id"), iso_time(value_at(record, TIMES)), role=role)


def end_message(said: AnswerParts, where: str, report: Report, usage: dict[str, int] | None = None) -> list[Message]:
    """The messages that a record made, with the usage of its only request. Warns where nothing is said in it."""
    messages, fits = with_usage(said.messages(), usage)
    if not fits:
        report.warn("usage that several requests share, not read", where)
    if said.role != "tool" and not any(m.content or m.tool_calls or m.media for m in messages):
        report.warn("empty content", where)
    return messages


def calls_beside(extra: Mapping[str, Any]) -> list[ToolCall]:
    """The calls in what a framework keeps beside a message: as OpenAI has them, or LlamaIndex's selections."""
    given = list_in(extra, "tool_calls") or [{"function": extra.get("function_call")}]
    found = (call_at(each, CALL) for each in given if isinstance(each, dict))
    return [call for call in found if call.name or call.arguments]
