"""LangChain's trimmers called by hand, on messages that are made here, one request after another."""

from __future__ import annotations

import json
from itertools import takewhile

from langchain_core import messages as lc
from langchain_core.messages.utils import count_tokens_approximately

from historylab.trimmers.libraries.langchain_summaries import open_stand_in

COUNTERS = {"approximate": count_tokens_approximately, "len": len}
ROLES = {"human": "user", "ai": "assistant", "system": "system", "tool": "tool"}


def trim_messages(conversation, *, token_counter="approximate", **options):
    """What each request sends where a node trims what it sends."""
    counter = COUNTERS.get(token_counter, token_counter)
    for length in conversation.columns.requests:
        given = [to_langchain(message) for message in list(conversation)[:length]]
        yield [from_langchain(m) for m in lc.trim_messages(given, token_counter=counter, **options)]


def clear_tool_uses(conversation, **options):
    """What each request sends; the system prompt is beside the list."""
    from langchain.agents.middleware.context_editing import ClearToolUsesEdit

    for length in conversation.columns.requests:
        prompt, rest = split(list(conversation)[:length])
        given = [to_langchain(message) for message in rest]
        ClearToolUsesEdit(**options).apply(given, count_tokens=count_tokens_approximately)
        yield [from_langchain(m) for m in (*map(to_langchain, prompt), *given)]


def summarize(conversation, *, max_input_tokens=None, **options):
    """What each request sends of a state that the middleware replaces."""
    from langchain.agents.middleware import SummarizationMiddleware

    model = open_stand_in(max_input_tokens)
    middleware = SummarizationMiddleware(model, summary_prompt="{messages}", **options)
    prompt, rest = split(conversation)
    state, seen = [], 0
    for length in conversation.columns.requests:
        state += [to_langchain(message) for message in rest[seen : length - len(prompt)]]
        seen = length - len(prompt)
        update = middleware.before_model({"messages": state}, None)
        if update:
            state = [m for m in update["messages"] if not isinstance(m, lc.RemoveMessage)]
        yield [from_langchain(m) for m in (*map(to_langchain, prompt), *state)]


def split(conversation):
    """The prompt, which an agent has beside its messages, and the rest."""
    prompt = list(takewhile(lambda message: message.role == "system", conversation))
    return prompt, list(conversation)[len(prompt) :]


def to_langchain(message):
    known = message.media and message.source  # images as the app has them
    content = message.source["content"] if known else message.content
    if message.role == "tool":
        return lc.ToolMessage(content, tool_call_id=message.tool_call_id)
    if message.role == "assistant":
        calls = [{"name": c.name, "args": json.loads(c.arguments), "id": c.id} for c in message.tool_calls]
        return lc.AIMessage(content, tool_calls=calls)
    return {"system": lc.SystemMessage, "user": lc.HumanMessage}[message.role](content)


def from_langchain(message):
    calls = tuple((call["id"], call["name"], call["args"]) for call in getattr(message, "tool_calls", ()))
    parts = [{"type": "text", "text": message.content}] if isinstance(message.content, str) else message.content
    text = "\n".join(part["text"] for part in parts if part["type"] == "text")
    return ROLES[message.type], text, calls, getattr(message, "tool_call_id", None)


DRIVERS = {
    "langchain.trim_messages": trim_messages,
    "langchain.ClearToolUsesEdit": clear_tool_uses,
    "langchain.SummarizationMiddleware": summarize,
}
