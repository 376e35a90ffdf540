"""Flat messages: a tool call and its result are separate messages with the roles `tool_use` and `tool_result`.

    {"role": "tool_use", "id": "t1", "name": "Read", "content": "{…}"}         the arguments are the content
    {"role": "tool_result", "tool_use_id": "t1", "content": "…"}
    {"role": "tool_use", "id": "t1", "tool_name": "Read", "tool_input": {…}}   rows of a database
    {"role": "tool_result", "id": "result_t1", "content": "…"}

A call becomes an assistant message with that one call, a result a tool message: one Message per flat message, so that
the kept ones can be returned as they were given.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message, ToolCall
from historylab.errors import LoadError
from historylab.formats.base import kind_of
from historylab.formats.messages.chat_messages import iso_time, pair_by_order
from historylab.formats.messages.content_parts import json_text, mapping_of
from historylab.formats.messages.lenient import as_message, conversation_of

FLAT_ROLES = ("tool_use", "tool_result")
CONVERSATION_IDS = ("conversation_id", "conversationId", "session_id", "sessionId", "thread_id", "threadId")
LABELS = ("role", "id", "name", "tool_name", "tool_use_id", "is_error", "timestamp", "created_at")
RESULT_ID = "result_"  # prefix of a result row's id, followed by the id of its call


def conversation_id_of(row: Any) -> dict[str, Any]:
    """The first of a row's fields that names its conversation, with its value; empty if none does.

    Raises LoadError for an id that can be none.
    """
    given = row if isinstance(row, Mapping) else {}
    if given.keys().isdisjoint(CONVERSATION_IDS):  # most rows
        return {}
    field = next((field for field in CONVERSATION_IDS if given.get(field) is not None), "")
    if isinstance(given.get(field), list | Mapping):
        raise LoadError(f"{field} is {kind_of(given[field])}, not text or a number")
    return {field: given[field]} if field else {}


def flat_conversation(messages: Iterable[Any] | None) -> Conversation:
    """Flat messages, Chat Completions messages, or a mixture, read leniently; each is the `source` of its Message."""
    return conversation_of(messages, as_flat_message, pair_results)


def as_flat_message(given: Any) -> Message:
    """One flat message as a Message; any other is read by `as_message`."""
    fields = mapping_of(given)
    role = fields.get("role")
    if role not in FLAT_ROLES:
        return as_message(given)
    message = _call(fields) if role == "tool_use" else _result(fields)
    row_id = json_text(fields.get("id")) or None
    return replace(message, id=row_id, timestamp=_time(fields), metadata={"role": role}, source=given)


def read_fields(row: Mapping[str, Any]) -> set[str]:
    """The fields of a call's or a result's row that are read, and those that repeat what is."""
    given, other = ("tool_input", "content") if "tool_input" in row else ("content", "tool_input")
    if row.get("role") == "tool_result":
        given, other = ("content", "tool_output") if row.get("content") else ("tool_output", "content")
    repeats = {other} if json_text(row.get(other)) == json_text(row.get(given)) else set()
    labels = (name for name in LABELS if name == "id" or not isinstance(row.get(name), list | Mapping))
    return {given, *repeats, *CONVERSATION_IDS, *labels}


def pair_results(messages: list[Message]) -> list[Message]:
    """Give results that name no call one: the call in their own id, else the oldest unanswered one of the turn."""
    paired: list[Message] = []
    waiting: list[str] = []
    for message in pair_by_order(messages):
        if message.role == "user":
            waiting = []
        waiting += [call.id for call in message.tool_calls]
        if message.role == "tool":
            wanted = message.tool_call_id or _by_row_id(message, waiting) or next(iter(waiting), None)
            if wanted in waiting:
                waiting.remove(wanted)
            message = message if message.tool_call_id else replace(message, tool_call_id=wanted)  # noqa: PLW2901
        paired.append(message)
    return paired


def _call(fields: Mapping[str, Any]) -> Message:
    name = json_text(fields.get("tool_name")) or json_text(fields.get("name"))
    arguments = fields["tool_input"] if "tool_input" in fields else fields.get("content")
    return Message("assistant", tool_calls=(ToolCall(json_text(fields.get("id")), name, json_text(arguments)),))


def _result(fields: Mapping[str, Any]) -> Message:
    result = fields.get("content") or fields.get("tool_output")
    return Message("tool", json_text(result), tool_call_id=json_text(fields.get("tool_use_id")) or None)


def _by_row_id(message: Message, waiting: list[str]) -> str | None:
    call = (message.id or "").removeprefix(RESULT_ID)
    return call if call != message.id and call in waiting else None


def _time(fields: Mapping[str, Any]) -> str | None:
    return iso_time(fields.get("timestamp") or fields.get("created_at"))
