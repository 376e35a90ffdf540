"""LlamaIndex' messages, each a `ChatMessage`, as its models and agents make them.

A result is a message of its own, whose call is named beside the text; calls are blocks. An answer of calls alone has no
text block. None has an id: a memory gives back the objects that it was given, and the mark is beside the text as well.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from historylab.conversation.message import Message, ToolCall
from historylab.errors import LoadError, needs
from historylab.formats.base import kind_of
from historylab.registry import register
from historylab.trimmers.base import ItemForm, WrittenItem

MARK, CALL, ROLE = "historylab_mark", "tool_call_id", "historylab_role"
OTHER_ROLES = {"developer": "system", "function": "tool", "chatbot": "assistant", "model": "assistant"}


@register("item_form", "llama_index")
class LlamaIndexMessages(ItemForm):
    """A `ChatMessage` per message, without images."""

    def __init__(self) -> None:
        with needs("llama-index-core", "LlamaIndex' form"):
            from llama_index.core.base.llms import types
        self._types = types

    def write(self, messages: Sequence[Message], marks: Sequence[str]) -> list[WrittenItem]:
        marked = enumerate(zip(messages, marks, strict=True))
        return [WrittenItem(self._write(message, mark), (place,)) for place, (message, mark) in marked]

    def read(self, item: Any) -> list[Message]:
        if not isinstance(item, self._types.ChatMessage):
            raise LoadError(f"{kind_of(item)} in place of a message of LlamaIndex'")
        beside = item.additional_kwargs
        role = beside.get(ROLE) or OTHER_ROLES.get(item.role.value, item.role.value)
        calls = tuple(_read_call(block) for block in item.blocks if isinstance(block, self._types.ToolCallBlock))
        return [Message(role, item.content or "", beside.get(MARK), tool_calls=calls, tool_call_id=beside.get(CALL))]

    def _write(self, message: Message, mark: str) -> Any:
        of, beside = self._types, {MARK: mark}
        blocks = [of.TextBlock(text=message.content)] if message.content or not message.tool_calls else []
        blocks += [
            of.ToolCallBlock(tool_call_id=call.id, tool_name=call.name, tool_kwargs=call.arguments)
            for call in message.tool_calls
        ]
        if message.tool_call_id is not None:
            beside[CALL] = message.tool_call_id
        if message.role not in ("system", "user", "assistant", "tool"):
            return of.ChatMessage(
                role=of.MessageRole.USER, blocks=blocks, additional_kwargs={**beside, ROLE: message.role}
            )
        return of.ChatMessage(role=of.MessageRole(message.role), blocks=blocks, additional_kwargs=beside)


def _read_call(block: Any) -> ToolCall:
    given = block.tool_kwargs
    arguments = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False, default=str)
    return ToolCall(block.tool_call_id or "", block.tool_name, arguments)
