"""The AI SDK's `ModelMessage`s, as JSON: content in parts, and the results of a step in one message.

They have no ids, but keep `providerOptions`, of messages and of parts; a provider that isn't asked is no matter there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message, ToolCall
from historylab.errors import LoadError
from historylab.formats.base import Losses, kind_of
from historylab.formats.frameworks.ai_sdk import read_model_message, to_model_messages
from historylab.formats.requests.form import STRICT
from historylab.registry import register
from historylab.trimmers.base import ItemForm, WrittenItem, group_results, mark_message

OWN = "historylab"
"""The name under which `providerOptions` has the mark of a message or a result, and the text of a call's arguments."""


@register("item_form", "ai_sdk")
class ModelMessages(ItemForm):
    """A dict per message, and one for all results in a row. Thinking is written as reasoning."""

    def write(self, messages: Sequence[Message], marks: Sequence[str]) -> list[WrittenItem]:
        records = to_model_messages(Conversation(messages), Losses())
        groups = list(group_results(messages))
        for record, places in zip(records, groups, strict=True):
            _mark(record, messages[places[0]], [marks[place] for place in places])
        return [WrittenItem(record, places) for record, places in zip(records, groups, strict=True)]

    def read(self, item: Any) -> list[Message]:
        if not isinstance(item, Mapping):
            raise LoadError(f"{kind_of(item)} in place of a message")
        found, parts = read_model_message(dict(item), "", STRICT), _parts_of(item)
        if item.get("role") == "tool":  # without results it says nothing
            results = [part for part in parts if part.get("type") == "tool-result"]
            return [mark_message(m, _own(part).get("mark")) for m, part in zip(found, results, strict=bool(results))]
        mark = _own(item).get("mark")
        asked = [part for part in parts if part.get("type") == "tool-call"]
        return [mark_message(_with_own_text(m, asked) if m.tool_calls else m, mark) for m in found]


def _mark(record: dict[str, Any], message: Message, marks: Sequence[str]) -> None:
    """Note in a new record which messages it is, and that it has images, sound or files, if without their data."""
    if record["role"] == "tool":
        for part, mark in zip(record["content"], marks, strict=True):
            part["providerOptions"] = {OWN: {"mark": mark}}
        return
    record["providerOptions"] = {OWN: {"mark": marks[0]}}
    if message.media:
        text = [{"type": "text", "text": message.content}] if message.content else []
        record["content"] = [*(_parts_of(record) or text), *map(_file, message.media)]
    asked = [part for part in _parts_of(record) if part["type"] == "tool-call"]
    for part, call in zip(asked, message.tool_calls, strict=True):
        part["providerOptions"] = {OWN: {"arguments": call.arguments}}


def _with_own_text(message: Message, asked: Sequence[Mapping[str, Any]]) -> Message:
    """With the arguments of its calls as the model wrote them."""
    texts = [_own(part).get("arguments") for part in asked]
    calls = zip(message.tool_calls, texts, strict=True)
    own = (call if text is None else ToolCall(call.id, call.name, text) for call, text in calls)
    return replace(message, tool_calls=tuple(own))


def _file(medium: str) -> dict[str, Any]:
    return {"type": "file", "data": "", "mediaType": f"{medium}/*" if medium in ("image", "audio") else "text/plain"}


def _parts_of(record: Mapping[str, Any]) -> list[dict[str, Any]]:
    content = record.get("content")
    return [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []


def _own(held: Mapping[str, Any]) -> Mapping[str, Any]:
    """Our own notes in the options of a message or part."""
    options = held.get("providerOptions")
    own = options.get(OWN) if isinstance(options, Mapping) else None
    return own if isinstance(own, Mapping) else {}
