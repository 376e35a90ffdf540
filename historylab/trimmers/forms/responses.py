"""Items of OpenAI's Responses API, which the OpenAI Agents SDK holds as well: a text, a call, a result are one each.

The prompt is no item: it stands beside the list, as `instructions`. Texts and calls of the model have ids, as the API
answers with them; what is sent to it has none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from historylab.conversation.message import Message
from historylab.formats.messages.responses_items import read_item, to_items
from historylab.formats.requests.form import Strict, fields_of
from historylab.registry import register
from historylab.trimmers.base import ItemForm, WrittenItem, mark_message


@register("item_form", "responses")
class ResponsesItems(ItemForm):
    """Several items where a message has a text and calls, in the shape in which the API answers."""

    system_inside = False

    def write(self, messages: Sequence[Message], marks: Sequence[str]) -> list[WrittenItem]:
        return [
            WrittenItem(item, (place,))
            for place, (message, mark) in enumerate(zip(messages, marks, strict=True))
            for item in _items(message, mark)
        ]

    def read(self, item: Any) -> list[Message]:
        fields = fields_of(item)
        mark = _mark_in(fields.get("id"))
        return [mark_message(message, mark) for message in read_item(fields, "", LENIENT_ON_IDS)]


PARTS: Mapping[str, dict[str, Any]] = {
    "image": {"type": "input_image", "image_url": "", "detail": "auto"},
    "audio": {"type": "input_audio", "input_audio": {"data": "", "format": "wav"}},
    "file": {"type": "input_file", "file_data": ""},
}
"""Medium → its part, without data, as a conversation holds none."""


class _LenientOnIds(Strict):
    """Refuses what is no item; a call or a result may lack its id, as in the conversation."""

    def lack(self, reason: str, where: str) -> None:
        self.warn(reason, where)


LENIENT_ON_IDS = _LenientOnIds()


def _items(message: Message, mark: str) -> Iterator[dict[str, Any]]:
    for place, item in enumerate(to_items(message)):
        if message.role == "assistant":
            yield _as_answered(item, f"{mark}_{place}")
        else:
            yield _with_media(item, message) if message.media else item


def _with_media(item: dict[str, Any], message: Message) -> dict[str, Any]:
    """An item with a part for its text, and for each image, sound or file."""
    field = "output" if message.role == "tool" else "content"
    text = [{"type": "input_text", "text": message.content}] if message.content else []
    media = [dict(PARTS.get(name, PARTS["file"])) for name in message.media]
    return {**item, field: [*text, *media]}


def _as_answered(item: dict[str, Any], mark: str) -> dict[str, Any]:
    """A text or a call of the model as the API answers with it."""
    if item.get("type") == "function_call":
        return {"id": f"fc_{mark}", **item, "status": "completed"}
    text = {"type": "output_text", "text": item["content"], "annotations": []}
    return {"id": f"msg_{mark}", "type": "message", "role": "assistant", "status": "completed", "content": [text]}


def _mark_in(given: Any) -> str | None:
    """The mark within an id of ours; another's id as it is."""
    if not isinstance(given, str):
        return None
    kind, _, rest = given.partition("_")
    return rest.rpartition("_")[0] or given if kind in ("msg", "fc") else given
