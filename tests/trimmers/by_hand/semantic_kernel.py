"""Semantic Kernel's reducers driven by hand: the reducer is the history, added to and reduced before each request."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator

from semantic_kernel.connectors.ai.chat_completion_client_base import ChatCompletionClientBase
from semantic_kernel.contents import (
    ChatHistorySummarizationReducer,
    ChatHistoryTruncationReducer,
    ChatMessageContent,
    FunctionCallContent,
    FunctionResultContent,
    TextContent,
)

Sent = tuple


def truncation(conversation, **options):
    return requests(conversation, ChatHistoryTruncationReducer(**options))


def summarization(conversation, *, model, **options):
    return requests(conversation, ChatHistorySummarizationReducer(service=model, **options))


DRIVERS = {
    "semantic_kernel.ChatHistoryTruncationReducer": truncation,
    "semantic_kernel.ChatHistorySummarizationReducer": summarization,
}


def requests(conversation, reducer) -> Iterator[list[Sent]]:
    """What is sent at each request."""
    added = 0
    with asyncio.Runner() as runner:
        for size in conversation.columns.requests.tolist():
            for message in list(conversation)[added:size]:
                reducer.add_message(as_item(message))
            added = size
            runner.run(reducer.reduce())
            yield [as_sent(item) for item in reducer.messages]


def as_item(message):
    if message.role == "tool":
        items = [FunctionResultContent(id=message.tool_call_id, name="tool", result=message.content)]
    else:
        items = [TextContent(text=message.content)] if message.content else []
        for call in message.tool_calls:
            items.append(FunctionCallContent(id=call.id, name=call.name, arguments=call.arguments))
    return ChatMessageContent(role=message.role, items=items)


def as_sent(item) -> Sent:
    for part in item.items:
        if isinstance(part, FunctionResultContent):
            return "tool", part.result, (), part.id
    calls = [(p.id, p.name, json.loads(p.arguments)) for p in item.items if isinstance(p, FunctionCallContent)]
    return item.role.value, item.content, tuple(calls), None


class FixedService(ChatCompletionClientBase):
    """A chat service that gives the same summary each time."""

    async def get_chat_message_content(self, chat_history, settings, **kwargs):
        return ChatMessageContent(role="assistant", content=f"So far, in {len(chat_history.messages)} parts: much.")
