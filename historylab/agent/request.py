"""Converts a plan into the plain messages that a Chat Completions server takes."""

from __future__ import annotations

from typing import Any

from historylab.conversation.message import Message
from historylab.formats.messages.chat_messages import chat_parts, to_record
from historylab.planning.plan import HistoryPlan


def request_of(plan: HistoryPlan) -> list[dict[str, Any]]:
    """The messages of `plan.render()`, in order: role, text, calls and images, without what else a file had on them."""
    return [_record(message) for message in plan.render()]


def _record(message: Message) -> dict[str, Any]:
    record = to_record(message)
    if parts := chat_parts(message):
        record["content"] = parts  # the images themselves, which a Message only names
    return record
