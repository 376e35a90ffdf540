"""Anthropic Messages. Source: its API reference: objects, streaming events, errors; extended thinking."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from historylab.chat_models.base import Reply
from historylab.conversation.message import Message, ToolCall, Usage
from historylab.proxy.scripted_upstream.api import (
    Body,
    OfferedTool,
    RefusedByApi,
    WireApi,
    media_of,
    output_schema,
    pieces,
    text_of,
)
from historylab.proxy.scripted_upstream.messages_rules import check_messages
from historylab.proxy.scripted_upstream.seals import seal

STOP_REASONS = {"stop": "end_turn", "length": "max_tokens", "tool_calls": "tool_use"}
BASH = {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}
THOUGHT = "A tool will tell."


class MessagesWire(WireApi):
    """Anthropic's Messages. Where thinking is on, it thinks before it calls a tool, and signs what it thought."""

    name = "anthropic"
    prefixes = ("msg_", "toolu_")
    caches_itself = False

    def check(self, body: Body) -> None:
        check_messages(body)

    def beside(self, body: Body) -> list[Any]:
        return [item for item in (body.get("tools"), body.get("system")) if item]

    def messages(self, item: Any) -> Sequence[Message]:
        content = item.get("content") or []
        blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
        results = [
            Message("tool", text_of(block.get("content")), tool_call_id=block["tool_use_id"])
            for block in blocks
            if block["type"] == "tool_result"
        ]
        calls = tuple(
            ToolCall(block["id"], block["name"], json.dumps(block["input"], ensure_ascii=False))
            for block in blocks
            if block["type"] == "tool_use"
        )
        text = "\n".join(str(block.get("text") or block.get("thinking") or "") for block in blocks)
        said = Message(item["role"], text.strip("\n"), tool_calls=calls, media=media_of(blocks))
        return results if results and not said.content and not said.media else [*results, said]

    def tools(self, body: Body) -> list[OfferedTool]:
        """A server's own tools have no schema: of those, Bash alone is run by the client."""
        tools = body.get("tools") or ()
        own = [OfferedTool(tool["name"], tool["input_schema"]) for tool in tools if "input_schema" in tool]
        bash = [tool["name"] for tool in tools if str(tool.get("type")).startswith("bash_")]
        return [*own, *(OfferedTool(name, BASH) for name in bash)]

    def in_parallel(self, body: Body) -> bool:
        return not (body.get("tool_choice") or {}).get("disable_parallel_tool_use")

    def schema(self, body: Body) -> Any:
        return output_schema((body.get("output_config") or {}).get("format") or body.get("output_format"))

    def whole(self, body: Body, reply: Reply, id: str) -> Body:
        asked = body.get("thinking") or {}
        if not reply.tool_calls or asked.get("type") not in ("enabled", "adaptive"):
            return message(reply, id)
        thought = "" if asked.get("display") == "omitted" else THOUGHT
        return message(reply, id, [{"type": "thinking", "thinking": thought, "signature": seal(thought)}])

    def events(self, body: Body, whole: Body) -> Iterator[Body]:
        return message_events(whole)

    def too_long(self, tokens: int, window: int) -> RefusedByApi:
        return RefusedByApi(f"prompt is too long: {tokens} tokens > {window} maximum")


def message(reply: Reply, id: str, thinking: Sequence[Body] = ()) -> Body:
    """The body of an answer of the Messages API."""
    content: list[Body] = [*thinking, *([{"type": "text", "text": reply.text}] if reply.text else [])]
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
