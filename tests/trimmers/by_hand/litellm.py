"""LiteLLM's `trim_messages` called by hand, on chat messages that are made here, one request after another."""

from __future__ import annotations

import copy
import json
import os

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")

from litellm.utils import trim_messages as trim

from historylab.errors import LoadError
from historylab.formats.messages.chat_messages import to_message


def trim_messages(conversation, **options):
    """What each request sends."""
    for length in conversation.columns.requests:
        yield list(map(from_record, trim(list(map(to_record, list(conversation)[:length])), **options)))


def to_record(message):
    """As an app has it, or as it would; LiteLLM counts a name."""
    own = message.source
    if isinstance(own, dict) and isinstance(own.get("role"), str) and is_read_as(own, message):
        return copy.deepcopy(own)
    content = "\n".join([*filter(None, [message.content]), *(f"[{medium}]" for medium in message.media)])
    record = {"role": message.role, "content": content} | ({"name": message.name} if message.name else {})
    if message.tool_calls:
        calls = [{"id": c.id, "function": {"name": c.name, "arguments": c.arguments}} for c in message.tool_calls]
        record |= {"content": content or None, "tool_calls": [{"type": "function", **call} for call in calls]}
    if message.role == "tool":
        record["tool_call_id"] = message.tool_call_id
    return record


def is_read_as(record, message):
    try:
        return to_message(record) == message
    except LoadError:
        return False


def from_record(record):
    calls = [(call["id"], call["function"]) for call in record.get("tool_calls", ())]
    parsed = tuple((name, function["name"], json.loads(function["arguments"])) for name, function in calls)
    given = record["content"] or ""
    text = given if isinstance(given, str) else "\n".join(part["text"] for part in given if part["type"] == "text")
    role = "system" if record["role"] == "developer" else record["role"]
    return role, text, parsed, record.get("tool_call_id")


DRIVERS = {"litellm.trim_messages": trim_messages}
