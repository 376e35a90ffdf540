"""BaseAgent: stored history before every call of the model, the search tool beside it, capture around it."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from historylab.errors import SettingsError
from historylab.systems.toolpack.assembler import assemble_prompt
from historylab.systems.toolpack.capture import CaptureInterceptor, Interceptor, compose_chain, id_of
from historylab.systems.toolpack.conversation_search import ConversationSearchTool, conversation_search_tool
from historylab.systems.toolpack.conversation_store import ConversationStore
from historylab.systems.toolpack.memory_store import InMemoryConversationStore
from historylab.systems.toolpack.options import AssemblerOptions, resolve_assembler_options, snake_case
from historylab.systems.toolpack.summaries import SummaryCallable

log = logging.getLogger("historylab")

Generate = Callable[[list[dict[str, str]], list[ConversationSearchTool]], str]


class BaseAgent:
    """An agent with a history: give it a name and a model, or derive a class that sets them.

        class MyAgent(BaseAgent):
            name = "my-agent"
            conversation_history = SQLiteConversationStore("conversations.db")

            def generate(self, messages, tools):
                return ask_your_model(messages, tools)

    Every attribute may be set in a class, given to the constructor or assigned at any time; nothing a class sets is
    overwritten. A store set in a class is shared by its agents; without any, each agent has one in memory.

    Attributes:
        generate: `generate(messages, tools)` asks the model; `tools` holds the conversation's search tool, or nothing
            without a conversation.
        conversation_history: where turns are stored. A store that fails costs the agent its memory of that moment,
            never the answer.
        assembler_options: AssemblerOptions, or a mapping of some of them.
        channels: anything with a `bot_user_id`, by which the agent is mentioned.
        interceptors: what `handle` runs before the agent, the first outermost; capture comes before all of them.
        summarizer: writes rolling summaries; None: older turns are left out.
    """

    name: str
    description: str = ""
    mode: Any = None
    generate: Generate
    conversation_history: ConversationStore
    assembler_options: AssemblerOptions | Mapping[str, Any] | None = None
    channels: Iterable[Any]
    interceptors: Iterable[Interceptor] = ()
    summarizer: SummaryCallable | None = None

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        for name in vars(cls):
            _refuse_published(name)

    def __init__(
        self,
        name: str | None = None,
        generate: Generate | None = None,
        *,
        conversation_history: ConversationStore | None = None,
        assembler_options: AssemblerOptions | Mapping[str, Any] | None = None,
        channels: Iterable[Any] | None = None,
        interceptors: Iterable[Interceptor] | None = None,
        summarizer: SummaryCallable | None = None,
    ):
        given: dict[str, Any] = {
            "name": name,
            "generate": generate,
            "conversation_history": conversation_history,
            "assembler_options": assembler_options,
            "channels": None if channels is None else list(channels),
            "interceptors": None if interceptors is None else list(interceptors),
            "summarizer": summarizer,
        }
        for attribute, value in given.items():
            if value is not None:
                setattr(self, attribute, value)
        for needed in ("name", "generate"):
            if not getattr(self, needed, None):
                raise SettingsError(f"{type(self).__name__} has no {needed}: give {needed}=, or set it in the class")
        if getattr(self, "conversation_history", None) is None:
            self.conversation_history = InMemoryConversationStore()
        if getattr(self, "channels", None) is None:
            self.channels = []

    def __setattr__(self, name: str, value: Any) -> None:
        _refuse_published(name)
        super().__setattr__(name, value)

    def run(self, message: str, *, conversation_id: str | None = None, message_id: str | None = None) -> str:
        """The model's answer to `message`, which comes last, bare; stored under `message_id` it is not sent twice.

        A blank message is not sent: the history speaks for itself.
        """
        says_something = bool(message and message.strip())
        current = [{"role": "user", "content": message}] if says_something else []
        history = self._history(conversation_id, message_id if says_something else None) if conversation_id else []
        tools = [conversation_search_tool(self.conversation_history, conversation_id)] if conversation_id else []
        return self.generate(history + current, tools)

    def handle(self, inbound: Mapping[str, Any]) -> Any:
        """Store what came in, answer it through the interceptors, store the answer; gives `{"output": answer}`.

        None where an interceptor skipped it.
        """
        if id_of(inbound) is None:  # capture and run must mean the same message
            inbound = {**inbound, "context": {**(inbound.get("context") or {}), "eventId": str(uuid.uuid4())}}
        chain = list(self.interceptors)
        if not any(isinstance(interceptor, CaptureInterceptor) for interceptor in chain):
            chain.insert(0, CaptureInterceptor(self.conversation_history, self.name))
        return compose_chain(chain, self._answer)(inbound)

    def _answer(self, inbound: Mapping[str, Any]) -> dict[str, Any]:
        message, conversation_id = inbound.get("message") or "", inbound.get("conversationId")
        return {"output": self.run(message, conversation_id=conversation_id, message_id=id_of(inbound))}

    def _history(self, conversation_id: str, current: str | None) -> list[dict[str, str]]:
        """The assembled messages without the current one, which `run` appends unchanged."""
        options, store = resolve_assembler_options(self.assembler_options, self.channels), self.conversation_history
        try:
            assembled = assemble_prompt(store, conversation_id, self.name, self.name, options, self.summarizer)
        except Exception:  # whatever a store's driver raises
            log.warning("[assemble-prompt] Failed to load the history; going on without it", exc_info=True)
            return []
        pairs = zip(assembled.messages, assembled.ids, strict=True)
        return [message for message, id in pairs if current is None or id != current]


def _refuse_published(name: str) -> None:
    """An attribute in the published spelling would have no effect, and nobody would notice."""
    here = snake_case(name)
    if here != name and here in BaseAgent.__annotations__:
        raise SettingsError(f"{name} is called {here} here")
