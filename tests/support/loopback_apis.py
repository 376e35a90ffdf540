"""A loopback server that speaks Chat Completions, Responses and Anthropic Messages, and refuses what these refuse.

with ChatServer(speaks(records)) as server: ...   # the answers are chat messages, one a request, the last again
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from api_rules import body_fault
from chat_server import MESSAGES, Behaviour, Handler, answer, says

from historylab.proxy.refusals import error_body

Record = dict[str, Any]
DONE: Record = {"role": "assistant", "content": "done"}
OPENAI, ANTHROPIC = "/v1", ""
"""What an address ends in for the clients of either provider: `server.url` has OpenAI's."""


def speaks(answers: Iterable[Record] = (), refused: list[str] | None = None) -> Behaviour:
    """An API by the path it is asked at; what it refuses is a 400 in its provider's form, and is added to `refused`."""
    to_say = iter(answers)
    reasoned: dict[str, str] = {}  # items of Responses, and the reasoning that led to them

    def behave(handler: Handler) -> None:
        path = handler.path.partition("?")[0]
        fault = body_fault(path, handler.body) or _unreasoned(handler.body, reasoned)
        if fault:
            (refused if refused is not None else []).append(fault)
            handler.send(400, json.dumps(_refusal(path, fault)))
            return
        WRITERS[path](handler, next(to_say, DONE), reasoned)

    return behave


def _refusal(path: str, fault: str) -> dict[str, Any]:
    api = "anthropic" if path == MESSAGES else "chat_completions"
    return error_body(api, 400, fault, param="input" if path == "/v1/responses" else "messages")


def _unreasoned(body: Mapping[str, Any], reasoned: Mapping[str, str]) -> str | None:
    items = body.get("input") or ()
    held = {item.get("id") for item in items if isinstance(item, dict)}
    missing = {reasoned[id_] for id_ in held & reasoned.keys()} - held
    return f"an item was provided without its required 'reasoning' item: {missing}" if missing else None


def _chat(handler: Handler, said: Record, reasoned: object) -> None:
    finish = "tool_calls" if said.get("tool_calls") else "stop"
    says(said["content"], calls=said.get("tool_calls"), finish=finish, usage=USAGE)(handler)


USAGE = {"prompt_tokens": 100, "completion_tokens": 7, "total_tokens": 107}


def _responses(handler: Handler, said: Record, reasoned: dict[str, str]) -> None:
    """Where it calls tools it has reasoned, so that its reasoning must come back with the calls."""
    number, calls = len(handler.server.requests), said.get("tool_calls") or ()
    output: list[Record] = []
    if calls:
        output.append({"type": "reasoning", "id": f"rs_{number}", "summary": [], "encrypted_content": "gAAAA"})
    if said["content"]:
        text = {"type": "output_text", "text": said["content"], "annotations": []}
        message = {"type": "message", "role": "assistant", "status": "completed", "content": [text]}
        output.append({**message, "id": f"msg_{number}"})
    output += [
        {"type": "function_call", "id": f"fc_{call['id']}", "call_id": call["id"], "status": "completed"}
        | call["function"]
        for call in calls
    ]
    if calls:
        reasoned |= {item["id"]: output[0]["id"] for item in output[1:]}
    usage = {"input_tokens": 100, "output_tokens": 7, "total_tokens": 107}
    usage |= {"input_tokens_details": {"cached_tokens": 64}, "output_tokens_details": {"reasoning_tokens": 0}}
    body = {"id": f"resp_{number}", "object": "response", "created_at": 1, "model": handler.body["model"]}
    settled = {"error": None, "incomplete_details": None, "instructions": None, "metadata": {}, "tools": []}
    settled |= {"status": "completed", "parallel_tool_calls": True, "tool_choice": "auto"}
    handler.send(200, json.dumps({**body, **settled, "output": output, "usage": usage}))


def _messages(handler: Handler, said: Record, reasoned: object) -> None:
    """Where thinking is on, it thinks before it calls a tool."""
    calls = said.get("tool_calls") or ()
    thinks = calls and "thinking" in handler.body
    content: list[Record] = [{"type": "thinking", "thinking": "", "signature": "c2ln"}] if thinks else []
    content += [{"type": "text", "text": said["content"]}] if said["content"] else []
    content += [
        {
            "type": "tool_use",
            "id": c["id"],
            "name": c["function"]["name"],
            "input": json.loads(c["function"]["arguments"]),
        }
        for c in calls
    ]
    body = {"id": "msg_1", "type": "message", "role": "assistant", "model": handler.body["model"], "content": content}
    stop = {"stop_reason": "tool_use" if calls else "end_turn", "stop_sequence": None}
    usage = {"input_tokens": 100, "output_tokens": 7, "cache_read_input_tokens": 64, "cache_creation_input_tokens": 0}
    answer(handler, {**body, **stop, "usage": usage})


WRITERS: Mapping[str, Callable[[Handler, Record, dict[str, str]], None]] = {
    "/v1/chat/completions": _chat,
    "/v1/responses": _responses,
    MESSAGES: _messages,
}
