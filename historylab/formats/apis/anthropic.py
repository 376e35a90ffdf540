"""Anthropic Messages: lists with typed blocks, request bodies, logs and batches with their answers, streamed events.

The system prompt stands beside the messages and comes first here; what is said in its role later on stands among them;
results in user messages become tool messages. A list of plain texts looks like OpenAI's and is read as such; a body
names this API by its model or its `max_tokens`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.formats.apis.exchanges import Api
from historylab.formats.apis.streams import Stream
from historylab.formats.base import Losses, Report, kind_of
from historylab.formats.files.content import Content
from historylab.formats.messages.anthropic_blocks import (
    content_of,
    directs,
    is_result,
    media_blocks,
    read_turn,
    text_block,
    to_blocks,
)
from historylab.formats.messages.applied_edits import edits_in
from historylab.formats.messages.fields import list_in, object_in, text_in, unpack_json
from historylab.formats.messages.flat_messages import CONVERSATION_IDS
from historylab.formats.messages.kept_records import with_fields
from historylab.formats.messages.written import (
    OPENING,
    ApiFeatures,
    body,
    definition_fields,
    merge_turns,
    messages_to_write,
    split_systems,
)
from historylab.registry import register

RULES = ApiFeatures(errors=True, call_ids="[^a-zA-Z0-9_-]", parts=media_blocks)
TYPES = ("tool_use", "server_tool_use", "mcp_tool_use", "thinking", "redacted_thinking", "document")
OTHERS = {"tool_calls", "tool_call_id", "function_call", "parts", "blocks", "toolInvocations"}
"""Fields of a message that this API doesn't have."""
ROLES = ("user", "assistant", "system")  # the last never first
EVENTS = (
    *("message_start", "content_block_start", "content_block_delta", "content_block_stop"),
    *("message_delta", "message_stop", "ping"),
)
READ_OF_EVENT = {"type", "index", "message", "content_block", "delta", "usage", "context_management"}
READ_OF_ANSWER = {"id", "type", "role", "content", "model", "usage", "stop_reason", "stop_sequence", "stop_details"}
READ_OF_ANSWER |= {"messages", "container", "context_management"}
OF_MESSAGE = {"role", "content"}
OF_SYSTEM = ("clear_at", "output_config")
"""Fields of a system message among the others: how long its text is shown, and with what effort the model goes on."""
DELTAS = {
    "text_delta": "text",
    "thinking_delta": "thinking",
    "signature_delta": "signature",
    "input_json_delta": "partial_json",
    "compaction_delta": "content",
}


def is_answer(value: dict[str, Any]) -> bool:
    """Whether it is a response of this API."""
    content, role = value.get("content"), value.get("role")
    return value.get("type") == "message" and role == "assistant" and isinstance(content, list) and "model" in value


def looks_like_anthropic(content: Content) -> float:
    """0.9 for answers, 0.8 for messages with blocks of its own, 0.7 for a body that names its model or its limit."""
    return API.recognise(content, _claim)


def _claim(records: list[Any], objects: list[dict[str, Any]]) -> float:
    if any(not isinstance(r, dict) or OTHERS & r.keys() or r.get("role") not in ROLES for r in records):
        return 0
    if records[0]["role"] == "system":
        return 0
    if any(_is_own(block) for r in records for block in list_in(r, "content")):
        return 0.8
    return 0.7 if any(map(_is_own_body, objects)) else 0


def to_anthropic_body(conversation: Conversation, losses: Losses) -> dict[str, Any]:
    """The conversation as a request body of this API, which still needs `max_tokens`."""
    fields, tools = body(conversation, losses, lambda model: "claude" in model, _tool)
    prompts, messages = split_systems(messages_to_write(conversation, losses, RULES), losses)
    turns = ((m.role if m.role == "assistant" else "user", to_blocks(m, losses)) for m in messages)
    spoken = merge_turns(turns, losses, text_block(OPENING))
    written = [{"role": role, "content": content_of(blocks)} for role, blocks in spoken]
    prompt = {"system": content_of([text_block(text) for text in prompts])} if prompts else {}
    return {**fields, **prompt, "messages": written, **({"tools": tools} if tools else {})}


def _tool(name: str, description: str, schema: Any) -> dict[str, Any]:
    return definition_fields(name, description, input_schema=schema)


