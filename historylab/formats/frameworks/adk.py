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
from historylab.formats.messages.chat_messages import iso_time
from historylab.formats.messages.fields import list_in, object_in, text_in
from historylab.formats.messages.gemini_contents import read_gemini_content
from historylab.formats.messages.paths import value_at
from historylab.formats.messages.record_groups import Grouping, value_recogniser
from historylab.formats.messages.usage import to_usage
from historylab.registry import register

INVOCATIONS = ("invocationId", "invocation_id")
USAGES = ("usageMetadata", "usage_metadata")


def is_event(value: Any) -> bool:
    """Tell whether it is an event: an author, and what was invoked or came of it."""
    return isinstance(value, dict) and isinstance(value.get("author"), str) and any(map(value.get, INVOCATIONS))


def has_said(value: Any) -> bool:
    """Tell whether it is an event of which any part is there."""
    return is_event(value) and bool(list_in(object_in(value, "content"), "parts"))


GROUPING = Grouping(("events",), is_event)


@register(
    "format",
    title="Agent Development Kit",
    recognise=value_recogniser(has_said, 0.9, "events"),
    marks="invocationId invocation_id",
    source="google/adk-docs, docs/events/index.md",
    checked="google/adk-python, contributing/samples/tools/parallel_functions/tests/test_parallel_mixed.json",
)
def adk(content: Content, report: Report) -> Iterator[Conversation]:
    """Sessions of the Agent Development Kit: what was said, called and returned, with times and usage."""
    for group in GROUPING.groups(content.values, report):
        said = {"conversation_id": text_in(group.beside, "id"), "provider": "google"}
        yield group.conversation(group.messages(_messages, report), report, **said)


def _messages(event: Any, where: str, report: Report) -> list[Message]:
    if not isinstance(event, dict):
        report.skip(f"{kind_of(event)}, not an event", where)
        return []
    content, partial = object_in(event, "content"), event.get("partial") is True
    if partial or not list_in(content, "parts"):
        report.pass_over("a piece of an event that follows whole" if partial else "an event without a content", where)
        return []
    report.records += 1
    read = read_gemini_content(content, where, report, "user" if event.get("author") == "user" else "model")
    id, time, usage = text_in(event, "id"), iso_time(event.get("timestamp")), to_usage(value_at(event, USAGES))
    told = {"usage": usage} if usage else {}
    return [
        replace(m, id=id, timestamp=time, metadata={**m.metadata, **(told if m.role == "assistant" else {})})
        for m in read
    ]
