"""LlamaIndex' memory asked by hand, on messages that are made here, one request after another."""

from __future__ import annotations

import json
from itertools import takewhile

from llama_index.core.llms import ChatMessage
from llama_index.core.memory import ChatMemoryBuffer


def memory_buffer(conversation, **options):
    """What each request sends, the prompt first."""
    prompt = list(takewhile(lambda message: message.role == "system", conversation))
    for length in conversation.columns.requests:
        memory = ChatMemoryBuffer.from_defaults(**options)
        for message in list(conversation)[len(prompt) : length]:
            memory.put(to_llama_index(message))
        yield [*(("system", said.content, (), None) for said in prompt), *map(from_llama_index, memory.get())]


def to_llama_index(message):
    """As LlamaIndex' OpenAI model leaves it: calls and the id of a result beside the text."""
    beside = {}
    if message.tool_calls:
        beside["tool_calls"] = [(call.id, call.name, json.loads(call.arguments)) for call in message.tool_calls]
    if message.role == "tool":
        beside["tool_call_id"] = message.tool_call_id
    content = message.content if message.content or not message.tool_calls else None
    return ChatMessage(role=message.role, content=content, additional_kwargs=beside)


def from_llama_index(message):
    beside = message.additional_kwargs
    calls = tuple(beside.get("tool_calls", ()))
    return message.role.value, message.content or "", calls, beside.get("tool_call_id")


DRIVERS = {"llama_index.ChatMemoryBuffer": memory_buffer}
