"""Pydantic AI's `ModelRequest` and `ModelResponse`: what goes to the model until it answers is one request, in parts.

So the results of a step and a prompt after them are one object, and a system prompt is a part of the first. Here are
also the records, in Chat Completions' shape, that such parts are read as.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from itertools import groupby
from math import isnan
from typing import Any

from historylab.conversation.message import Message, instant
from historylab.errors import LoadError, needs
from historylab.formats.base import kind_of
from historylab.formats.messages.chat_messages import to_message
from historylab.registry import register
from historylab.trimmers.base import ItemForm, WrittenItem, mark_message

MARK = "historylab_mark"
"""The attribute of a part with the mark of its message: copies have it, the model never sees it."""
MEDIA_TYPES = {"image": "image/png", "audio": "audio/wav"}
"""Medium → the type under which it is there, without data, as a conversation holds none."""


@register("item_form", "pydantic_ai")
class PydanticAIMessages(ItemForm):
    """A `ModelResponse` per answer and a `ModelRequest` for all between two of them, as an agent's run has them."""

    def __init__(self) -> None:
        with needs("pydantic-ai-slim", "the form pydantic_ai"):
            from pydantic_ai import messages

        self._made = messages

    def write(self, messages: Sequence[Message], marks: Sequence[str]) -> list[WrittenItem]:
        tools = {call.id: call.name for message in messages for call in message.tool_calls}
        parts = [self._parts(message, mark, tools) for message, mark in zip(messages, marks, strict=True)]
        written = list[WrittenItem]()
        for answered, row in groupby(range(len(messages)), lambda place: messages[place].role == "assistant"):
            places = tuple(row)
            if answered:
                written += [WrittenItem(self._response(messages[place], parts[place]), (place,)) for place in places]
            else:
                whole = [part for place in places for part in parts[place]]
                written.append(WrittenItem(self._made.ModelRequest(whole), places))
        return written

    def read(self, item: Any) -> list[Message]:
        if not isinstance(item, self._made.ModelRequest | self._made.ModelResponse):
            raise LoadError(f"{kind_of(item)} in place of a ModelRequest or ModelResponse")
        if item.kind == "response":
            mark = next((mark for part in item.parts if (mark := getattr(part, MARK, None))), None)
            return [_message(response_record(item), mark)]
        records = [(_summary_record(part) or request_record(part), getattr(part, MARK, None)) for part in item.parts]
        return [_message(record, mark) for record, mark in records if record]

    def _response(self, message: Message, parts: list[Any]) -> Any:
        return self._made.ModelResponse(parts, **_time(message))

    def _parts(self, message: Message, mark: str, tools: Mapping[str, str]) -> list[Any]:
        """The parts that a message is, marked."""
        made, text = self._made, message.content
        if message.role == "assistant":
            parts = [made.TextPart(text)] if text or not message.tool_calls else []
            parts += [made.ToolCallPart(call.name, call.arguments, call.id) for call in message.tool_calls]
        elif message.role == "tool":
            tool = tools.get(message.tool_call_id or "") or message.name or ""
            parts = [made.ToolReturnPart(tool, text, message.tool_call_id or "", **_time(message))]
        elif message.role == "system":
            parts = [made.SystemPromptPart(text, **_time(message))]
        else:
            media = [made.BinaryContent(b"", media_type=MEDIA_TYPES.get(name, "text/plain")) for name in message.media]
            said = [*([text] if text else []), *media] if media else text
            parts = [made.UserPromptPart(said, **_time(message))]
        for part in parts:
            setattr(part, MARK, mark)
        return parts


def response_record(message: Any) -> dict[str, Any]:
    """An answer as Chat Completions would have it; a file in it is a part with the library's own object."""
    calls = [_as_call(part) for part in message.parts if part.part_kind == "tool-call"]
    said = [piece for piece in map(_as_answer, message.parts) if piece]
    content = said if any("piece" in piece for piece in said) else "\n".join(piece["text"] for piece in said)
    return {"role": "assistant", "content": content, "tool_calls": calls, "timestamp": message.timestamp}


def request_record(part: Any) -> dict[str, Any] | None:
    """The role and the content of a request's part; None for the framework's notes."""
    if part.part_kind == "system-prompt":
        return {"role": "system", "content": part.content}
    if part.part_kind == "user-prompt":
        return {"role": "user", "content": _as_content(part.content)}
    if part.part_kind == "speech":
        return {"role": part.speaker, "content": part.transcript or ""}
    if part.part_kind == "tool-return":
        return {"role": "tool", "tool_call_id": part.tool_call_id, "content": part.model_response_str()}
    return _as_retry(part) if hasattr(part, "model_response") else None


def _summary_record(part: Any) -> dict[str, Any] | None:
    """A summary that stands for earlier requests, which is said in the user's name; None for any other part."""
    return {"role": "user", "content": part.content or ""} if part.part_kind == "compaction" else None


def _message(record: Mapping[str, Any], mark: str | None) -> Message:
    return mark_message(to_message(record), mark)


def _time(message: Message) -> dict[str, datetime]:
    """The time of a message for its parts, which else are of now."""
    seconds = instant(message.timestamp)
    return {} if isnan(seconds) else {"timestamp": datetime.fromtimestamp(seconds, UTC)}


def _as_retry(part: Any) -> dict[str, Any]:
    if getattr(part, "tool_name", None):
        return {"role": "tool", "tool_call_id": part.tool_call_id, "content": part.model_response()}
    return {"role": "user", "content": part.model_response()}


def _as_answer(part: Any) -> dict[str, Any] | None:
    if part.part_kind == "file":
        return _as_piece(part.content)
    text = {"text": "content", "speech": "transcript"}.get(part.part_kind)
    return {"type": "text", "text": getattr(part, text) or ""} if text else None


def _as_call(part: Any) -> dict[str, Any]:
    arguments = part.args if isinstance(part.args, str) else part.args_as_json_str()
    return {"id": part.tool_call_id, "function": {"name": part.tool_name, "arguments": arguments}}


def _as_content(content: Any) -> str | list[dict[str, Any]]:
    if isinstance(content, str):
        return content
    return [_as_piece(piece) for piece in content if getattr(piece, "kind", "") != "cache-point"]


def _as_piece(piece: Any) -> dict[str, Any]:
    text = piece if isinstance(piece, str) else getattr(piece, "content", None)
    if isinstance(text, str):
        return {"type": "text", "text": text}
    name = piece.media_type if piece.kind == "binary" else piece.kind
    return {"type": next((kind for kind in ("image", "audio") if name.startswith(kind)), "file"), "piece": piece}
