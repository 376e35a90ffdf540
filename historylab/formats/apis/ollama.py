"""Ollama: chat bodies and lists, answers, and streamed files with one object per token.

A call's arguments are an object, calls and results of older versions have no ids and are paired in order, images stand
beside the text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.errors import LoadError
from historylab.formats.apis.exchanges import Api
from historylab.formats.apis.streams import Stream, add_piece
from historylab.formats.base import Losses, Report, kind_of
from historylab.formats.files.content import Content
from historylab.formats.messages.chat_messages import to_message
from historylab.formats.messages.fields import list_in, text_in
from historylab.formats.messages.flat_messages import CONVERSATION_IDS
from historylab.formats.messages.kept_records import keep_records, parts_beside
from historylab.formats.messages.written import ApiFeatures, body, function_tool, messages_to_write, object_arguments
from historylab.registry import register

READ = {"role", "content", "thinking", "images", "tool_calls", "tool_name", "tool_call_id", "name", *CONVERSATION_IDS}
READ_OF_ANSWER = {"model", "created_at", "message", "done", "done_reason", "total_duration", "load_duration"}
READ_OF_ANSWER |= {"prompt_eval_count", "prompt_eval_duration", "eval_count", "eval_duration", "messages", "logprobs"}
OF_CALL = ({"id", "type", "index", "function"}, {"name", "arguments", "index", "description"})


def is_answer(value: dict[str, Any]) -> bool:
    """Whether it is a response of this API."""
    return isinstance(value.get("message"), dict) and isinstance(value.get("done"), bool)


def looks_like_ollama(content: Content) -> float:
    """0.9 for answers, 0.8 for calls and results as only this API has them, 0.7 for images and bodies with options."""
    return API.recognise(content, _claim)


def _claim(records: list[Any], objects: list[dict[str, Any]]) -> float:
    records = [r for r in records if isinstance(r, dict) and "content" in r]
    if any(_has_own_calls(r) or (r.get("role") == "tool" and isinstance(r.get("tool_name"), str)) for r in records):
        return 0.8
    if any(_is_images(r.get("images")) for r in records):
        return 0.7
    bodies = [v for v in objects if isinstance(v.get(API.holder), list) and isinstance(v.get("model"), str)]
    return 0.7 if records and any("keep_alive" in v or isinstance(v.get("options"), dict) for v in bodies) else 0


def to_ollama_body(conversation: Conversation, losses: Losses) -> dict[str, Any]:
    """The conversation as a request body of this API."""
    theirs = conversation.recorded.provider == "ollama"
    fields, tools = body(conversation, losses, lambda _: theirs, function_tool)
    sent = messages_to_write(conversation, losses, RULES)
    names = {call.id: call.name for message in sent for call in message.tool_calls}
    messages = [_record(message, names, losses) for message in sent]
    return {**fields, "messages": messages, **({"tools": tools} if tools else {})}


def _record(message: Message, names: dict[str, str], losses: Losses) -> dict[str, Any]:
    record: dict[str, Any] = {"role": message.role, "content": message.content}
    if images := _images_of(message):
        record["images"] = images
    if isinstance(thinking := message.metadata.get("thinking"), str):
        record["thinking"] = thinking
    if message.role == "tool":
        record |= {"tool_name": names[message.tool_call_id or ""], "tool_call_id": message.tool_call_id}
    if message.tool_calls:
        given = [(call.id, call.name, object_arguments(call, losses)) for call in message.tool_calls]
        record["tool_calls"] = [{"id": i, "function": {"name": name, "arguments": held}} for i, name, held in given]
    return record


@register(
    "format",
    title="Ollama chat",
    recognise=looks_like_ollama,
    api=lambda: API,
    marks="tool_name done eval_count",
    write=to_ollama_body,
)
def ollama(content: Content, report: Report) -> Iterator[Conversation]:
    """Messages as Ollama's chat API takes them, with the answers it gave."""
    yield from API.conversations(content.values, report)


def _read(records: list[tuple[str, Any]], report: Report) -> list[Message]:
    return [message for where, record in records if (message := _message(record, where, report))]


def _read_answer(answer: dict[str, Any], where: str, report: Report) -> list[list[Message]]:
    message = _message(answer["message"], f"{where} message", report)
    return [[message] if message else []]


@keep_records
def _message(record: Any, where: str, report: Report) -> Message | None:
    if not isinstance(record, dict):
        report.skip(f"{kind_of(record)}, not an object", where)
        return None
    read = {name: value for name, value in record.items() if name in READ and name not in ("thinking", "images")}
    if "tool_name" in record:
        read["name"] = read.pop("tool_name")
    try:
        message = to_message({"content": "", **read}, partly=True)
    except LoadError as problem:
        report.skip(str(problem), where)
        return None
    report.records += 1
    shown = _is_images(record.get("images"))
    report.leave(record, READ if shown else READ - {"images"}, where)
    for call in list_in(record, "tool_calls"):
        report.leave(call, OF_CALL[0], where)
        report.leave(call["function"], OF_CALL[1], where)
    for part in message.metadata.get("unread_parts", ()):
        report.warn(f"{part} not read", where)
    images = ("image",) * len(record["images"]) if shown else ()
    thinking = text_in(record, "thinking")
    if not (message.content or message.tool_calls or message.media or images or thinking):
        report.warn("empty content", where)
    metadata = {**message.metadata, **({"thinking": thinking} if thinking else {})}
    return replace(message, media=message.media + images, metadata=metadata, source=None)


def _images_of(message: Message) -> list[str]:
    """The images of a message that was read from such a record, if they are all its media."""
    images = parts_beside(message, "images")
    whole = (
        _is_images(images) and len(images) == len(message.media) and message.source.get("content") == message.content
    )
    return images if whole else []


def _is_images(given: Any) -> bool:
    return isinstance(given, list) and bool(given) and all(isinstance(image, str) for image in given)


def _has_own_calls(record: dict[str, Any]) -> bool:
    functions = [c.get("function") for c in list_in(record, "tool_calls") if isinstance(c, dict) and "id" not in c]
    return any(isinstance(f, dict) and isinstance(f.get("arguments"), dict) for f in functions)


def _piece_of(value: dict[str, Any]) -> str | None:
    return "" if is_answer(value) and isinstance(value["message"].get("content", ""), str) else None


def _assemble(pieces: list[dict[str, Any]]) -> dict[str, Any]:
    """The response that was streamed in these objects: the last one has the counts."""
    message: dict[str, Any] = {}
    for piece in pieces:
        add_piece(message, {name: held for name, held in piece["message"].items() if name != "tool_calls"})
        if calls := list_in(piece["message"], "tool_calls"):
            message["tool_calls"] = [*list_in(message, "tool_calls"), *calls]
    return {**pieces[-1], "message": message}


RULES = ApiFeatures(thinking=True, parts=_images_of)
API: Api = Api(
    "messages",
    is_answer=is_answer,
    read=_read,
    choices=_read_answer,
    of_answer=READ_OF_ANSWER,
    prompts=(),
    provider="ollama",
    stream=Stream(_piece_of, lambda value: value["done"], _assemble),
)
