"""Microsoft Agent Framework's strategies driven by hand: one list, annotated, compacted, and its included messages."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator

import agent_framework as maf

Sent = tuple


def truncation(conversation, *, tokenizer=None, **options):
    tokenizer = maf.CharacterEstimatorTokenizer() if tokenizer else None
    return requests(conversation, maf.TruncationStrategy(tokenizer=tokenizer, **options), tokenizer)


def context_window(conversation, **options):
    strategy = maf.ContextWindowCompactionStrategy(**options)
    return requests(conversation, strategy, maf.CharacterEstimatorTokenizer())


def summarization(conversation, *, model, **options):
    return requests(conversation, maf.SummarizationStrategy(client=model, **options))


def sliding_window(conversation, **options):
    return requests(conversation, maf.SlidingWindowStrategy(**options))


def tool_results(conversation, **options):
    return requests(conversation, maf.ToolResultCompactionStrategy(**options))


def tool_calls(conversation, **options):
    return requests(conversation, maf.SelectiveToolCallCompactionStrategy(**options))


DRIVERS = {
    "agent_framework.TruncationStrategy": truncation,
    "agent_framework.SlidingWindowStrategy": sliding_window,
    "agent_framework.ToolResultCompactionStrategy": tool_results,
    "agent_framework.SelectiveToolCallCompactionStrategy": tool_calls,
    "agent_framework.ContextWindowCompactionStrategy": context_window,
    "agent_framework.SummarizationStrategy": summarization,
}


def requests(conversation, strategy, tokenizer=None) -> Iterator[list[Sent]]:
    """What is sent at each request."""
    listed, taken = [], 0
    with asyncio.Runner() as runner:
        for size in conversation.columns.requests.tolist():
            listed += as_items(list(conversation)[taken:size], taken)
            taken = size
            maf.annotate_message_groups(listed, tokenizer=tokenizer)
            runner.run(strategy(listed))
            yield [said for item in maf.included_messages(listed) for said in as_sent(item)]


def as_items(messages, first):
    items = []
    for index, message in enumerate(messages, start=first):
        if message.role == "tool":
            result = maf.Content.from_function_result(message.tool_call_id, result=message.content)
            if items and items[-1].role == "tool":
                items[-1].contents.append(result)
                continue
            contents = [result]
        else:
            contents = [maf.Content.from_text(message.content)] if message.content else []
            for call in message.tool_calls:
                contents.append(maf.Content.from_function_call(call.id, call.name, arguments=call.arguments))
        items.append(maf.Message(message.role, contents, message_id=f"m{index}"))
    return items


def as_sent(item) -> list[Sent]:
    results = [("tool", c.result, (), c.call_id) for c in item.contents if c.type == "function_result"]
    calls = [(c.call_id, c.name, json.loads(c.arguments)) for c in item.contents if c.type == "function_call"]
    return results or [(item.role, item.text, tuple(calls), None)]


class FixedClient:
    """A chat client that gives the same summary each time."""

    async def get_response(self, messages, *, stream=False):
        return maf.ChatResponse(messages=[maf.Message("assistant", [f"So far, in {len(messages)} parts: much."])])
