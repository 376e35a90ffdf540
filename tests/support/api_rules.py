"""The rules of a chat API, to test that no rendered request breaks them; and a request's tokens, counted afresh.

`body_fault` reads a request body as its API does, written apart from `historylab/planning/api_rules.py`, which has the
sources.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from historylab.conversation.message import Message
from historylab.planning.plan import HistoryPlan


def refusals(messages: Sequence[Message]) -> list[str]:
    """The faults an API would refuse: results must follow their call directly, and answer each call once.

    A call at the very end may still wait for results.
    """
    found = []
    i = 0
    while i < len(messages):
        message = messages[i]
        i += 1
        if message.role == "tool":
            found.append(f"{i - 1}: a result that follows no call of its own")
            continue
        results = i
        while i < len(messages) and message.tool_calls and messages[i].role == "tool":
            i += 1
        asked = Counter(call.id for call in message.tool_calls)
        answered = Counter(m.tool_call_id for m in messages[results:i])
        if answered - asked:
            found.append(f"{results}: answers to nothing asked: {answered - asked}")
        if asked - answered and i < len(messages):
            found.append(f"{results - 1}: unanswered calls: {asked - answered}")
    return found


def refused_by(provider: str, messages: Sequence[Message]) -> bool:
    """Whether the API of that provider refuses a request, by another reading of its rules: its newest model's."""
    said = [m for m in messages if m.role != "system"]
    if not said:
        return provider != "openai" or not messages
    unanswered = refusals([*messages, Message("user", "and then?")])
    if refusals(messages) or unanswered:
        return True
    first, last = said[0].role, said[-1].role
    silent = {m.role for m in said if not (m.content or m.tool_calls or m.media)} - {"tool"}
    match provider:
        case "anthropic":
            spaces = any(m.content.isspace() and not (m.tool_calls or m.media) for m in messages if m.role != "tool")
            return bool(silent - {"assistant"}) or spaces or last == "assistant"
        case "gemini":
            return bool(silent) or first == "assistant" or last == "assistant"
    return False


def counted(plan: HistoryPlan) -> int:
    """Tokens of the rendered request, counted afresh."""
    counter = plan.history.counter
    return int(counter.count(plan.render()).sum()) + counter.per_request


def can_be_sent(plan: HistoryPlan) -> bool:
    """Whether the newest block is one an API takes: no orphan result, no unanswered call with something behind it."""
    columns = plan.history.columns
    home = columns.block.item(plan.size - 1)
    answered = columns.answered_at[home] <= plan.size
    return not columns.orphan[home] and bool(answered or home == plan.history.blocks - 1)


# -- bodies, as the server reads them


def body_fault(api: str, body: Mapping[str, Any]) -> str | None:
    """Why the API refuses a request body, in words like its own; None if it takes it. By its path: "/v1/messages"."""
    return FAULTS[api](body)


def _chat_fault(body: Mapping[str, Any]) -> str | None:
    messages = body["messages"]
    if not messages:
        return "[] is too short - 'messages'"
    waiting: set[str] = set()
    for k, message in enumerate(messages):
        role, calls = message["role"], message.get("tool_calls") or []
        if role == "tool":
            if message["tool_call_id"] not in waiting:
                return (
                    f"messages[{k}]: messages with role 'tool' must be a response to a preceding message's 'tool_calls'"
                )
            waiting.remove(message["tool_call_id"])
            continue
        if waiting:
            return f"messages[{k}]: 'tool_calls' must be followed by tool messages for {waiting}"
        if role not in ("system", "developer", "user", "assistant"):
            return f"messages[{k}].role: {role!r}"
        if not (message.get("content") or calls or (role == "assistant" and message.get("content") == "")):
            return f"messages[{k}].content: expected a string, got null"
        waiting = {call["id"] for call in calls}
    return f"no tool messages for {waiting}" if waiting else None


def _responses_fault(body: Mapping[str, Any]) -> str | None:
    items = body["input"]
    if not items:
        return "one of 'input', 'previous_response_id' or 'conversation' must be provided"
    asked: set[str] = set()
    answered: set[str] = set()
    for k, item in enumerate([] if isinstance(items, str) else items):
        kind = item.get("type", "message")
        following = items[k + 1] if k + 1 < len(items) else {"role": "nobody"}
        if kind == "reasoning" and (following.get("role", "assistant") != "assistant" or "output" in following):
            return f"item {item['id']!r} of type 'reasoning' was provided without its required following item"
        if kind == "function_call":
            asked.add(item["call_id"])
        if kind == "function_call_output" and item["call_id"] not in asked - answered:
            return f"no tool call found for function call output with call_id {item['call_id']}"
        answered |= {item["call_id"]} if kind == "function_call_output" else set()
    return f"no tool output found for function call {asked - answered}" if asked - answered else None


