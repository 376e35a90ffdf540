"""What Pydantic AI sends of a conversation, driven by hand: a capability of the harness, over a run that goes on."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Iterator
from functools import partial
from types import SimpleNamespace
from typing import Any

from opentelemetry.trace import NoOpTracer
from pydantic_ai.messages import (
    CompactionPart,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestContext, ModelRequestParameters
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.models.test import TestModel
from pydantic_ai.usage import RunUsage
from pydantic_ai_harness.compaction import (
    ClampOversizedMessages,
    ClearToolResults,
    SlidingWindowCompaction,
    SummarizingCompaction,
)

from historylab.trimmers.stand_in import write_summary

Sent = list[tuple[Any, ...]]
RUN: dict[str, Any] = {"deps": None, "model": TestModel(), "capabilities": {}, "tool_manager": None}
RUN |= {"tracer": NoOpTracer(), "run_id": "by hand", "run_step": 0, "conversation_id": None, "usage_limits": None}


def compacted(strategy: Callable[..., Any], conversation: Any, **options: Any) -> Iterator[Sent]:
    """Each request goes on with what the one before left and what was said since."""
    capability = strategy(**options)
    run = SimpleNamespace(**RUN, messages=[])
    before = 0
    for size in conversation.columns.requests.tolist():
        run.messages += as_messages(conversation, before, size)
        run.usage = RunUsage()  # of a run, which may ask no more than fifty times
        request = ModelRequestContext(
            model=run.model,
            messages=list(run.messages),
            model_settings=None,
            model_request_parameters=ModelRequestParameters(),
        )
        sent = asyncio.run(capability.before_model_request(run, request)).messages
        before = size
        yield tuples(sent)


def summarizing(**options: Any) -> Any:
    """The strategy with a model that repeats, in the words of the stand-in, what it is to summarise."""

    def answer(messages: list[ModelMessage], _: Any) -> ModelResponse:
        prompt = str(messages[-1].parts[-1].content)  # type: ignore[union-attr]
        frames = re.findall("<message [^>]*>\n(.*?)\n</message>|<previous-summary>\n(.*?)\n</previous", prompt, re.S)
        return ModelResponse([TextPart(write_summary("\n".join(said or before for said, before in frames)))])

    return SummarizingCompaction(model=FunctionModel(answer), summary_prompt="{messages}", **options)


def as_messages(conversation: Any, start: int, stop: int) -> list[ModelMessage]:
    names = {call.id: call.name for message in conversation for call in message.tool_calls}
    messages: list[ModelMessage] = []
    parts: list[Any] = []
    for number in range(start, stop):
        said = conversation[number]
        if said.role == "assistant":
            calls = [ToolCallPart(call.name, call.arguments, call.id) for call in said.tool_calls]
            messages.append(ModelResponse([*([TextPart(said.content)] if said.content else []), *calls]))
            parts = []
            continue
        if not parts:
            messages.append(ModelRequest(parts))
        if said.role == "tool":
            parts.append(ToolReturnPart(names[said.tool_call_id], said.content, said.tool_call_id))
        else:
            parts.append({"system": SystemPromptPart, "user": UserPromptPart}[said.role](said.content))
    return messages


def tuples(messages: list[ModelMessage]) -> Sent:
    sent: Sent = []
    for message in messages:
        if isinstance(message, ModelResponse):
            text = "".join(part.content for part in message.parts if isinstance(part, TextPart))
            calls = [part for part in message.parts if isinstance(part, ToolCallPart)]
            sent.append(("assistant", text, tuple((c.tool_call_id, c.tool_name, arguments(c)) for c in calls), None))
        else:
            sent += [as_tuple(part) for part in message.parts]
    return sent


def as_tuple(part: Any) -> tuple[Any, ...]:
    if isinstance(part, ToolReturnPart):
        return ("tool", part.content, (), part.tool_call_id)
    if isinstance(part, CompactionPart):
        return ("user", part.content, (), None)
    role = "system" if isinstance(part, SystemPromptPart) else "user"
    said = part.content if isinstance(part.content, str) else "".join(piece.content for piece in part.content)
    return (role, said, (), None)


def arguments(call: ToolCallPart) -> Any:
    return json.loads(call.args) if isinstance(call.args, str) else call.args


DRIVERS = {
    "pydantic_ai_harness.ClampOversizedMessages": partial(compacted, ClampOversizedMessages),
    "pydantic_ai_harness.ClearToolResults": partial(compacted, ClearToolResults),
    "pydantic_ai_harness.SlidingWindowCompaction": partial(compacted, SlidingWindowCompaction),
    "pydantic_ai_harness.SummarizingCompaction": partial(compacted, summarizing),
}
