"""Converts a plan into the plain messages that a Chat Completions server takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from historylab.conversation.message import Message
from historylab.formats.messages.chat_messages import to_record
from historylab.planning.plan import HistoryPlan

PARTS = frozenset({"text", "image_url", "input_audio", "file"})
"""Types of content parts that the API takes."""


def request_of(plan: HistoryPlan) -> list[dict[str, Any]]:
    """The messages of `plan.render()`, in order: role, text, calls and images, without what else a file had on them."""
    return [_record(message) for message in plan.render()]


def _record(message: Message) -> dict[str, Any]:
    record = to_record(message)
    given = message.source.get("content") if isinstance(message.source, Mapping) else None
    if message.media and isinstance(given, list) and all(_is_part(part) for part in given):
        record["content"] = given  # the images themselves, which a Message only names
    return record


def _is_part(part: Any) -> bool:
    return isinstance(part, Mapping) and part.get("type") in PARTS
