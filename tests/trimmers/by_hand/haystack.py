"""What Haystack sends of a conversation, driven by hand: an agent of its own with the hook."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from haystack import component
from haystack.components.agents import Agent
from haystack.dataclasses import ChatMessage, ToolCall
from haystack.hooks.compaction import (
    CompactionHook,
    SlidingWindowCompactor,
    SummarizationCompactor,
    ToolResultPruningCompactor,
)

from historylab.trimmers.stand_in import write_summary

Sent = list[tuple[Any, ...]]
HOOK = ("context_window", "compact_at", "compact_to", "token_counter")


@component
class Listening:
    """A model that notes what it is sent."""

    def __init__(self) -> None:
        self.sent: list[ChatMessage] = []

    @component.output_types(replies=list[ChatMessage])
    def run(self, messages: list[ChatMessage], tools: Any = None) -> dict[str, Any]:
        self.sent = list(messages)
        return {"replies": [ChatMessage.from_assistant("done")]}


def compacted(compactor: Callable[..., Any], conversation: Any, **options: Any) -> Iterator[Sent]:
    """An agent's run for each request, which goes on with what the one before left and what was said since."""
    of_hook = {name: options.pop(name) for name in HOOK if name in options}
    model, before = Listening(), 0
    agent = Agent(chat_generator=model, hooks={"before_llm": [CompactionHook(compactor(**options), **of_hook)]})
    for size in conversation.columns.requests.tolist():
        agent.run(messages=[*model.sent, *as_messages(conversation, before, size)])
        before = size
        yield [as_tuple(message) for message in model.sent]


def summarizing(**options: Any) -> SummarizationCompactor:
    """The compactor with a model that repeats, in the words of the stand-in, what it is to summarise."""

    class Summing:
        def run(self, messages: list[ChatMessage]) -> dict[str, Any]:
            _, said, _ = re.split("</?conversation_to_summarize>\n?", messages[-1].text or "")
            return {"replies": [ChatMessage.from_assistant(write_summary(said))]}

    return SummarizationCompactor(Summing(), **options)


def as_messages(conversation: Any, start: int, stop: int) -> list[ChatMessage]:
    calls = {call.id: as_call(call) for message in conversation for call in message.tool_calls}
    messages = []
    for said in list(conversation)[start:stop]:
        if said.role == "tool":
            failed = said.metadata.get("is_error") is True
            messages.append(ChatMessage.from_tool(said.content, calls[said.tool_call_id], error=failed))
        elif said.role == "assistant":
            asked = [as_call(call) for call in said.tool_calls]
            messages.append(ChatMessage.from_assistant(said.content or None, tool_calls=asked))
        elif said.role == "system":
            messages.append(ChatMessage.from_system(said.content))
        else:
            messages.append(ChatMessage.from_user(said.content))
    return messages


def as_call(call: Any) -> ToolCall:
    return ToolCall(call.name, json.loads(call.arguments), call.id)


def as_tuple(message: ChatMessage) -> tuple[Any, ...]:
    if message.tool_call_result:
        return ("tool", message.tool_call_result.result, (), message.tool_call_result.origin.id)
    calls = tuple((call.id, call.tool_name, call.arguments) for call in message.tool_calls)
    return (message.role.value, message.text or "", calls, None)


DRIVERS = {
    "haystack.SummarizationCompactor": partial(compacted, summarizing),
    "haystack.ToolResultPruningCompactor": partial(compacted, ToolResultPruningCompactor),
    "haystack.compaction": partial(compacted, SlidingWindowCompactor),
}
