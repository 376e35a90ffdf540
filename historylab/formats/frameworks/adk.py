"""Sessions of Google's Agent Development Kit: an object with its `events`, or their list, as `/run` returns it.

An event is a content of the Gemini API with an author, an invocation and a time. What a stream sends in pieces is
`partial`, and follows whole. Source: google/adk-docs, docs/events; responses of its API server, 1.2 to 1.12.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.formats.base import Report, kind_of
from historylab.formats.files.content import Content
from historylab.formats.messages.chat_messages import iso_time, pair_by_order
from historylab.formats.messages.fields import list_in, object_in, text_in
from historylab.formats.messages.gemini_contents import read_gemini_content
from historylab.formats.messages.record_groups import Grouping
from historylab.formats.messages.usage import to_usage
from historylab.registry import register

INVOCATIONS = ("invocationId", "invocation_id")
USAGES = ("usageMetadata", "usage_metadata")


def is_event(value: Any) -> bool:
    """Tell whether it is an event: an author, and what was invoked or came of it."""
    return isinstance(value, dict) and isinstance(value.get("author"), str) and any(map(value.get, INVOCATIONS))


GROUPING = Grouping(("events",), is_event)


def has_events(content: Content) -> float:
    """0.9 for events of which any has parts."""
    found = filter(is_event, GROUPING.sample(content.values))
    return 0.9 if any(list_in(object_in(event, "content"), "parts") for event in found) else 0


@register(
    "format",
    title="Agent Development Kit",
    recognise=has_events,
    marks="invocationId invocation_id",
    source="google/adk-docs, docs/events/index.md",
)
def adk(content: Content, report: Report) -> Iterator[Conversation]:
    """Sessions of the Agent Development Kit: what was said, called and returned, with times and usage."""
    for group in GROUPING.groups(content.values, report):
        messages = [message for where, event in group.records for message in _messages(event, where, report)]
        said = {"conversation_id": text_in(group.beside, "id"), "provider": "google"}
        yield group.conversation(pair_by_order(messages), report, **said)


def _messages(event: Any, where: str, report: Report) -> list[Message]:
    if not isinstance(event, dict):
        report.skip(f"{kind_of(event)}, not an event", where)
        return []
    content = object_in(event, "content")
    if event.get("partial") is True or not list_in(content, "parts"):
        reason = (
            "a piece of an event that follows whole" if event.get("partial") is True else "an event without a content"
        )
        report.pass_over(reason, where)
        return []
    report.records += 1
    role = "user" if event.get("author") == "user" else "model"
    usage = next((found for name in USAGES if (found := to_usage(event.get(name)))), None)
    return [
        replace(
            message,
            id=text_in(event, "id"),
            timestamp=iso_time(event.get("timestamp")),
            metadata={**message.metadata, **({"usage": usage} if usage and message.role == "assistant" else {})},
        )
        for message in read_gemini_content(content, where, report, role)
    ]
