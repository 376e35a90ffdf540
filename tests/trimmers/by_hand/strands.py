"""Strands called by hand: its managers told of each run and each call of the model, on messages made here."""

from __future__ import annotations

import json
from types import SimpleNamespace

from strands.agent.conversation_manager import SlidingWindowConversationManager, SummarizingConversationManager
from strands.models.model import Model, _estimate_tokens_with_heuristic
from strands.types.exceptions import ContextWindowOverflowException

from historylab.trimmers.stand_in import write_summary


def sliding_window(conversation, context_window=None, **options):
    """What each request sends, the prompt first."""
    return _sent(conversation, SlidingWindowConversationManager(**options), context_window)


def summarizing(conversation, context_window=200_000, **options):
    """What each request sends, the prompt first."""
    return _sent(conversation, SummarizingConversationManager(**options), context_window)


def _sent(conversation, manager, window):
    model = Scripted(window)
    agent = SimpleNamespace(messages=[], model=model, aux_model=model)
    callbacks = []
    manager.register_hooks(SimpleNamespace(add_callback=lambda _, callback: callbacks.append(callback)))
    messages = list(conversation)
    prompt = at = next(i for i, message in enumerate(messages) if message.role != "system")
    for length in conversation.columns.requests:
        for i in range(at, length):
            if messages[i].role == "user" and messages[i - 1].role != "user":
                manager.apply_management(agent)  # the invocation before has ended
            add(agent.messages, messages[i])
        at = length
        while True:
            event = SimpleNamespace(agent=agent, projected_input_tokens=_estimate_tokens_with_heuristic(agent.messages))
            for callback in callbacks:
                callback(event)
            size = _estimate_tokens_with_heuristic(agent.messages)
            if window is None or size <= window:
                break
            count = len(agent.messages)
            manager.reduce_context(agent, e=ContextWindowOverflowException(str(size)))
            shorter = len(agent.messages) < count or _estimate_tokens_with_heuristic(agent.messages) < size
            assert shorter or isinstance(manager, SlidingWindowConversationManager), "a summary of a summary, for ever"
        systems = [("system", message.content, (), None) for message in messages[:prompt]]
        yield systems + [said for item in agent.messages for said in from_item(item)]


def add(items, message):
    if message.role == "tool":
        result = {"toolUseId": message.tool_call_id, "status": "success", "content": [{"text": message.content}]}
        if items and any("toolResult" in block for block in items[-1]["content"]):
            items[-1]["content"].append({"toolResult": result})
        else:
            items.append({"role": "user", "content": [{"toolResult": result}]})
        return
    blocks = [{"text": message.content}] if message.content else []
    for call in message.tool_calls:
        asked = {"toolUseId": call.id, "name": call.name, "input": json.loads(call.arguments)}
        blocks.append({"toolUse": asked})
    items.append({"role": message.role, "content": blocks})


def from_item(item):
    results = [block["toolResult"] for block in item["content"] if "toolResult" in block]
    if results:
        return [("tool", result["content"][0]["text"], (), result["toolUseId"]) for result in results]
    text = "".join(block.get("text", "") for block in item["content"])
    asked = [block["toolUse"] for block in item["content"] if "toolUse" in block]
    calls = tuple((call["toolUseId"], call["name"], call["input"]) for call in asked)
    return [(item["role"], text, calls, None)]


class Scripted(Model):
    """A model that summarises as the stand-in does."""

    def __init__(self, window, write=write_summary):
        self.window, self.write = window, write

    def get_config(self):
        return {"context_window_limit": self.window}

    def update_config(self, **config):
        raise NotImplementedError

    def structured_output(self, *given, **options):
        raise NotImplementedError

    async def stream(self, messages, *given, **options):
        said = [each for item in messages[:-1] for each in from_item(item)]
        lines = [f"{role}: {text or ', '.join(name for _, name, _ in calls)}" for role, text, calls, _ in said]
        yield {"messageStart": {"role": "assistant"}}
        yield {"contentBlockDelta": {"delta": {"text": self.write("\n".join(lines))}}}
        yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "end_turn"}}
