"""Strands called by hand: its managers told of each run and each call of the model, on messages made here."""

from __future__ import annotations

import json
from types import SimpleNamespace

from strands.agent.conversation_manager import SlidingWindowConversationManager, SummarizingConversationManager
from strands.models.model import Model
from strands.models.model import _estimate_tokens_with_heuristic as estimate
from strands.types.exceptions import ContextWindowOverflowException

from historylab.trimmers.stand_in import write_summary


def sliding_window(conversation, context_window=None, **options):
    """What each request sends, the prompt first."""
    return _sent(conversation, SlidingWindowConversationManager(**options), context_window)


def summarizing(conversation, context_window=200_000, **options):
    """What each request sends, the prompt first."""
    return _sent(conversation, SummarizingConversationManager(**options), context_window)


def _sent(conversation, manager, window):
    agent = Managed(manager, window)
    messages = list(conversation)
    prompt = at = next(i for i, message in enumerate(messages) if message.role != "system")
    systems = [("system", message.content, (), None) for message in messages[:prompt]]
    for length in conversation.columns.requests:
        before, new = list(agent.messages), messages[at:length]
        at = length
        try:
            agent.hear(new)
            agent.prepare_call()
            yield systems + [said for item in agent.messages for said in from_item(item)]
        except ContextWindowOverflowException:  # nothing is sent, and it is tried again with what is said then
            agent.messages = before
            for message in new:
                add(agent.messages, message)
            said = []
            for message in messages[prompt:length]:
                add(said, message)
            yield systems + [said for item in said for said in from_item(item)]


class Managed:
    """An agent up to its calls of the model."""

    def __init__(self, manager, window):
        self.manager, self.window, self.messages, self.callbacks = manager, window, [], []
        self.model = self.aux_model = Scripted(window)
        manager.register_hooks(SimpleNamespace(add_callback=lambda _, callback: self.callbacks.append(callback)))

    def hear(self, messages):
        for message in messages:
            last = self.messages[-1] if self.messages else None
            if message.role == "user" and last and (last["role"] != "user" or is_result(last)):
                self.manager.apply_management(self)  # the invocation before has ended
            add(self.messages, message)

    def prepare_call(self):
        size = self.call_hooks()
        while self.window is not None and size > self.window:
            count, before = len(self.messages), size
            self.manager.reduce_context(self, e=ContextWindowOverflowException(str(size)))
            size = self.call_hooks()
            stuck = len(self.messages) >= count and size >= before
            if stuck and isinstance(self.manager, SummarizingConversationManager):
                raise ContextWindowOverflowException("a summary of a summary, for ever")

    def call_hooks(self):
        size = estimate(self.messages)
        for callback in self.callbacks:
            callback(SimpleNamespace(agent=self, projected_input_tokens=size))
        return estimate(self.messages)


def add(items, message):
    if message.role == "tool":
        result = {"toolUseId": message.tool_call_id, "status": "success", "content": [{"text": message.content}]}
        if items and is_result(items[-1]):
            items[-1]["content"].append({"toolResult": result})
        else:
            items.append({"role": "user", "content": [{"toolResult": result}]})
        return
    blocks = [{"text": message.content}] if message.content else []
    for call in message.tool_calls:
        asked = {"toolUseId": call.id, "name": call.name, "input": json.loads(call.arguments)}
        blocks.append({"toolUse": asked})
    items.append({"role": message.role, "content": blocks})


def is_result(item):
    return any("toolResult" in block for block in item["content"])


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


DRIVERS = {
    "strands.SlidingWindowConversationManager": sliding_window,
    "strands.SummarizingConversationManager": summarizing,
}
