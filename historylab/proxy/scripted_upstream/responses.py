"""OpenAI Responses. Source: its API reference: items, streaming events, errors; reasoning kept by the client."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from historylab.chat_models.base import Reply
from historylab.conversation.message import Message, ToolCall, Usage
from historylab.proxy.scripted_upstream.api import (
    CREATED,
    Body,
    OfferedTool,
    RefusedByApi,
    WireApi,
    media_of,
    output_schema,
    text_of,
)
from historylab.proxy.scripted_upstream.responses_events import response_events
from historylab.proxy.scripted_upstream.responses_rules import SEALED, check_responses
from historylab.proxy.scripted_upstream.seals import seal, unseal
from historylab.proxy.scripted_upstream.stored_responses import StoredResponses

ENCRYPTED = "reasoning.encrypted_content"
REASONS = re.compile(r"gpt-[5-9]|o\d|codex")
"""Models that reason without being asked to."""
DEFAULTS: Body = {
    "background": False,
    "instructions": None,
    "max_output_tokens": None,
    "max_tool_calls": None,
    "metadata": {},
    "parallel_tool_calls": True,
    "previous_response_id": None,
    "prompt_cache_key": None,
    "reasoning": {"effort": None, "summary": None},
    "safety_identifier": None,
    "service_tier": "default",
    "store": True,
    "temperature": 1.0,
    "text": {"format": {"type": "text"}},
    "tool_choice": "auto",
    "tools": [],
    "top_p": 1.0,
    "truncation": "disabled",
    "user": None,
}


class ResponsesWire(WireApi):
    """OpenAI's Responses. Models that reason do so in an item before the others of their answer."""

    name = "responses"
    prefixes = ("resp_", "call_")
    field = "input"
    limits = ("max_output_tokens",)

    def __init__(self) -> None:
        self.stored = StoredResponses()

    def complete(self, body: Body) -> Body:
        given = body.get("input")
        items = [{"role": "user", "content": given}] if isinstance(given, str) else given or []
        previous = body.get("previous_response_id")
        before = self.stored.history(previous) if previous else []
        return {**body, "input": [*before, *(self.stored.resolve(item) for item in items)]}

    def check(self, body: Body) -> None:
        check_responses(body, self.stored)

    def beside(self, body: Body) -> list[Any]:
        return [item for item in (body.get("tools"), body.get("instructions")) if item]

    def messages(self, item: Any) -> Sequence[Message]:
        kind = item.get("type", "message")
        if kind == "message":
            content = item.get("content")
            return [Message(item["role"], text_of(content), media=media_of(content))]
        if kind.endswith("_output"):
            output = item.get("output")
            text = text_of(output) or (json.dumps(output) if isinstance(output, dict) else "")
            return [Message("tool", text, tool_call_id=item.get("call_id"), media=media_of(output))]
        if "call_id" in item:
            arguments = item.get("arguments") or item.get("input") or json.dumps(item.get("action") or {})
            return [Message("assistant", tool_calls=(ToolCall(item["call_id"], item.get("name", kind), arguments),))]
        if kind == "compaction":
            newest = unseal(str(item.get("encrypted_content")).removeprefix(SEALED))
            return [Message("tool", "what was compacted", tool_call_id=newest)]
        if kind == "reasoning":
            return [Message("assistant", text_of(item.get("summary")))]
        return [Message("system", json.dumps(item))]

    def tools(self, body: Body) -> list[OfferedTool]:
        """The tools of the request, and those that its items bring along."""
        brought = [tool for item in body["input"] for tool in item.get("tools") or () if isinstance(item, Mapping)]
        return [*_find_tools([*(body.get("tools") or ()), *brought])]

    def schema(self, body: Body) -> Any:
        return output_schema((body.get("text") or {}).get("format"))

    def whole(self, body: Body, reply: Reply, id: str) -> Body:
        cut, unique = reply.finish_reason == "length", id.removeprefix(self.prefixes[0])
        status = "incomplete" if cut else "completed"
        compacts = body["input"][-1].get("type") == "compaction_trigger"
        output = [_compaction_of(body, unique)] if compacts else self._output(body, reply, unique, status)
        echoed = {name: value if body.get(name) is None else body[name] for name, value in DEFAULTS.items()}
        return {
            "id": id,
            "object": "response",
            "created_at": CREATED,
            "status": status,
            "error": None,
            "incomplete_details": {"reason": "max_output_tokens"} if cut else None,
            "model": reply.model,
            **echoed,
            "output": output,
            "usage": _usage(reply.usage or Usage()),
        }

    def _output(self, body: Body, reply: Reply, unique: str, status: str) -> list[Body]:
        output: list[Body] = []
        if _reasons(body):
            encrypted = {"encrypted_content": SEALED + seal(unique)} if ENCRYPTED in (body.get("include") or ()) else {}
            output.append({"type": "reasoning", "id": f"rs_{unique}", "summary": [], **encrypted})
        if reply.text:
            part = {"type": "output_text", "text": reply.text, "annotations": [], "logprobs": []}
            said = {"type": "message", "status": status, "role": "assistant", "content": [part]}
            output.append({"id": f"msg_{unique}", **said})
        tools = {tool.name: tool for tool in self.tools(body)}
        return output + [
            _call(call, tools.get(call.name) or OfferedTool(call.name, {}), unique, k)
            for k, call in enumerate(reply.tool_calls)
        ]

    def events(self, body: Body, whole: Body) -> Iterator[Body]:
        return response_events(whole)

    def keep(self, body: Body, whole: Body) -> None:
        if body.get("store") is not False:
            self.stored.keep(whole["id"], body["input"], whole["output"])

    def too_long(self, tokens: int, window: int) -> RefusedByApi:
        said = "Your input exceeds the context window of this model. Please adjust your input and try again."
        return RefusedByApi(said, "input", "context_length_exceeded")


