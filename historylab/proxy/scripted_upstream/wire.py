"""Answers as the two APIs write them: a body, the events of a stream, the error for one that is too long.

Source: the Chat Completions and Messages API references, their objects, streaming events and errors.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from historylab.chat_models.base import Reply
from historylab.chat_models.completions import usage_fields
from historylab.conversation.message import Usage
from historylab.proxy.refusals import error_body

CHAT_COMPLETIONS, ANTHROPIC = "chat_completions", "anthropic"
CREATED = 1_767_225_600  # every answer's: the same request is answered by the same bytes
PIECE = 4  # characters of text in one event, about a token
STOP_REASONS = {"stop": "end_turn", "length": "max_tokens", "tool_calls": "tool_use"}
Body = dict[str, Any]


def completion(reply: Reply, id: str) -> Body:
    """The body of a chat completion."""
    calls = [
        {"id": c.id, "type": "function", "function": {"name": c.name, "arguments": c.arguments}}
        for c in reply.tool_calls
    ]
    message: Body = {"role": "assistant", "content": reply.text or None, "refusal": None}
    if calls:
        message["tool_calls"] = calls
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": reply.finish_reason}
    body = {"id": id, "object": "chat.completion", "created": CREATED, "model": reply.model, "choices": [choice]}
    return body if reply.usage is None else {**body, "usage": usage_fields(reply.usage)}


def completion_chunks(body: Mapping[str, Any], usage: bool = True) -> Iterator[Body]:
    """The chunks of a stream that says what the body says: text in pieces, a call's name once, then its arguments."""
    head = {**{key: body[key] for key in ("id", "created", "model")}, "object": "chat.completion.chunk"}
    (choice,) = body["choices"]
    message = choice["message"]

    def chunk(delta: Body, finish: str | None = None) -> Body:
        return {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}

    yield chunk({"role": "assistant", "content": ""})
    for piece in pieces(message["content"] or ""):
        yield chunk({"content": piece})
    for k, call in enumerate(message.get("tool_calls") or ()):
        function = call["function"]
        begun = {"id": call["id"], "type": "function", "function": {"name": function["name"], "arguments": ""}}
        yield chunk({"tool_calls": [{"index": k, **begun}]})
        for piece in pieces(function["arguments"]):
            yield chunk({"tool_calls": [{"index": k, "function": {"arguments": piece}}]})
    yield chunk({}, choice["finish_reason"])
    if usage and body.get("usage"):
        yield {**head, "choices": [], "usage": body["usage"]}


def message(reply: Reply, id: str) -> Body:
    """The body of an answer of the Messages API."""
    content: list[Body] = [{"type": "text", "text": reply.text}] if reply.text else []
    content += [
        {"type": "tool_use", "id": c.id, "name": c.name, "input": json.loads(c.arguments)} for c in reply.tool_calls
    ]
    usage = reply.usage or Usage()
    return {
        "id": id,
        "type": "message",
        "role": "assistant",
        "model": reply.model,
        "content": content,
        "stop_reason": STOP_REASONS[reply.finish_reason],
        "stop_sequence": None,
        "usage": {
            "input_tokens": usage.input,
            "cache_creation_input_tokens": usage.cache_writes,
            "cache_read_input_tokens": usage.cache_reads,
            "output_tokens": usage.output,
        },
    }


def message_events(body: Mapping[str, Any]) -> Iterator[Body]:
    """The events of a stream that says what the body says."""
    begun = {**body, "content": [], "stop_reason": None, "usage": {**body["usage"], "output_tokens": 1}}
    yield {"type": "message_start", "message": begun}
    yield {"type": "ping"}
    for index, block in enumerate(body["content"]):
        empty, deltas = _block_in_pieces(block)
        yield {"type": "content_block_start", "index": index, "content_block": empty}
        for delta in deltas:
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    ended = {key: body[key] for key in ("stop_reason", "stop_sequence")}
    yield {"type": "message_delta", "delta": ended, "usage": {"output_tokens": body["usage"]["output_tokens"]}}
    yield {"type": "message_stop"}


def _block_in_pieces(block: Mapping[str, Any]) -> tuple[Body, Iterable[Body]]:
    """A block as it begins, and what is added to it."""
    match block["type"]:
        case "text":
            return {**block, "text": ""}, ({"type": "text_delta", "text": piece} for piece in pieces(block["text"]))
        case "tool_use":
            parts = pieces(json.dumps(block["input"], ensure_ascii=False))
            return {**block, "input": {}}, ({"type": "input_json_delta", "partial_json": part} for part in parts)
        case "thinking":
            thoughts = [{"type": "thinking_delta", "thinking": piece} for piece in pieces(block["thinking"])]
            signed = {"type": "signature_delta", "signature": block["signature"]}
            return {**block, "thinking": "", "signature": ""}, [*thoughts, signed]
    return dict(block), ()


def server_sent(api: str, events: Iterable[Body]) -> Iterator[bytes]:
    """Events as they are sent; Anthropic's are named, OpenAI's end in [DONE]."""
    for event in events:
        name = f"event: {event['type']}\n" if api == ANTHROPIC else ""
        yield f"{name}data: {json.dumps(event, ensure_ascii=False)}\n\n".encode()
    if api == CHAT_COMPLETIONS:
        yield b"data: [DONE]\n\n"


def pieces(text: str) -> list[str]:
    return [text[start : start + PIECE] for start in range(0, len(text), PIECE)]


def too_long(api: str, tokens: int, window: int) -> Body:
    """The body of the 400 for a request that exceeds the model's window, in the API's own words."""
    if api == ANTHROPIC:
        return error_body(api, 400, f"prompt is too long: {tokens} tokens > {window} maximum")
    said = (
        f"This model's maximum context length is {window} tokens. However, your messages resulted in {tokens} tokens. "
        "Please reduce the length of the messages."
    )
    return error_body(api, 400, said, param="messages", code="context_length_exceeded")
