"""OpenAI Chat Completions: lists of messages, request bodies, logged and batched requests with their answers.

A list may stand alone or in `{"messages": […]}`, several of them in a file or in JSON lines. A `system` prompt beside
the messages comes first. Other fields beside them (a title, tools, a reward) go into the conversation's metadata. An
answer (`choices`) becomes the last message, with the usage that was reported for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.formats.apis.exchanges import Api
from historylab.formats.apis.streams import Stream, add_piece
from historylab.formats.base import Losses, Report
from historylab.formats.files.content import Content
from historylab.formats.messages.chat_messages import chat_parts, to_record
from historylab.formats.messages.kept_records import with_fields
from historylab.formats.messages.other_shapes import shape_in
from historylab.formats.messages.reported import read_messages, read_reported
from historylab.formats.messages.speakers import role_of
from historylab.formats.messages.written import NAME, ApiFeatures, body, function_tool, messages_to_write
from historylab.registry import register

OWN_MARKS = {"tool_calls", "tool_call_id", "function_call", "refusal"}
READ_OF_ANSWER = {"choices", "usage", "model", "id", "object", "created", "service_tier", "system_fingerprint"}
READ_OF_ANSWER |= {"messages", "provider"}
RULES = ApiFeatures(names=True, parts=lambda message: chat_parts(message) if message.role == "user" else None)
READ_OF_CHOICE = {"message", "index", "finish_reason", "logprobs", "native_finish_reason", "stop_reason"}


def is_answer(value: dict[str, Any]) -> bool:
    """Whether it is a response of this API."""
    choices = value.get("choices")
    return isinstance(choices, list) and any(
        isinstance(c, dict) and isinstance(c.get("message"), dict) for c in choices
    )


def looks_like_chat(content: Content) -> float:
    """0.8 for answers; 0.5 for roles and contents, which other formats have too, 0.6 with a field of this API alone."""
    return API.recognise(content, _claim, answered=0.8)


def _claim(records: list[Any], objects: list[dict[str, Any]]) -> float:
    alike = [r for r in records if _is_chat(r)]
    if not alike or len(alike) * 2 < len(records):
        return 0
    if not any(role_of(r["role"]) for r in alike):  # such as the words of a program's menus, or a list of staff
        return 0
    if shape_in([("", each) for each in objects]) and not _has_own_marks(alike):  # read here it would be half
        return 0
    return 0.6 if any(OWN_MARKS & r.keys() for r in alike) else 0.5


def to_chat_body(conversation: Conversation, losses: Losses) -> dict[str, Any]:
    """The conversation as a request body of this API."""
    fields, tools = body(conversation, losses, lambda _: True, function_tool)
    written = messages_to_write(conversation, losses, RULES)
    messages = [{**to_record(m), **({"content": parts} if (parts := chat_parts(m)) else {})} for m in written]
    for message in messages:
        if message["role"] == "tool" or not NAME.fullmatch(message.get("name", "")):
            message.pop("name", None)
    return {**fields, "messages": messages, **({"tools": tools} if tools else {})}


@register(
    "format",
    title="OpenAI Chat Completions",
    recognise=looks_like_chat,
    api=lambda: API,
    marks="role content tool_calls",
    write=to_chat_body,
)
def chat_completions(content: Content, report: Report) -> Iterator[Conversation]:
    """Messages as the Chat Completions API takes them: a list, an object with a list, or several of them in a file."""
    yield from API.conversations(content.values, report)


def _read_answer(answer: dict[str, Any], where: str, report: Report) -> list[list[Message]]:
    read = []
    for i, choice in enumerate(answer["choices"]):
        if isinstance(choice, dict):
            left = report.leave(choice, READ_OF_CHOICE, where)
            message = read_reported(choice.get("message"), f"{where} choices[{i}]", report)
            read += [with_fields([message], left)] if message else []
        else:
            report.warn("a choice that is no object", where)
    return read


def _piece_of(value: dict[str, Any]) -> str | None:
    if value.get("object") != "chat.completion.chunk" or not isinstance(value.get("choices"), list):
        return None
    return str(value.get("id"))


def _assemble(pieces: list[dict[str, Any]]) -> dict[str, Any]:
    """The response that was streamed in these chunks."""
    whole: dict[str, Any] = {}
    for piece in pieces:
        choices = [{"message" if k == "delta" else k: v for k, v in c.items()} for c in _objects(piece["choices"])]
        add_piece(whole, {**piece, "choices": choices})
    for choice in _objects(whole["choices"]):
        message = choice.get("message")
        for call in _objects(message.get("tool_calls")) if isinstance(message, dict) else ():
            call.pop("index", None)
    return whole


def _objects(items: Any) -> list[dict[str, Any]]:
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []


def _is_chat(record: Any) -> bool:
    """Whether it has a text role, and a content the API accepts or a field that can replace it."""
    if not isinstance(record["role"], str):
        return False
    if "content" in record:
        return isinstance(record["content"], str | list | None)
    return bool(OWN_MARKS & record.keys())


def _has_own_marks(records: list[dict[str, Any]]) -> bool:
    """Whether they have calls as this API has them; without any calls, any other field that only it has."""
    given = [record["tool_calls"] for record in records if isinstance(record.get("tool_calls"), list)]
    calls = [call for listed in given for call in listed if isinstance(call, dict)]
    if calls:
        return any(isinstance(call.get("function") or call.get("custom"), dict) for call in calls)
    return any(OWN_MARKS & record.keys() for record in records)


API: Api = Api(
    "messages",
    is_answer=is_answer,
    read=read_messages,
    choices=_read_answer,
    of_answer=READ_OF_ANSWER,
    answer_item=lambda answer: next((choice.get("message") for choice in _objects(answer.get("choices"))), None),
    stream=Stream(_piece_of, lambda _: False, _assemble),
    own=frozenset({"title", "name", "stars", "evidence"}),
    left_out={"raw_messages": "raw_messages left out, as messages is what was sent"},
)