def _find_tools(tools: Iterable[Any], namespace: str | None = None) -> Iterator[OfferedTool]:
    for tool in tools:
        match tool.get("type"):
            case "function" | "custom" as kind:
                yield OfferedTool(tool["name"], tool.get("parameters") or {}, kind, namespace)
            case "local_shell":
                yield OfferedTool("local_shell", {}, "local_shell")
            case "namespace":
                yield from _find_tools(tool.get("tools") or (), tool["name"])


def _reasons(body: Body) -> bool:
    asked = body.get("reasoning") or {}
    if asked.get("effort") == "none":
        return False
    return bool(asked.get("effort") or ENCRYPTED in (body.get("include") or ()) or REASONS.match(body["model"]))


def _compaction_of(body: Body, unique: str) -> Body:
    """The item that stands for the others, which tells the newest call: how many turns there were goes on counting."""
    newest = next((item["call_id"] for item in reversed(body["input"]) if "call_id" in item), unique)
    return {"type": "compaction", "id": f"cmp_{unique}", "encrypted_content": SEALED + seal(newest)}


def _call(call: ToolCall, tool: OfferedTool, unique: str, k: int) -> Body:
    of_call = {"call_id": call.id, "status": "completed"}
    if tool.kind == "local_shell":
        action: Body = {"type": "exec", "env": {}, "timeout_ms": None, "user": None, "working_directory": None}
        action |= json.loads(call.arguments)
        return {"type": "local_shell_call", "id": f"lsh_{unique}{k}", **of_call, "action": action}
    name = {"name": call.name} | ({"namespace": tool.namespace} if tool.namespace else {})
    if tool.kind == "custom":
        return {"type": "custom_tool_call", "id": f"ctc_{unique}{k}", **of_call, **name, "input": call.arguments}
    return {"type": "function_call", "id": f"fc_{unique}{k}", **of_call, **name, "arguments": call.arguments}


def _usage(usage: Usage) -> Body:
    given = usage.context
    return {
        "input_tokens": given,
        "input_tokens_details": {"cached_tokens": usage.cache_reads},
        "output_tokens": usage.output,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": given + usage.output,
    }
