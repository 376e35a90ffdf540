"""A caller's own list of messages as a conversation, read leniently; each object becomes the `source` of its Message.

No role, content or tool call is an error. A result without its call, and a call without its result, keep their place as
plain messages.
"""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from historylab.conversation.columns import NEVER
from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message, ToolCall
from historylab.errors import LoadError
from historylab.formats.messages.chat_messages import pair_by_order, to_message
from historylab.formats.messages.content_parts import mapping_of, read_content

UNPAIRED = "unpaired"  # the role of a result without its call


def as_message(given: Any) -> Message:
    """Any mapping or SDK object as a Message. Roles are kept as written: "developer" does not become "system"."""
    fields = mapping_of(given)
    try:
        message = to_message(given, partly=True)
    except LoadError:
        return _as_far_as_read(fields, given)
    return replace(message, role="developer") if fields.get("role") == "developer" else message


def conversation_of(
    messages: Iterable[Any] | None,
    read: Callable[[Any], Message] = as_message,
    pair: Callable[[list[Message]], list[Message]] = pair_by_order,
) -> Conversation:
    """The caller's messages as a conversation; None is an empty list. Raises LoadError for anything but a list.

    `read` converts one object to a Message; `pair` adds ids to calls and results that have none.
    """
    if isinstance(messages, str | bytes | Mapping):
        raise LoadError(f"a list of messages is meant, not {type(messages).__name__} {messages!r:.60}")
    return without_broken_pairs(Conversation(pair([read(given) for given in messages or ()])))


def without_broken_pairs(conversation: Conversation) -> Conversation:
    """The same messages, without unanswered calls; a result without its call gets the role `unpaired`."""
    columns = conversation.columns
    if columns.clean:
        return conversation
    messages = list(conversation)
    for i in np.flatnonzero(columns.orphan[columns.block]).tolist():
        messages[i] = replace(messages[i], role=UNPAIRED)
    for block in np.flatnonzero(columns.answered_at == NEVER).tolist():
        caller, *results = np.flatnonzero(columns.block == block).tolist()
        answered = Tally(messages[i].tool_call_id for i in results)
        messages[caller] = replace(
            messages[caller], tool_calls=tuple(_answered_calls(messages[caller].tool_calls, answered))
        )
    return conversation.edited(messages)


def _answered_calls(calls: Iterable[ToolCall], answers: Tally[str | None]) -> Iterator[ToolCall]:
    for call in calls:
        if answers[call.id]:
            answers[call.id] -= 1
            yield call


def _as_far_as_read(fields: Mapping[str, Any], given: Any) -> Message:
    role, content, calls = fields.get("role"), fields.get("content"), fields.get("tool_calls")
    calls = [call for call in calls if isinstance(call, Mapping)] if isinstance(calls, list | tuple) else []
    result_of = fields.get("tool_call_id")
    return Message(
        role if isinstance(role, str) else "",
        content if isinstance(content, str) else read_content(content)[0] if isinstance(content, list | tuple) else "",
        tool_calls=tuple(ToolCall(str(call.get("id") or ""), str(call.get("name") or "")) for call in calls),
        tool_call_id=None if result_of is None else str(result_of),
        source=given,
    )
