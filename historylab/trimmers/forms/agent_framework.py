"""Microsoft Agent Framework's `Message`, as its function calling makes them, and lists that are compacted by marks.

All results of an assistant message are one message. Names are set (`author_name`); no strategy reads them. A message's
id is its mark; those of several results stand in its additional properties, which are neither counted nor sent.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from historylab.conversation.message import Message, ToolCall
from historylab.errors import LoadError, needs
from historylab.formats.base import kind_of
from historylab.registry import register
from historylab.trimmers.base import ItemForm, WrittenItem, group_results

MARKS = "historylab"
"""The key of a message's additional properties with the marks of the results in it."""
ROLES = ("system", "user", "assistant", "tool")


@register("item_form", "agent_framework")
class AgentFrameworkMessages(ItemForm):
    """A `Message` per message, or for all results of an assistant message."""

    def __init__(self) -> None:
        framework = import_agent_framework()
        self._message, self._content = framework.Message, framework.Content

    def write(self, messages: Sequence[Message], marks: Sequence[str]) -> list[WrittenItem]:
        return [
            WrittenItem(self._write([messages[i] for i in places], [marks[i] for i in places]), places)
            for places in group_results(messages)
        ]

    def read(self, item: Any) -> list[Message]:
        if not isinstance(item, self._message):
            raise LoadError(f"{kind_of(item)} in place of a Message")
        results = _read_results(item)
        calls = tuple(_read_call(content) for content in item.contents if content.type == "function_call")
        text = "\n".join(content.text for content in item.contents if content.type == "text")
        if results and not (text or calls):
            return results
        return [Message(str(item.role), text, item.message_id, tool_calls=calls), *results]

    def _write(self, messages: Sequence[Message], marks: Sequence[str]) -> Any:
        message = messages[0]
        role = message.role if message.role in ROLES else "user"
        contents = list(map(self._result, messages)) if role == "tool" else self._contents(message)
        kept = {MARKS: list(marks)} if role == "tool" else None
        return self._message(role, contents, author_name=message.name, message_id=marks[0], additional_properties=kept)

    def _contents(self, message: Message) -> list[Any]:
        called = self._content.from_function_call
        calls = [called(call.id, call.name, arguments=call.arguments) for call in message.tool_calls]
        return [message.content, *calls] if message.content else calls

    def _result(self, message: Message) -> Any:
        return self._content.from_function_result(message.tool_call_id or "", result=message.content)


class CompactedList:
    """A list that a strategy compacts: what it excluded stays in it, marked, and what is new is appended.

    The strategy is run as the framework runs it, on the list that is kept here; what is included is sent. So an app
    does that keeps one list. An agent with a session begins each run with all of it, unmarked, and its instructions
    are not in the list.
    """

    form = "agent_framework"
    system_inside = True
    carries = True
    asked = "request"
    summarizes = False

    def __init__(self, strategy: Any):
        self._strategy, self._messages = strategy, list[Any]()
        self._compact = import_agent_framework().apply_compaction

    async def __call__(self, items: list[Any]) -> list[Any]:
        listed = {message.message_id for message in self._messages}
        self._messages += [item for item in items if item.message_id not in listed]
        sent: list[Any] = await self._compact(self._messages, strategy=self._strategy)
        return sent


def import_agent_framework() -> Any:
    """The library, imported where it is used."""
    with needs("agent-framework-core", "a list of Agent Framework's messages"):
        import agent_framework
    return agent_framework


def _read_results(item: Any) -> list[Message]:
    found = [content for content in item.contents if content.type == "function_result"]
    marks = item.additional_properties.get(MARKS, ())
    if len(marks) != len(found):  # some were taken out
        marks = [item.message_id] * len(found)
    return [
        Message("tool", str(content.result or ""), mark, tool_call_id=content.call_id or None)
        for content, mark in zip(found, marks, strict=True)
    ]


def _read_call(content: Any) -> ToolCall:
    arguments = content.arguments
    text = json.dumps(arguments, ensure_ascii=False) if isinstance(arguments, Mapping) else arguments or ""
    return ToolCall(content.call_id or "", content.name or "", text)
