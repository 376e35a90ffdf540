"""An agent as far as Strands' conversation managers see one: its messages, its model's window, its hooks.

As in the library's loop around a call of the model, the manager is applied when a run has ended, its hooks are called
before each call, and where the messages are too long it has to reduce them until they fit. Nobody says "too long" in a
replay, so `context_window` stands for the provider: tokens by the library's own estimate (a quarter of the characters
of a text, half of those of JSON) of the messages alone, without prompt and tools.
Source: strands/agent/agent.py, strands/event_loop/event_loop.py.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from historylab.errors import needs
from historylab.trimmers.base import Asked
from historylab.trimmers.forms.strands import StrandsMessages
from historylab.trimmers.stand_in import write_summary

Item = dict[str, Any]
QUIET = logging.NullHandler()
"""Keeps the library's warnings off the terminal, one for each request; an app's own logging has them."""


class ManagedAgent:
    """The base of the members: an agent whose list a manager owns, and whose calls of the model it is told of."""

    form = "strands"
    system_inside = False
    carries = True
    asked: Asked = "request"
    summarizes = False

    def __init__(self, manager: Any, context_window: int | None, model: Any = None):
        from strands.hooks import BeforeModelCallEvent, HookRegistry
        from strands.types.exceptions import ContextWindowOverflowException

        self.messages: list[Item] = []
        self.model = _stand_in(context_window)
        self.aux_model = self.model if model is None else model
        self._manager, self._window, self._hooks = manager, context_window, HookRegistry()
        self._event, self._overflow = BeforeModelCallEvent, ContextWindowOverflowException
        manager.register_hooks(self._hooks)

    async def __call__(self, items: list[Item]) -> list[Item]:
        said = 0 if self.asked == "run" else _count_input(items)
        self.messages = items[: len(items) - said]
        if self.asked == "run" or said:
            self._manager.apply_management(self)
            self.messages += items[len(items) - said :]
        if self.asked == "request":
            await self._prepare_call()
        return self.messages

    async def _prepare_call(self) -> None:
        """Have the hooks called, and the messages reduced and the call tried again while they are too long."""
        size = await self._call_hooks()
        while self._window is not None and size > self._window:
            count, before = len(self.messages), size
            problem = self._overflow(f"{size} tokens do not fit into {self._window}")
            self._manager.reduce_context(self, e=problem)
            size = await self._call_hooks()
            if self.summarizes and len(self.messages) >= count and size >= before:
                raise problem  # a summary of nothing but the last one: the library would go on without end

    async def _call_hooks(self) -> int:
        """The tokens of the messages after what is done before each call."""
        size = await self.model.count_tokens(self.messages)
        await self._hooks.invoke_callbacks_async(self._event(agent=self, projected_input_tokens=size))
        tokens: int = await self.model.count_tokens(self.messages)
        return tokens


def import_managers(name: str) -> Any:
    """The library's module of managers, for the trimmer of that name."""
    with needs("strands-agents", name):
        from strands.agent import conversation_manager
    logging.getLogger("strands").addHandler(QUIET)
    return conversation_manager


def _count_input(items: Sequence[Item]) -> int:
    """The messages at the end that begin a run: those of the user's which are no results."""
    count = 0
    for item in reversed(items):
        if item["role"] != "user" or any("toolResult" in block for block in item["content"]):
            break
        count += 1
    return count


def _stand_in(context_window: int | None) -> Any:
    """A model whose answers are summaries in the words of what it is given."""
    from strands.models import Model

    class StandIn(Model):  # type: ignore[misc]
        def get_config(self) -> Mapping[str, Any]:
            return {"context_window_limit": context_window}

        def update_config(self, **_: Any) -> None:
            raise NotImplementedError

        def structured_output(self, *_: Any, **__: Any) -> Any:
            raise NotImplementedError

        async def stream(self, messages: Sequence[Item], *_: Any, **__: Any) -> AsyncIterator[Mapping[str, Any]]:
            yield {"messageStart": {"role": "assistant"}}
            yield {"contentBlockDelta": {"delta": {"text": write_summary(_lines(messages[:-1]))}}}
            yield {"contentBlockStop": {}}
            yield {"messageStop": {"stopReason": "end_turn"}}

    return StandIn()


def _lines(items: Sequence[Item]) -> str:
    """The texts of messages, and who said them."""
    said = [message for item in items for message in StrandsMessages().read(item)]
    calls = {message: ", ".join(call.name for call in message.tool_calls) for message in said}
    return "\n".join(f"{message.role}: {message.content or calls[message]}" for message in said)
