"""LangChain's messages: one of its objects for each message, which knows its mark as `id`.

Names aren't set: its messages from a model have none, and its approximate counter would count them. Arguments are
parsed, as it holds them, and those that are no JSON object are an invalid call; their text is in `additional_kwargs`,
where its models put it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from historylab.conversation.message import Message, ToolCall
from historylab.errors import LoadError, needs
from historylab.formats.base import kind_of
from historylab.formats.messages.chat_messages import to_message
from historylab.formats.messages.rewritten import copy_nested
from historylab.registry import register
from historylab.trimmers.base import ItemForm, WrittenItem

ROLES = {"human": "user", "ai": "assistant", "system": "system", "tool": "tool", "function": "tool"}

TokenCounter: TypeAlias = Annotated[
    Literal["approximate", "len"] | SkipJsonSchema[Callable[..., Any]],
    Field(description="`approximate` takes four characters for a token, `len` counts messages; or a function"),
]
"""The counters that LangChain's trimmers take."""


@register("item_form", "langchain")
class LangChainMessages(ItemForm):
    """A message of `langchain_core.messages` per message. Images are there where the file had their data."""

    def __init__(self) -> None:
        with needs("langchain-core", "LangChain's form"):
            from langchain_core import messages
        self._messages = messages

    def write(self, messages: Sequence[Message], marks: Sequence[str]) -> list[WrittenItem]:
        marked = enumerate(zip(messages, marks, strict=True))
        return [WrittenItem(self._write(message, mark), (place,)) for place, (message, mark) in marked]

    def read(self, item: Any) -> list[Message]:
        if not isinstance(item, self._messages.BaseMessage) or item.type == "remove":
            raise LoadError(f"{kind_of(item)} in place of a message of LangChain's")
        text, media = _read_content(item, self._messages.convert_to_openai_messages)
        role = item.role if item.type == "chat" else ROLES.get(item.type, item.type)
        result = getattr(item, "tool_call_id", None) or None
        return [Message(role, text, item.id, tool_calls=_read_calls(item), tool_call_id=result, media=media)]

    def _write(self, message: Message, mark: str) -> Any:
        content, of = _content_of(message), self._messages
        if message.role == "tool":
            return of.ToolMessage(content=content, id=mark, tool_call_id=message.tool_call_id or "")
        if message.role == "assistant":
            return of.AIMessage(content=content, id=mark, **_write_calls(message.tool_calls))
        if message.role == "system":
            return of.SystemMessage(content=content, id=mark)
        if message.role == "user":
            return of.HumanMessage(content=content, id=mark)
        return of.ChatMessage(content=content, id=mark, role=message.role)


def function_of(counter: TokenCounter) -> Callable[..., Any]:
    """The function that counts, of LangChain's own name for it."""
    from langchain_core.messages.utils import count_tokens_approximately

    named: dict[object, Callable[..., Any]] = {"approximate": count_tokens_approximately, "len": len}
    return counter if callable(counter) else named[counter]


def _content_of(message: Message) -> Any:
    """The text; of a message with images or files the app's own parts, where they are known."""
    source = message.source if message.media else None
    parts = source.get("content") if isinstance(source, dict) else None
    return copy_nested(parts) if isinstance(parts, list) else message.content


def _write_calls(calls: Sequence[ToolCall]) -> dict[str, Any]:
    held = [{"id": call.id, "name": call.name, "args": _parse(call.arguments)} for call in calls]
    texts = [{"id": c.id, "function": {"name": c.name, "arguments": c.arguments}} for c in calls]
    return {
        "tool_calls": [each for each in held if isinstance(each["args"], dict)],
        "invalid_tool_calls": [{**each, "error": None} for each in held if isinstance(each["args"], str)],
        "additional_kwargs": {"tool_calls": texts} if texts else {},
    }


def _parse(arguments: str) -> dict[str, Any] | str:
    """The arguments by name; the text, where it is no JSON object."""
    try:
        found = json.loads(arguments or "{}", strict=False) or {}
    except ValueError:
        return arguments
    return found if isinstance(found, dict) else arguments


def _read_calls(item: Any) -> tuple[ToolCall, ...]:
    """The calls, in the order and with the arguments that were written, unless they were changed since."""
    held = [*getattr(item, "tool_calls", ()), *getattr(item, "invalid_tool_calls", ())]
    written = tuple(_as_written(text) for text in item.additional_kwargs.get("tool_calls", ()) if held)
    calls = tuple(next((call for call in written if _is_held(call, one)), _as_call(one)) for one in held)
    return written if Counter(written) == Counter(calls) else calls


def _as_written(text: Mapping[str, Any]) -> ToolCall:
    function = text["function"]
    return ToolCall(text.get("id") or "", function["name"] or "", function["arguments"] or "")


def _is_held(call: ToolCall, held: Mapping[str, Any]) -> bool:
    said = held["id"] or "", held["name"] or "", held["args"]
    return said == (call.id, call.name, _parse(call.arguments))


def _as_call(held: Mapping[str, Any]) -> ToolCall:
    given = held["args"]
    arguments = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False, default=str)
    return ToolCall(held["id"] or "", held["name"] or "", arguments)


def _read_content(item: Any, as_record: Any) -> tuple[str, tuple[str, ...]]:
    """Text and media; of parts as LangChain itself writes them for Chat Completions."""
    if isinstance(item.content, str):
        return item.content, ()
    try:
        read = to_message(as_record(item), partly=True)
    except ValueError as problem:
        raise LoadError(f"parts of a message of LangChain's that can't be read: {problem}") from None
    return read.content, read.media
