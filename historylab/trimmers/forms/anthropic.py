"""Anthropic messages as dicts: content blocks, the results of one answer's calls in one message of the user's.

The system prompt stands beside the list. What is said in its role later on is a message of that role, as the API takes
it. Of images, sound and files there is a block without data, as a conversation holds none.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from historylab.conversation.message import Message
from historylab.formats.base import Losses
from historylab.formats.messages.anthropic_blocks import content_of, text_block, to_blocks
from historylab.formats.messages.written import unwrap_arguments
from historylab.formats.requests.anthropic_items import messages_from_item
from historylab.registry import register
from historylab.trimmers.base import ItemForm, WrittenItem, group_results

UNNAMED = "historylab_call_"
ROLES = ("assistant", "system")


@register("item_form", "anthropic")
class AnthropicItems(ItemForm):
    """A dict per message, with a text or blocks as its content."""

    system_inside = False

    def write(self, messages: Sequence[Message], marks: Sequence[str]) -> list[WrittenItem]:
        named = list(_name_calls(messages, marks))
        return [WrittenItem(_item([named[i] for i in places]), places) for places in group_results(named)]

    def read(self, item: Any) -> list[Message]:
        return [_as_it_was(unwrap_arguments(message)) for message in messages_from_item(item)]


def _name_calls(messages: Sequence[Message], marks: Sequence[str]) -> Iterator[Message]:
    """The messages, with an id for each call and result that has none, which this API requires: paired in order."""
    waiting = deque[str]()
    for message, mark in zip(messages, marks, strict=True):
        if message.role == "tool" and not message.tool_call_id:
            yield replace(message, tool_call_id=waiting.popleft() if waiting else f"{UNNAMED}{mark}")
            continue
        calls = [
            call if call.id else replace(call, id=f"{UNNAMED}{mark}_{k}") for k, call in enumerate(message.tool_calls)
        ]
        if message.tool_calls:
            waiting = deque(now.id for now, call in zip(calls, message.tool_calls, strict=True) if not call.id)
        yield replace(message, tool_calls=tuple(calls)) if waiting else message


def _as_it_was(message: Message) -> Message:
    """Without ids of ours."""
    calls = tuple(replace(call, id="") if call.id.startswith(UNNAMED) else call for call in message.tool_calls)
    own = message.tool_call_id and message.tool_call_id.startswith(UNNAMED)
    return replace(message, tool_calls=calls, tool_call_id=None) if own or calls != message.tool_calls else message


def _item(messages: Sequence[Message]) -> dict[str, Any]:
    role = messages[0].role if messages[0].role in ROLES else "user"
    return {"role": role, "content": content_of([block for message in messages for block in _blocks(message)])}


def _blocks(message: Message) -> list[dict[str, Any]]:
    """The blocks of a message. A text of nothing but spaces is one, too: it is there to be counted and dropped."""
    said = [text_block(message.content)] if message.content else []
    media = [_medium(name) for name in message.media]
    if message.role != "tool":
        return [*said, *media, *to_blocks(replace(message, content=""), Losses())]
    (result,) = to_blocks(message, Losses())
    return [{**result, "content": [*said, *media]} if media else result]


def _medium(name: str) -> dict[str, Any]:
    kind, media_type = ("document", "application/pdf") if name == "file" else (name, f"{name}/*")
    return {"type": kind, "source": {"type": "base64", "media_type": media_type, "data": ""}}
