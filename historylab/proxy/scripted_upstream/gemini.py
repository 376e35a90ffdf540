"""Gemini's generateContent. Source: its API reference: contents, candidates, usage, errors; thought signatures."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from historylab.chat_models.base import Reply
from historylab.conversation.message import Message, ToolCall, Usage
from historylab.proxy.refusals import error_body
from historylab.proxy.scripted_upstream.api import Body, OfferedTool, RefusedByApi, WireApi, pieces, server_sent
from historylab.proxy.scripted_upstream.gemini_rules import check_gemini
from historylab.proxy.scripted_upstream.seals import seal, unseal

FINISHED = {"stop": "STOP", "length": "MAX_TOKENS", "tool_calls": "STOP"}


class GeminiWire(WireApi):
    """Gemini's API. Model, method and the kind of stream, which stand in the address, come with the body."""

    name = "gemini"
    prefixes = ("", "call_")
    field = "contents"

    def media_type(self, body: Body) -> str:
        return super().media_type(body) if body.get("alt") == "sse" else "application/json"

    def complete(self, body: Body) -> Body:
        """Names may be in either of the two spellings of Protocol Buffers."""
        given = _in_camel_case({**(body.get("generateContentRequest") or {}), **body})
        contents = given.get("contents")
        given["contents"] = [contents] if isinstance(contents, dict) else contents or []
        for k, content in enumerate(given["contents"]):
            given["contents"][k] = {**content, "parts": [_in_camel_case(part) for part in content.get("parts") or ()]}
        return given

    def check(self, body: Body) -> None:
        check_gemini(body)

    def beside(self, body: Body) -> list[Any]:
        return [item for item in (body.get("tools"), body.get("systemInstruction")) if item]

    def messages(self, item: Any) -> Sequence[Message]:
        parts = item["parts"]
        results = [part["functionResponse"] for part in parts if "functionResponse" in part]
        tools = [Message("tool", json.dumps(r.get("response")), tool_call_id=r.get("id")) for r in results]
        calls = tuple(_call(part) for part in parts if "functionCall" in part)
        text = "\n".join(part["text"] for part in parts if part.get("text"))
        media = tuple("image" for part in parts if "inlineData" in part or "fileData" in part)
        role = "assistant" if item.get("role") == "model" else "user"
        said = [Message(role, text, tool_calls=calls, media=media)] if text or calls or media or not tools else []
        return [*tools, *said]

    def tools(self, body: Body) -> list[OfferedTool]:
        groups = [_in_camel_case(tool).get("functionDeclarations") or () for tool in body.get("tools") or ()]
        declared = [_in_camel_case(tool) for group in groups for tool in group]
        return [OfferedTool(t["name"], t.get("parametersJsonSchema") or t.get("parameters") or {}) for t in declared]

    def choice(self, body: Body) -> str | None:
        config = (body.get("toolConfig") or {}).get("functionCallingConfig") or {}
        allowed = config.get("allowedFunctionNames") or [""]
        return {"ANY": str(allowed[0]), "NONE": "none"}.get(str(config.get("mode")))

    def schema(self, body: Body) -> Any:
        config = body.get("generationConfig") or {}
        if config.get("responseMimeType") != "application/json":
            return None
        return config.get("responseJsonSchema") or config.get("responseSchema") or {"type": "object", "properties": {}}

    def limit(self, body: Body) -> int | None:
        limit: int | None = (body.get("generationConfig") or {}).get("maxOutputTokens")
        return limit

    def whole(self, body: Body, reply: Reply, id: str) -> Body:
        parts: list[Body] = [{"text": reply.text}] if reply.text else []
        for k, call in enumerate(reply.tool_calls):
            signed = {} if k else {"thoughtSignature": seal(call.id)}  # the first of a step has it
            made = {"id": call.id, "name": call.name, "args": json.loads(call.arguments)}
            parts.append({"functionCall": made, **signed})
        candidate = {"content": {"parts": parts, "role": "model"}, "finishReason": FINISHED[reply.finish_reason]}
        return {
            "candidates": [{**candidate, "index": 0}],
            "usageMetadata": _usage(reply.usage or Usage()),
            "modelVersion": reply.model,
            "responseId": id,
        }

    def events(self, body: Body, whole: Body) -> Iterator[Body]:
        (candidate,) = whole["candidates"]
        said: list[Body] = []
        for part in candidate["content"]["parts"]:
            said += [{"text": piece} for piece in pieces(part["text"])] if "text" in part else [part]
        for k, part in enumerate(said):
            content = {"content": {"parts": [part], "role": "model"}, "index": 0}
            ended = {"finishReason": candidate["finishReason"]} if k == len(said) - 1 else {}
            yield {**whole, "candidates": [{**content, **ended}]}

    def write_events(self, body: Body, events: Iterable[Body]) -> Iterator[bytes]:
        """As events where `alt=sse` asks for them, else as an array."""
        if body.get("alt") == "sse":
            yield from map(server_sent, events)
            return
        for k, event in enumerate(events):
            yield f"{',' if k else '['}{json.dumps(event)}\r\n".encode()
        yield b"]"

    def error(self, refused: RefusedByApi) -> Body:
        return error_body("google", refused.status, str(refused))

    def too_long(self, tokens: int, window: int) -> RefusedByApi:
        return RefusedByApi(
            f"The input token count ({tokens}) exceeds the maximum number of tokens allowed ({window})."
        )


def _call(part: Mapping[str, Any]) -> ToolCall:
    """A call; where a client leaves out its id, the signature has it."""
    call = part["functionCall"]
    id = call.get("id") or unseal(part.get("thoughtSignature")) or ""
    return ToolCall(id, call["name"], json.dumps(call.get("args") or {}))


def _usage(usage: Usage) -> Body:
    given = usage.context
    cached = {"cachedContentTokenCount": usage.cache_reads} if usage.cache_reads else {}
    counts = {"promptTokenCount": given, "candidatesTokenCount": usage.output, "totalTokenCount": given + usage.output}
    return counts | cached


def _in_camel_case(fields: Mapping[str, Any]) -> Body:
    """Fields by the one of their two spellings: clients mix them."""
    return {re.sub(r"_([a-z])", lambda letter: letter[1].upper(), name): value for name, value in fields.items()}
