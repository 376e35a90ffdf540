"""Semantic Kernel's `ChatMessageContent`, as its function calling adds them, and histories that are reduced.

Every result is a message of its own. Names are set where a message has one; no reducer reads them. A message's mark
stands in its metadata.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from historylab.conversation.message import Message, ToolCall
from historylab.errors import LoadError, needs
from historylab.formats.base import kind_of
from historylab.registry import register
from historylab.trimmers.base import ItemForm, WrittenItem

MARK = "historylab"
"""The key of a message's metadata with its mark."""
ROLES = ("system", "user", "assistant", "tool")


@register("item_form", "semantic_kernel")
class SemanticKernelMessages(ItemForm):
    """A `ChatMessageContent` per message."""

    def __init__(self) -> None:
        self._contents = import_contents()

    def write(self, messages: Sequence[Message], marks: Sequence[str]) -> list[WrittenItem]:
        names = {call.id: call.name for message in messages for call in message.tool_calls}
        return [
            WrittenItem(self._write(message, mark, names), (place,))
            for place, (message, mark) in enumerate(zip(messages, marks, strict=True))
        ]

    def read(self, item: Any) -> list[Message]:
        if not isinstance(item, self._contents.ChatMessageContent):
            raise LoadError(f"{kind_of(item)} in place of a ChatMessageContent")
        own, parts = item.metadata.get(MARK), self._contents
        results = [
            Message("tool", str(part.result), own, tool_call_id=part.id or None)
            for part in item.items
            if isinstance(part, parts.FunctionResultContent)
        ]
        calls = tuple(_read_call(part) for part in item.items if isinstance(part, parts.FunctionCallContent))
        text = "\n".join(part.text for part in item.items if isinstance(part, parts.TextContent))
        if results and not (text or calls):
            return results
        return [Message(item.role.value, text, own, tool_calls=calls), *results]

    def _write(self, message: Message, mark: str, names: Mapping[str, str]) -> Any:
        parts = self._contents
        if message.role == "tool":
            id, name = message.tool_call_id or "", names.get(message.tool_call_id or "") or message.name
            items = [parts.FunctionResultContent(id=id, name=name, result=message.content)]
        else:
            items = [parts.TextContent(text=message.content)] if message.content else []
            items += [
                parts.FunctionCallContent(id=call.id, name=call.name, arguments=call.arguments)
                for call in message.tool_calls
            ]
        role = message.role if message.role in ROLES else "user"
        return parts.ChatMessageContent(role=role, items=items, name=message.name, metadata={MARK: mark})


class ReducedHistory:
    """A history that a reducer is, and leaves shorter."""

    form = "semantic_kernel"
    system_inside = True
    carries = True
    asked = "request"
    summarizes = False

    def __init__(self, reducer: Any):
        self._reducer = reducer

    async def __call__(self, items: list[Any]) -> list[Any]:
        self._reducer.messages = items
        await self._reducer.reduce()
        return list(self._reducer.messages)


def import_contents() -> Any:
    """The library's module of messages, imported where it is used."""
    with needs("semantic-kernel", "a list of Semantic Kernel's messages"):
        from semantic_kernel import contents
    return contents


def _read_call(part: Any) -> ToolCall:
    arguments = part.arguments
    text = json.dumps(arguments, ensure_ascii=False) if isinstance(arguments, Mapping) else arguments or ""
    return ToolCall(part.id or "", part.name or "", text)
