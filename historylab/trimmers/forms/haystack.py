"""Haystack's `ChatMessage`: one per message and result, with arguments that are parsed and a result's call inside it.

Arguments that are no JSON object have a key of their own there; the text as the model wrote it stands in `extra`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from typing import Any

from historylab.conversation.message import Message, ToolCall
from historylab.errors import LoadError, needs
from historylab.formats.base import Losses, kind_of
from historylab.formats.messages.content_parts import medium_of
from historylab.formats.messages.written import object_arguments
from historylab.registry import register
from historylab.trimmers.base import ItemForm, WrittenItem

MARK = "historylab"
"""The key of a message's `meta` with its mark, and of a call's `extra` with its arguments as text."""


@register("item_form", "haystack")
class HaystackMessages(ItemForm):
    """A `ChatMessage` per message, without names; what it is goes by its `meta`, which copies keep."""

    def __init__(self) -> None:
        self._dataclasses = import_haystack("dataclasses")

    def write(self, messages: Sequence[Message], marks: Sequence[str]) -> list[WrittenItem]:
        calls = {call.id: call for message in messages for call in message.tool_calls}
        return [
            WrittenItem(self._message(message, {MARK: mark}, calls), (place,))
            for place, (message, mark) in enumerate(zip(messages, marks, strict=True))
        ]

    def read(self, item: Any) -> list[Message]:
        if not isinstance(item, self._dataclasses.ChatMessage):
            raise LoadError(f"{kind_of(item)} in place of a ChatMessage")
        mark = item.meta.get(MARK)
        results = [_result(result, mark) for result in item.tool_call_results]
        calls = tuple(map(_read_call, item.tool_calls))
        if results and not (item.texts or calls):
            return results
        media = ("image",) * len(item.images) + tuple(map(_medium, item.files))
        return [Message(item.role.value, "\n".join(item.texts), mark, tool_calls=calls, media=media), *results]

    def _message(self, message: Message, meta: dict[str, Any], calls: Mapping[str, ToolCall]) -> Any:
        made = self._dataclasses.ChatMessage
        if message.role == "tool":
            id = message.tool_call_id or ""
            origin = calls.get(id) or ToolCall(id, message.name or "")
            error = message.metadata.get("is_error") is True
            said: Any = self._parts(message) if message.media else message.content
            return made.from_tool(said, self._call(origin), error, meta)
        if message.role == "assistant":
            asked = list(map(self._call, message.tool_calls))
            return made.from_assistant(message.content or None, meta, tool_calls=asked)
        if message.role == "system":
            return made.from_system(message.content, meta)
        return made.from_user(meta=meta, content_parts=self._parts(message))

    def _parts(self, message: Message) -> list[Any]:
        """The text, and a part without data for each image, sound or file, as a conversation holds none."""
        made = self._dataclasses
        media = [
            made.ImageContent("", "image/png", validation=False)
            if name == "image"
            else made.FileContent("", "audio/wav" if name == "audio" else "text/plain", validation=False)
            for name in message.media
        ]
        return [*([made.TextContent(message.content)] if message.content or not media else []), *media]

    def _call(self, call: ToolCall) -> Any:
        given = object_arguments(call, Losses())
        return self._dataclasses.ToolCall(call.name, given, call.id or None, {MARK: call.arguments})


def import_haystack(module: str) -> Any:
    """A module of Haystack's, with its telemetry off: it looks for the variable when it is imported."""
    os.environ.setdefault("HAYSTACK_TELEMETRY_ENABLED", "False")
    with needs("haystack-ai", "a trimmer of Haystack's"):
        return import_module(f"haystack.{module}")


def _read_call(call: Any) -> ToolCall:
    read = ToolCall(call.id or "", call.tool_name, (call.extra or {}).get(MARK, ""))
    if object_arguments(read, Losses()) == call.arguments:
        return read
    return replace(read, arguments=json.dumps(call.arguments, ensure_ascii=False))


def _result(result: Any, mark: str | None) -> Message:
    parts = [] if isinstance(result.result, str) else result.result
    texts = [result.result] if isinstance(result.result, str) else [p.text for p in parts if hasattr(p, "text")]
    media = tuple(_medium(part) for part in parts if hasattr(part, "mime_type"))
    return Message("tool", "\n".join(texts), mark, tool_call_id=result.origin.id, media=media)


def _medium(part: Any) -> str:
    return medium_of(part.mime_type)
