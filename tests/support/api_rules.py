"""The rules of a chat API, to test that no rendered request breaks them; and a request's tokens, counted afresh.

`body_fault` asks the scripted upstream, whose rules are written apart from `historylab/planning/api_rules.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from historylab.conversation.message import Message
from historylab.planning.plan import HistoryPlan
from historylab.proxy.scripted_upstream.api import RefusedByApi, WireApi
from historylab.proxy.scripted_upstream.app import ScriptedUpstream


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


def body_fault(api: str | WireApi, body: Mapping[str, Any]) -> str | None:
    """Why an API refuses a request body, in its words; None if it takes it."""
    wire = ScriptedUpstream().apis[api] if isinstance(api, str) else api
    try:
        wire.check(wire.complete({**body}))
    except RefusedByApi as problem:
        return str(problem)
    return None
