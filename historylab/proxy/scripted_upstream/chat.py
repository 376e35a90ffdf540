"""Chat Completions. Source: its API reference: objects, chunks, errors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from historylab.chat_models.base import Reply
from historylab.chat_models.completions import usage_fields
from historylab.conversation.message import Message, ToolCall
from historylab.proxy.scripted_upstream.api import (
    CREATED,
    Body,
    OfferedTool,
    RefusedByApi,
    WireApi,
    media_of,
    output_schema,
    pieces,
    server_sent,
    text_of,
)
from historylab.proxy.scripted_upstream.chat_rules import check_chat


class ChatWire(WireApi):
    """OpenAI's Chat Completions, which others speak as well."""

    name = "chat_completions"
    prefixes = ("chatcmpl-", "call_")

    def check(self, body: Body) -> None:
        check_chat(body)

    def beside(self, body: Body) -> list[Any]:
        return [body["tools"]] if body.get("tools") else []

    def messages(self, item: Any) -> Sequence[Message]:
        functions = [(call["id"], call.get("function") or call["custom"]) for call in item.get("tool_calls") or ()]
        calls = tuple(ToolCall(id, f["name"], f.get("arguments") or f.get("input", "")) for id, f in functions)
        content = item.get("content")
        about = {"tool_calls": calls, "tool_call_id": item.get("tool_call_id"), "media": media_of(content)}
        return [Message(item["role"], text_of(content), name=item.get("name"), **about)]

    def tools(self, body: Body) -> list[OfferedTool]:
        functions = [tool.get("function") for tool in body.get("tools") or ()]
        return [OfferedTool(f["name"], f.get("parameters") or {}) for f in functions if isinstance(f, Mapping)]

    def schema(self, body: Body) -> Any:
        return output_schema(body.get("response_format"))

    def whole(self, body: Body, reply: Reply, id: str) -> Body:
        return completion(reply, id)

    def events(self, body: Body, whole: Body) -> Iterator[Body]:
        return completion_chunks(whole, bool((body.get("stream_options") or {}).get("include_usage")))

    def write_events(self, body: Body, events: Iterable[Body]) -> Iterator[bytes]:
        for event in events:
            yield server_sent(event)
        yield server_sent("[DONE]")

    def too_long(self, tokens: int, window: int) -> RefusedByApi:
        said = (
            f"This model's maximum context length is {window} tokens. However, your messages resulted in {tokens} "
            "tokens. Please reduce the length of the messages."
        )
        return RefusedByApi(said, "messages", "context_length_exceeded")


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
