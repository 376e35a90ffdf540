"""AutoGen's contexts driven by hand: one context is added to as its agent does, and looked at before each request."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from itertools import takewhile

from autogen_core import FunctionCall
from autogen_core.model_context import (
    BufferedChatCompletionContext,
    HeadAndTailChatCompletionContext,
    TokenLimitedChatCompletionContext,
)
from autogen_core.models import (
    AssistantMessage,
    FunctionExecutionResult,
    FunctionExecutionResultMessage,
    SystemMessage,
    UserMessage,
)

Sent = tuple


def buffered(conversation, *, buffer_size):
    return requests(conversation, BufferedChatCompletionContext(buffer_size))


def head_and_tail(conversation, *, head_size, tail_size):
    return requests(conversation, HeadAndTailChatCompletionContext(head_size, tail_size))


def token_limited(conversation, *, token_limit):
    return requests(conversation, TokenLimitedChatCompletionContext(Client(), token_limit=token_limit))


DRIVERS = {
    "autogen.BufferedChatCompletionContext": buffered,
    "autogen.HeadAndTailChatCompletionContext": head_and_tail,
    "autogen.TokenLimitedChatCompletionContext": token_limited,
}


def requests(conversation, context) -> Iterator[list[Sent]]:
    """What is sent at each request."""
    prompts = list(takewhile(lambda message: message.role == "system", conversation))
    outside = [("system", prompt.content, (), None) for prompt in prompts]
    added = len(prompts)
    with asyncio.Runner() as runner:
        for size in conversation.columns.requests.tolist():
            for item in as_items(list(conversation)[added:size]):
                runner.run(context.add_message(item))
            added = size
            seen = runner.run(context.get_messages())
            yield outside + [said for item in seen for said in as_sent(item)]


def as_items(messages):
    items = []
    for message in messages:
        if message.role == "tool":
            if not items or not isinstance(items[-1], FunctionExecutionResultMessage):
                items.append(FunctionExecutionResultMessage(content=[]))
            result = FunctionExecutionResult(content=message.content, name="", call_id=message.tool_call_id)
            items[-1].content.append(result)
        elif message.tool_calls:
            calls = [FunctionCall(id=call.id, name=call.name, arguments=call.arguments) for call in message.tool_calls]
            items.append(AssistantMessage(content=calls, thought=message.content or None, source="assistant"))
        elif message.role == "assistant":
            items.append(AssistantMessage(content=message.content, source="assistant"))
        elif message.role == "system":
            items.append(SystemMessage(content=message.content))
        else:
            items.append(UserMessage(content=message.content, source="user"))
    return items


def as_sent(item) -> list[Sent]:
    match item:
        case FunctionExecutionResultMessage():
            return [("tool", result.content, (), result.call_id) for result in item.content]
        case AssistantMessage(content=list()):
            calls = tuple((call.id, call.name, json.loads(call.arguments)) for call in item.content)
            return [("assistant", item.thought or "", calls, None)]
    return [(type(item).__name__.removesuffix("Message").lower(), item.content, (), None)]


class Client:
    """Counts a quarter of the characters of each text and of each call, a text or answer at a time."""

    def count_tokens(self, messages, *, tools=()):
        return sum(map(self.size, messages))

    def size(self, item):
        if isinstance(item, FunctionExecutionResultMessage):
            return sum(quarter(result.content) for result in item.content)
        if isinstance(item.content, str):
            return quarter(item.content)
        called = "".join(call.name + call.arguments for call in item.content)
        return quarter((item.thought or "") + called)


def quarter(text):
    return max(1, -(-len(text) // 4))
