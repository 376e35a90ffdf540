"""LiteLLM's `trim_messages` called by hand, on chat messages that are made here, one request after another."""

from __future__ import annotations

import json
import os

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")

from litellm.utils import trim_messages as trim


def trim_messages(conversation, **options):
    """What each request sends."""
    for length in conversation.columns.requests:
        yield list(map(from_record, trim(list(map(to_record, list(conversation)[:length])), **options)))


def to_record(message):
    """As an app has it; LiteLLM counts a name."""
    record = {"role": message.role, "content": message.content} | ({"name": message.name} if message.name else {})
    if message.tool_calls:
        calls = [{"id": c.id, "function": {"name": c.name, "arguments": c.arguments}} for c in message.tool_calls]
        record |= {"content": message.content or None, "tool_calls": [{"type": "function", **call} for call in calls]}
    if message.role == "tool":
        record["tool_call_id"] = message.tool_call_id
    return record


def from_record(record):
    calls = [(call["id"], call["function"]) for call in record.get("tool_calls", ())]
    parsed = tuple((name, function["name"], json.loads(function["arguments"])) for name, function in calls)
    return record["role"], record["content"] or "", parsed, record.get("tool_call_id")


DRIVERS = {"litellm.trim_messages": trim_messages}
