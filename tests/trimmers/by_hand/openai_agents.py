"""What the OpenAI Agents SDK sends of a conversation, driven by hand: its own session and run, its own filter."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from itertools import groupby, takewhile
from typing import Any

from agents import Agent, Model, RunConfig, Runner, SessionSettings, SQLiteSession
from agents.extensions import ToolOutputTrimmer
from agents.run_config import CallModelData, ModelInputData

Sent = list[tuple[Any, ...]]


def session_limit(conversation: Any, limit: int) -> Iterator[Sent]:
    """A session with what was said before the run; what the first call of the run gets, and all that is said since."""
    prompt, said = split(conversation)
    for size in conversation.columns.requests.tolist():
        messages = said[: size - len(prompt)]
        stop = max(k for k, message in enumerate(messages) if message.role == "user") + 1
        start = stop - len(list(takewhile(lambda message: message.role == "user", messages[stop - 1 :: -1])))
        first = asyncio.run(first_call(items_of(messages[:start]), items_of(messages[start:stop]), limit))
        yield prompt + tuples(first + items_of(messages[stop:], stop))


def trimmed_outputs(conversation: Any, **options: Any) -> Iterator[Sent]:
    """The filter, before each call."""
    trims = ToolOutputTrimmer(**options)
    prompt, said = split(conversation)
    for size in conversation.columns.requests.tolist():
        data = ModelInputData(input=items_of(said[: size - len(prompt)]), instructions="prompt")
        yield prompt + tuples(trims(CallModelData(model_data=data, agent=None, context=None)).input)


class Called(Exception):
    pass


class Listening(Model):
    async def get_response(self, system_instructions: Any, input: Any, *_: Any, **__: Any) -> Any:
        raise Called(input)

    def stream_response(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError


async def first_call(before: list[Any], asked: list[Any], limit: int) -> list[Any]:
    session = SQLiteSession("by hand", session_settings=SessionSettings(limit=limit))
    await session.add_items(before)
    agent, config = Agent("by hand", model=Listening()), RunConfig(tracing_disabled=True)
    try:
        await Runner.run(agent, asked, session=session, run_config=config)
    except Called as called:
        return list(called.args[0])
    finally:
        session.close()
    raise AssertionError("the run ended without a call")


def split(conversation: Any) -> tuple[Sent, list[Any]]:
    prompt = list(takewhile(lambda message: message.role == "system", conversation))
    return [("system", message.content, (), None) for message in prompt], list(conversation)[len(prompt) :]


def items_of(messages: list[Any], first: int = 0) -> list[dict[str, Any]]:
    """The model's items have an id that begins with the number of their message."""
    items: list[dict[str, Any]] = []
    for number, message in enumerate(messages, first):
        if message.role == "tool":
            items.append({"type": "function_call_output", "call_id": message.tool_call_id, "output": message.content})
        elif message.role != "assistant":
            items.append({"role": message.role, "content": message.content})
        elif message.content:
            items.append({"id": f"{number}/text", "role": "assistant", "content": message.content})
        for call in message.tool_calls:
            asked = {"call_id": call.id, "name": call.name, "arguments": call.arguments}
            items.append({"id": f"{number}/{call.id}", "type": "function_call", **asked})
    return items


def tuples(items: list[Any]) -> Sent:
    """The messages; the model's items of one are one again."""
    numbered = [(item.get("id", f"given {k}").partition("/")[0], item) for k, item in enumerate(items)]
    return [message([item for _, item in row]) for _, row in groupby(numbered, lambda each: each[0])]


def message(items: list[Any]) -> tuple[Any, ...]:
    if items[0].get("type") == "function_call_output":
        return ("tool", items[0]["output"], (), items[0]["call_id"])
    calls = [item for item in items if item.get("type") == "function_call"]
    asked = tuple((call["call_id"], call["name"], json.loads(call["arguments"])) for call in calls)
    text = "".join(item.get("content", "") for item in items)
    return ("assistant" if asked else items[0]["role"], text, asked, None)


DRIVERS = {"openai_agents.session_limit": session_limit, "openai_agents.ToolOutputTrimmer": trimmed_outputs}
