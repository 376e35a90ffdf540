"""A conversation said again to an agent of Strands: its model gives the answers in it, and its tools the results."""

from __future__ import annotations

from strands import Agent
from strands.models.model import _estimate_tokens_with_heuristic as estimate
from strands.tools.executors import SequentialToolExecutor
from strands.tools.tools import PythonAgentTool
from strands.types.exceptions import ContextWindowOverflowException

from tests.trimmers.by_hand.strands import Scripted, add, from_item


def sent_by_agent(conversation, manager, window=None):
    """What the model was sent at each call that it answered, the prompt first."""
    prompt, *messages = conversation
    model = Replayed(messages, window)
    results = {message.tool_call_id: message.content for message in messages if message.role == "tool"}
    names = {call.name for message in messages for call in message.tool_calls}
    agent = Agent(
        model=model,
        tools=[tool(name, results) for name in names],
        system_prompt=prompt.content,
        conversation_manager=manager,
        tool_executor=SequentialToolExecutor(),
        callback_handler=None,
    )
    for message in messages:
        if message.role == "user":
            agent(message.content)
    return [[("system", prompt.content, (), None), *sent] for sent in model.sent]


def tool(name, results):
    def give(use, **_):
        return {"toolUseId": use["toolUseId"], "status": "success", "content": [{"text": results[use["toolUseId"]]}]}

    spec = {"name": name, "description": name, "inputSchema": {"json": {"type": "object"}}}
    return PythonAgentTool(name, spec, give)


class Replayed(Scripted):
    """Gives the answers in turn, reports their usage as estimated, and takes no more than its window."""

    def __init__(self, messages, window):
        super().__init__(window)
        self.answers = iter([message for message in messages if message.role == "assistant"])
        self.sent = []

    async def count_tokens(self, messages, **_):
        return estimate(messages)

    async def stream(self, messages, *_, **__):
        if messages[-1]["content"] == [{"text": "Please summarize this conversation."}]:
            async for event in super().stream(messages):
                yield event
            return
        if self.window is not None and estimate(messages) > self.window:
            raise ContextWindowOverflowException("too long")
        self.sent.append([said for item in messages for said in from_item(item)])
        answer = next(self.answers, None)
        for event in said_in_pieces(answer.content if answer else "The end.", answer.tool_calls if answer else ()):
            yield event
        yield {"metadata": {"usage": usage(messages, answer), "metrics": {"latencyMs": 1}}}


def said_in_pieces(text, calls):
    yield {"messageStart": {"role": "assistant"}}
    if text:
        yield {"contentBlockDelta": {"delta": {"text": text}}}
        yield {"contentBlockStop": {}}
    for call in calls:
        yield {"contentBlockStart": {"start": {"toolUse": {"toolUseId": call.id, "name": call.name}}}}
        yield {"contentBlockDelta": {"delta": {"toolUse": {"input": call.arguments}}}}
        yield {"contentBlockStop": {}}
    yield {"messageStop": {"stopReason": "tool_use" if calls else "end_turn"}}


def usage(messages, answer):
    said = []
    if answer:
        add(said, answer)
    given, written = estimate(messages), estimate(said)
    return {"inputTokens": given, "outputTokens": written, "totalTokens": given + written}
