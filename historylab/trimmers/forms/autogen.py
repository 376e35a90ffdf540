"""AutoGen's messages, as its agents put them into a context, and the views that a context gives.

All results of an assistant message are one message. A text beside calls is the thought that led to them. Every message
of a user or an assistant says who it is from: by name, else by role. None has an id: a context gives back the objects
that it was given.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from historylab.conversation.message import Message, ToolCall
from historylab.errors import LoadError, needs
from historylab.formats.base import kind_of
from historylab.registry import register
from historylab.trimmers.base import ItemForm, WrittenItem, group_results


@register("item_form", "autogen")
class AutogenMessages(ItemForm):
    """A message of `autogen_core.models` per message, or for all results of an assistant message."""

    def __init__(self) -> None:
        with needs("autogen-core", "a list of AutoGen's messages"):
            from autogen_core import FunctionCall, models
        self._call, self._models = FunctionCall, models

    def write(self, messages: Sequence[Message], marks: Sequence[str]) -> list[WrittenItem]:
        names = {call.id: call.name for message in messages for call in message.tool_calls}
        grouped = group_results(messages)
        return [WrittenItem(self._write([messages[place] for place in places], names), places) for places in grouped]

    def read(self, item: Any) -> list[Message]:
        if isinstance(item, self._models.FunctionExecutionResultMessage):
            return [Message("tool", one.content, tool_call_id=one.call_id or None) for one in item.content]
        if isinstance(item, self._models.SystemMessage):
            return [Message("system", item.content)]
        if isinstance(item, self._models.UserMessage):
            return [Message("user", _text(item.content))]
        if isinstance(item, self._models.AssistantMessage):
            return [_read_assistant(item)]
        raise LoadError(f"{kind_of(item)} in place of a message of AutoGen's")

    def _write(self, messages: Sequence[Message], names: Mapping[str, str]) -> Any:
        message = messages[0]
        if message.role == "tool":
            return self._models.FunctionExecutionResultMessage(content=[self._result(one, names) for one in messages])
        if message.role == "system":
            return self._models.SystemMessage(content=message.content)
        source = message.name or message.role
        if message.role != "assistant":
            return self._models.UserMessage(content=message.content, source=source)
        calls = [self._call(call.id, call.arguments, call.name) for call in message.tool_calls]
        thought = message.content or None if calls else None
        return self._models.AssistantMessage(content=calls or message.content, thought=thought, source=source)

    def _result(self, message: Message, names: Mapping[str, str]) -> Any:
        call_id = message.tool_call_id or ""
        name = names.get(call_id) or message.name or ""
        return self._models.FunctionExecutionResult(content=message.content, name=name, call_id=call_id)


class ContextView:
    """A view that a context gives of all that it holds; each is of a context of its own, as none is changed."""

    form = "autogen"
    system_inside = False
    carries = False
    asked = "request"
    summarizes = False

    def __init__(self, open_context: Callable[[list[Any]], Any]):
        self._open = open_context

    async def __call__(self, items: list[Any]) -> list[Any]:
        sent: list[Any] = await self._open(items).get_messages()
        return sent


def import_contexts() -> Any:
    """The library's module of contexts, imported where it is used."""
    with needs("autogen-core", "a list of AutoGen's messages"):
        from autogen_core import model_context
    return model_context


def _read_assistant(item: Any) -> Message:
    if isinstance(item.content, str):
        return Message("assistant", item.content)
    calls = tuple(ToolCall(call.id, call.name, call.arguments) for call in item.content)
    return Message("assistant", item.thought or "", tool_calls=calls)


def _text(content: Any) -> str:
    """The texts of a user's message, without its images."""
    return content if isinstance(content, str) else "\n".join(part for part in content if isinstance(part, str))
