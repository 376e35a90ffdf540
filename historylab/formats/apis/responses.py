"""OpenAI Responses: lists of items, request bodies (`input`, `instructions`), responses (`output`), batches and logs.

The items of one turn (reasoning, text, calls) are one message. What a body only refers to (`previous_response_id`, a
stored conversation, a compaction) is with the provider, and is named.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.formats.apis.exchanges import ANSWER, OF_A_REQUEST, Api
from historylab.formats.apis.streams import Stream
from historylab.formats.base import NOTHING, Losses, Report
from historylab.formats.files.content import Content
from historylab.formats.messages.fields import list_in
from historylab.formats.messages.responses_items import COMPACTIONS, is_item, read_items, said_parts, to_items
from historylab.formats.messages.summary_marks import without_summary
from historylab.formats.messages.written import BOUNDARIES, ApiFeatures, body, definition_fields, messages_to_write
from historylab.formats.requests.items import is_from_model
from historylab.registry import register

ECHOED = {"instructions", "tools", "model", "previous_response_id", "conversation", *OF_A_REQUEST}
"""Fields of a request that a response repeats."""
READ_OF_ANSWER = ECHOED | {"output", "usage", "id", "object", "created_at", "completed_at", "status", "error", "input"}
READ_OF_ANSWER |= {"incomplete_details", "text", "user", "metadata", "store", "billing", "safety_identifier"}
READ_OF_ANSWER |= {"output_text", "moderation", "max_tool_calls", "prompt"}
MISSING = {
    "previous_response_id": "earlier items are missing: they are with the provider, as previous_response_id says",
    "conversation": "earlier items are missing: they are with the provider, in the conversation named",
    "prompt": "a prompt that is stored with the provider is missing",
}
RULES = ApiFeatures(parts=said_parts)
COMPACTED = "response.compaction"
"""The object that answers a request to compact a body."""
ENDS = ("response.completed", "response.incomplete", "response.failed")


def is_answer(value: dict[str, Any]) -> bool:
    """Whether it is a response of this API."""
    output = value.get("output")
    if not isinstance(output, list) or "input" in value:
        return False
    return value.get("object") in ("response", COMPACTED) or (
        bool(output) and all(_is_of_answer(item) for item in output)
    )


def looks_like_responses(content: Content) -> float:
    """0.9 for responses, 0.8 for items of types that only this API has, and for a body with its own fields."""
    return API.recognise(content, _claim)


def _claim(records: list[Any], objects: list[dict[str, Any]]) -> float:
    records = [r for r in records if isinstance(r, dict)]
    if any("tool_calls" in r or "parts" in r for r in records):
        return 0
    if any(is_item(r) or _has_own_parts(r) for r in records):
        return 0.8
    bodies = [v for v in objects if isinstance(v.get("input"), list)]
    named = any(isinstance(v.get("model"), str) for v in bodies)
    return (0.8 if named or all(v.keys() <= {"input", *ECHOED} for v in bodies) else 0) if records and bodies else 0


def to_responses_body(conversation: Conversation, losses: Losses) -> dict[str, Any]:
    """The conversation as a request body of this API."""
    fields, tools = body(conversation, losses, lambda model: "claude" not in model and "gemini" not in model, _tool)
    items: list[dict[str, Any]] = []
    before = ""
    for message in messages_to_write(conversation, losses, RULES):
        losses.lose(BOUNDARIES, before == message.role == "assistant")
        items += to_items(message)
        before = message.role
    return {**fields, "input": items, **({"tools": tools} if tools else {})}


def _tool(name: str, description: str, schema: Any) -> dict[str, Any]:
    return {"type": "function", **definition_fields(name, description, parameters=schema)}


@register(
    "format",
    title="OpenAI Responses",
    recognise=looks_like_responses,
    api=lambda: API,
    marks="input output call_id",
    write=to_responses_body,
)
def responses(content: Content, report: Report) -> Iterator[Conversation]:
    """Items as OpenAI's Responses API takes and returns them."""
    yield from API.conversations(content.values, report)


def _body(value: dict[str, Any]) -> dict[str, Any]:
    """A body with its input as a list, and of an answer alone what it repeats of its request."""
    if isinstance(value.get("input"), str) and ("model" in value or ANSWER in value):
        value = {**value, "input": [{"role": "user", "content": value["input"]}]}
    answer = value.get(ANSWER)
    if isinstance(answer, dict) and answer.get("object") == COMPACTED:
        return _compaction_body(value, answer)
    if isinstance(answer, dict) and value.get("input") == [] and "model" not in value:
        echoed = {name: held for name, held in answer.items() if name in ECHOED and held not in NOTHING}
        value = {**echoed, **value}
    return value


def _compaction_body(value: dict[str, Any], answer: dict[str, Any]) -> dict[str, Any]:
    """A body that was compacted, whose answer repeats what the user said; the answer alone is the next input."""
    items = list_in(answer, "output")
    if not value.get("input"):
        return {**{name: held for name, held in value.items() if name != ANSWER}, "input": items}
    own = [item for item in items if isinstance(item, dict) and item.get("type") in COMPACTIONS]
    return {**value, ANSWER: {**answer, "object": "response", "output": own}}


def _prompt(given: Any) -> list[Any]:
    texts = without_summary(given) if isinstance(given, str) else ()
    return given if isinstance(given, list) else [{"role": "system", "content": text} for text in texts if text]


def _read_answer(answer: dict[str, Any], where: str, report: Report) -> list[list[Message]]:
    return [read_items([(f"{where} output[{i}]", item) for i, item in enumerate(answer["output"])], report)]


def _is_of_answer(item: Any) -> bool:
    return is_item(item) or (isinstance(item, dict) and item.get("type") == "message" and "role" in item)


def _has_own_parts(record: dict[str, Any]) -> bool:
    kinds = ("input_text", "output_text", "input_image", "input_file")
    return any(isinstance(part, dict) and part.get("type") in kinds for part in list_in(record, "content"))


def _piece_of(value: dict[str, Any]) -> str | None:
    kind = value.get("type")
    return "" if isinstance(kind, str) and kind.startswith("response.") and "sequence_number" in value else None


def _assemble(pieces: list[dict[str, Any]]) -> dict[str, Any]:
    """The response that was streamed in these events: the last one holds it, unless the stream broke off."""
    last = pieces[-1].get("response")
    if isinstance(last, dict):
        return last
    items = [piece["item"] for piece in pieces if piece["type"] == "response.output_item.done" and "item" in piece]
    ended = max((k for k, piece in enumerate(pieces) if piece["type"] == "response.output_item.done"), default=-1)
    begun = [p.get("delta") for p in pieces[ended + 1 :] if p["type"] == "response.output_text.delta"]
    text = "".join(delta for delta in begun if isinstance(delta, str))
    said = [{"type": "message", "role": "assistant", "content": text}] if text else []
    return {"object": "response", "output": [*items, *said]}


API: Api = Api(
    "input",
    is_record=lambda value: isinstance(value, dict) and ("role" in value or is_item(value)),
    is_answer=is_answer,
    read=read_items,
    choices=_read_answer,
    of_answer=READ_OF_ANSWER,
    prompts=("instructions",),
    prompt=_prompt,
    missing=MISSING,
    answer_item=lambda answer: next(filter(is_from_model, list_in(answer, "output")), None),
    provider="openai",
    stream=Stream(_piece_of, lambda value: value.get("type") in ENDS, _assemble),
    body=_body,
)
