"""Gemini contents as dicts: roles user and model, the results of one answer's calls in one content of the user's.

The system instruction stands beside the list; what is said in its role later on is the user's, marked, as nothing else
is taken. Calls have their ids, without which a result isn't known as theirs. Of images, sound and files there is a part
without data, as a conversation holds none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from historylab.conversation.message import Message
from historylab.formats.base import Losses
from historylab.formats.messages.gemini_contents import to_parts
from historylab.formats.messages.summary_marks import mark_summary
from historylab.formats.messages.written import unwrap_arguments
from historylab.formats.requests.gemini_items import messages_in_contents
from historylab.registry import register
from historylab.trimmers.base import ItemForm, WrittenItem, group_results

TYPES = {"image": "image/png", "audio": "audio/wav"}


@register("item_form", "gemini")
class GeminiItems(ItemForm):
    """A dict per content, with its parts."""

    system_inside = False

    def write(self, messages: Sequence[Message], marks: Sequence[str]) -> list[WrittenItem]:
        names = {call.id: call.name for message in messages for call in message.tool_calls}
        return [
            WrittenItem(_content([messages[i] for i in places], names), places) for places in group_results(messages)
        ]

    def read(self, item: Any) -> list[Message]:
        return [unwrap_arguments(message) for message in messages_in_contents([item])]


def _content(messages: Sequence[Message], names: Mapping[str, str]) -> dict[str, Any]:
    role = "model" if messages[0].role == "assistant" else "user"
    return {"role": role, "parts": [part for message in messages for part in _parts(message, names)]}


def _parts(message: Message, names: Mapping[str, str]) -> list[dict[str, Any]]:
    media = [{"inlineData": {"mimeType": TYPES.get(name, "application/pdf"), "data": ""}} for name in message.media]
    if message.role == "system":
        return [{"text": mark_summary(message.content)}, *media]
    parts = to_parts(message, names, Losses())
    if message.role != "tool":
        calls = [part["functionCall"] for part in parts if "functionCall" in part]
        for held, call in zip(calls, message.tool_calls, strict=True):
            held["id"] = call.id
        return [*parts, *media]
    result = {**parts[0]["functionResponse"], **({"parts": media} if media else {})}
    return [{"functionResponse": {**result, "id": message.tool_call_id or ""}}]
