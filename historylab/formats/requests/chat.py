"""OpenAI Chat Completions: an item is a message, and system messages stand among the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from historylab.conversation.message import Message
from historylab.errors import LoadError
from historylab.formats.messages.chat_messages import advice_on, pair_by_order, to_message, to_record
from historylab.formats.messages.rewritten import copy_nested
from historylab.formats.requests.form import Form, Group, Now


class ChatCompletions(Form):
    """Messages as the Chat Completions API takes them. The `source` of each is the caller's own object.

    Calls and results without ids are paired in order: a group goes from such a call to where none waits for its result.
    """

    name = "chat_completions"
    provider = "openai"
    field = "messages"

    def groups(self, items: Sequence[Any], start: int = 0) -> Iterator[Group]:
        place = start
        try:
            while place < len(items):
                message = to_message(items[place])
                group = (
                    self.group(items, place) if message.tool_calls and _calls_without_id(message) else (1, (message,))
                )
                yield group
                place += group[0]
        except LoadError:
            self.at(items, place)
            raise

    def one(self, item: Any) -> tuple[Message, ...]:
        return (to_message(item),)

    def group(self, items: Sequence[Any], start: int) -> Group:
        found = list(self.at(items, start))
        waiting = _calls_without_id(found[0])
        if not waiting:
            return 1, tuple(found)
        while waiting and start + len(found) < len(items):
            found += self.at(items, start + len(found))
            waiting += _calls_without_id(found[-1])
            if found[-1].role == "tool" and not found[-1].tool_call_id:
                answered = next((k for k, name in enumerate(waiting) if found[-1].name in (None, name)), None)
                waiting = [name for k, name in enumerate(waiting) if k != answered]
        return len(found), tuple(pair_by_order(found, start))

    def advice(self, item: Any) -> str:
        return f"; {advice_on(item)}"

    def items_of(self, messages: Sequence[Message], now: Now) -> list[Any]:
        place_of, items = now.places.get, now.items
        return [items[place] if (place := place_of(id(m.source))) is not None else _own_object(m) for m in messages]


def _own_object(message: Message) -> Any:
    """A message that is none of the caller's as one: a dict of which no other request has any part."""
    source = message.source
    if type(source) is not dict:
        return to_record(message) if source is None else source
    return {name: value if type(value) is str else copy_nested(value) for name, value in source.items()}


def _calls_without_id(message: Message) -> list[str]:
    """The names of the functions that a message calls without an id."""
    return [call.name for call in message.tool_calls if not call.id]