@register(
    "format",
    title="Anthropic Messages",
    recognise=looks_like_anthropic,
    api=lambda: API,
    marks="tool_use_id stop_reason",
    write=to_anthropic_body,
)
def anthropic(content: Content, report: Report) -> Iterator[Conversation]:
    """Messages as Anthropic's Messages API takes them, with the answers it gave."""
    yield from API.conversations(content.values, report)


def _read(records: list[tuple[str, Any]], report: Report) -> list[Message]:
    return [message for where, record in records for message in _read_record(record, where, report)]


def _read_record(record: Any, where: str, report: Report) -> list[Message]:
    if not isinstance(record, dict):
        report.skip(f"{kind_of(record)}, not an object", where)
        return []
    role = record.get("role")
    if not isinstance(role, str) or not role:
        report.skip("no role", where)
        return []
    report.records += 1
    ids = CONVERSATION_IDS if "content" in record else ()
    of_role = READ_OF_ANSWER if is_answer(record) else OF_SYSTEM if role == "system" else ()
    left = {} if record.keys() == OF_MESSAGE else report.leave(record, {*OF_MESSAGE, *ids, *of_role}, where)
    messages = with_fields(read_turn(role, record.get("content"), where, report), left)
    return [replace(message, pinned=True) for message in messages] if directs(role, record) else messages


def _read_answer(answer: dict[str, Any], where: str, report: Report) -> list[list[Message]]:
    report.records += 1
    *before, last = read_turn("assistant", answer["content"], where, report)
    edits = edits_in(answer)
    return [[*before, replace(last, metadata={**last.metadata, **edits}) if edits else last]]


def _is_own(block: Any) -> bool:
    kind = block.get("type") if isinstance(block, dict) else None
    return is_result(block) or kind in TYPES or (kind == "image" and isinstance(block.get("source"), dict))


def _is_own_body(value: dict[str, Any]) -> bool:
    model = value.get("model")
    named = isinstance(model, str) and "claude" in model
    return isinstance(value.get(API.holder), list) and (
        ("max_tokens" in value and (named or "system" in value)) or (named and "system" in value)
    )


def _event(value: dict[str, Any]) -> dict[str, Any]:
    """An event of a stream, which some logs hold as `data`."""
    return object_in(value, "data") or value


def _piece_of(value: dict[str, Any]) -> str | None:
    return "" if _event(value).get("type") in EVENTS else None


def _assemble(pieces: list[dict[str, Any]]) -> dict[str, Any]:
    """The response that was streamed in these events."""
    message: dict[str, Any] = {}
    blocks: dict[str, dict[str, Any]] = {}
    inputs: dict[str, str] = {}
    unread: dict[str, Any] = {}  # fields of the answer, so that they are reported as such
    for event in map(_event, pieces):
        unread |= {name: value for name, value in event.items() if name not in READ_OF_EVENT}
        at, delta = str(event.get("index")), object_in(event, "delta")
        if begun := object_in(event, "message"):
            message = {**begun}
        if block := object_in(event, "content_block"):
            blocks[at] = {**block}
        name = DELTAS.get(str(delta.get("type")), "")
        text = text_in(delta, name)
        if name == "partial_json":
            inputs[at] = inputs.get(at, "") + (text or "")
        elif text is not None and at in blocks:
            blocks[at][name] = f"{blocks[at].get(name) or ''}{text}"
        message |= {name: delta[name] for name in ("stop_reason", "stop_sequence") if name in delta}
        message |= {name: event[name] for name in ("context_management",) if name in event}
        if usage := object_in(event, "usage"):
            message["usage"] = {**object_in(message, "usage"), **usage}
    for at in inputs.keys() & blocks.keys():
        if inputs[at]:  # else it is as it began: a call without arguments
            blocks[at]["input"] = unpack_json(inputs[at])
    whole = {"type": "message", "role": "assistant", "model": "", **message, "content": list(blocks.values())}
    return {**unread, **whole}


API: Api = Api(
    "messages",
    is_answer=is_answer,
    read=_read,
    choices=_read_answer,
    of_answer=READ_OF_ANSWER,
    answer_item=lambda answer: {"role": "assistant", "content": said} if (said := answer.get("content")) else None,
    provider="anthropic",
    stream=Stream(_piece_of, lambda value: _event(value).get("type") == "message_stop", _assemble),
    own=frozenset({"title", "name", "stars", "evidence"}),
)
