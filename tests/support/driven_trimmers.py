"""What a trimmer sends when it is replayed, as the drivers by hand say it, and chats to do that with."""

from __future__ import annotations

import json
from functools import cache

from historylab import generate, replay


@cache
def support_chat():
    """Thirty-nine messages, two results of parallel calls among them."""
    return generate("support_desk", turns=12, seed=7)


@cache
def tool_loop():
    """A hundred messages of two tasks, long results and up to four parallel calls."""
    return generate("tool_loop", turns=2, seed=7)


def sent_by(trimmer, conversation, **options):
    """What each request sends: role, text, calls, and the call of a result."""
    timeline = replay(conversation, trimmer=trimmer, **options)
    return [list(map(as_said, plan.render())) for plan in timeline.plans]


def as_said(message):
    calls = tuple((call.id, call.name, json.loads(call.arguments)) for call in message.tool_calls)
    return message.role, message.content, calls, message.tool_call_id


def share_acted_on(sent, conversation):
    """The share of requests that aren't sent as they were said."""
    whole = [list(map(as_said, list(conversation)[:length])) for length in conversation.columns.requests]
    return sum(a != b for a, b in zip(sent, whole, strict=True)) / len(whole)
