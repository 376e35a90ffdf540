"""Chat Completions messages as dicts, as most apps of one's own and LiteLLM hold them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from historylab.conversation.message import Message
from historylab.errors import LoadError
from historylab.formats.messages.chat_messages import to_message, to_record
from historylab.formats.messages.rewritten import copy_nested
from historylab.registry import register
from historylab.trimmers.base import ItemForm, WrittenItem


@register("item_form", "chat_completions")
class ChatItems(ItemForm):
    """A dict per message. The app's own fields, images among them, are there where the file had this form."""

    def write(self, messages: Sequence[Message], marks: Sequence[str]) -> list[WrittenItem]:
        return [WrittenItem(_record(message), (place,)) for place, message in enumerate(messages)]

    def read(self, item: Any) -> list[Message]:
        return [to_message(item)]


def _record(message: Message) -> dict[str, Any]:
    source = message.source
    if type(source) is dict and "role" in source:
        try:
            if to_message(source) == message:
                return dict(copy_nested(source))
        except LoadError:  # a record of another form
            pass
    return to_record(message)