def _messages_fault(body: Mapping[str, Any]) -> str | None:
    messages = body["messages"]
    if fault := _frame_fault(body):
        return fault
    calls: set[str] = set()
    for k, message in enumerate(messages):
        role, blocks = message["role"], _blocks(message["content"])
        if message.keys() - {"role", "content"} or role not in ("user", "assistant", "system"):
            return f"messages.{k}: {role!r} with {sorted(message)}"
        if role == "system":
            if fault := _system_fault(k, messages, blocks):
                return fault
            continue
        if role == "user" and not blocks:
            return f"messages.{k}: content is required"
        if fault := _text_fault(f"messages.{k}", blocks) or _turn_fault(k, role, blocks, calls):
            return fault
        calls = {block["id"] for block in blocks if block["type"] == "tool_use"}
    return _thinking_fault(body)


def _system_fault(k: int, messages: Sequence[Mapping[str, Any]], blocks: Sequence[Mapping[str, Any]]) -> str | None:
    """What is wrong with a system message among the others, or with its place."""
    if {block["type"] for block in blocks} != {"text"}:
        return f"messages.{k}: role 'system' takes text blocks"
    if k == 0 or messages[k - 1]["role"] != "user":
        before = _blocks(messages[k - 1]["content"])[-1:] if k else ()
        if not (before and messages[k - 1]["role"] == "assistant" and before[0]["type"] == "server_tool_use"):
            return f"messages.{k}: role 'system' must follow a 'user' message"
    if k + 1 < len(messages) and messages[k + 1]["role"] != "assistant":
        return f"messages.{k}: role 'system' must precede an 'assistant' message or end the array"
    return _text_fault(f"messages.{k}", blocks)


def _frame_fault(body: Mapping[str, Any]) -> str | None:
    """What is wrong around the turns: the system prompt, the first and the last of them."""
    messages = body["messages"]
    if "max_tokens" not in body or not messages:
        return "max_tokens and at least one message are required"
    if messages[0]["role"] == "assistant":
        return "messages: first message must use the 'user' role"
    if messages[-1]["role"] == "assistant":
        return "this model does not support assistant message prefill: the conversation must end with a user message"
    return _text_fault("system", _blocks(body.get("system")))


def _blocks(content: Any) -> Sequence[Mapping[str, Any]]:
    text = [{"type": "text", "text": content}] if content else []
    return text if isinstance(content, str) else content or []


def _text_fault(where: str, blocks: Sequence[Mapping[str, Any]]) -> str | None:
    if any(block["type"] == "text" and not block["text"].strip() for block in blocks):
        return f"{where}: text content blocks must contain non-whitespace text"
    return None


def _turn_fault(k: int, role: str, blocks: Sequence[Mapping[str, Any]], calls: set[str]) -> str | None:
    """What is wrong with the results in one turn, `calls` being what the turn before asked for."""
    kinds = [block["type"] for block in blocks]
    results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
    if set(results) - calls or len(results) > len(set(results)) or (results and role != "user"):
        return f"messages.{k}: unexpected `tool_use_id` found in `tool_result` blocks: {results}"
    if calls - set(results) or "tool_result" in kinds[len(results) :]:
        return f"messages.{k - 1}: `tool_use` ids were found without `tool_result` blocks immediately after: {calls}"
    if "tool_use" in kinds and set(kinds[kinds.index("tool_use") :]) - {"tool_use"}:
        return f"messages.{k}: `tool_use` blocks must end the turn"
    return None


def _thinking_fault(body: Mapping[str, Any]) -> str | None:
    """While a tool runs, the turn that called it keeps its thinking."""
    if (
        body.get("thinking", {}).get("type") not in ("enabled", "adaptive")
        or sum(m["role"] != "system" for m in body["messages"]) < 2
    ):
        return None
    turn, results = [m for m in body["messages"] if m["role"] != "system"][-2:]
    runs = isinstance(results["content"], list) and results["content"][0]["type"] == "tool_result"
    if runs and turn["content"][0]["type"] not in ("thinking", "redacted_thinking"):
        return "expected `thinking` or `redacted_thinking` before `tool_use` in the last assistant message"
    return None


def _contents_fault(body: Mapping[str, Any]) -> str | None:
    contents = body["contents"]
    if not contents:
        return "contents are required"
    if contents[0]["role"] != "user" or contents[-1]["role"] != "user":
        return "contents begin and end with a user's turn"
    called: list[str] = []
    for k, content in enumerate(contents):
        parts = content["parts"]
        if not parts or any("text" in part and not part["text"].strip() for part in parts):
            return f"contents[{k}]: parts must hold data"
        results = [part["functionResponse"]["id"] for part in parts if "functionResponse" in part]
        if sorted(results) != sorted(called) or (results and len(parts) > len(results)):
            return f"contents[{k}]: the function response parts are those of the function call turn: {called}"
        calls = [part for part in parts if "functionCall" in part]
        if calls and (contents[k - 1]["role"] != "user" or "thoughtSignature" not in calls[0]):
            return f"contents[{k}]: a function call turn comes after a user turn, with a thought_signature"
        called = [part["functionCall"]["id"] for part in calls]
    return None


FAULTS: Mapping[str, Callable[[Mapping[str, Any]], str | None]] = {
    "/v1/chat/completions": _chat_fault,
    "/v1/responses": _responses_fault,
    "/v1/messages": _messages_fault,
    "/v1beta/models/gemini-3.5-flash:generateContent": _contents_fault,
}
