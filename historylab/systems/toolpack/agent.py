"""BaseAgent: stored history before every call of the model, the search tool beside it, capture around it."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from historylab.agent.conversation_search import ConversationSearchTool, conversation_search_tool
from historylab.stores.base import ConversationStore
from historylab.stores.memory import InMemoryConversationStore
from historylab.systems.toolpack.assembler import AssembledPrompt, assemble_prompt
from historylab.systems.toolpack.capture import CaptureInterceptor, id_of
from historylab.systems.toolpack.options import AssemblerOptions, resolve_assembler_options
from historylab.systems.toolpack.summaries import Summarizer

log = logging.getLogger("historylab")

Generate = Callable[[list[dict[str, str]], list[ConversationSearchTool]], str]


class BaseAgent:
    """An agent with a history. `conversation_history` and the other attributes may be assigned at any time.

    `generate(messages, tools)` asks the model; `tools` holds the conversation's search tool, or nothing without a
    conversation. A store that fails costs the agent its memory of that moment, never the answer.
    """

    def __init__(
        self,
        name: str,
        generate: Generate,
        *,
        conversation_history: ConversationStore | None = None,
        assembler_options: AssemblerOptions | None = None,
        channels: Iterable[Any] = (),
        summarizer: Summarizer | None = None,
    ):
        self.name, self.generate = name, generate
        self.conversation_history = (
            InMemoryConversationStore() if conversation_history is None else conversation_history
        )
        self.assembler_options, self.channels, self.summarizer = assembler_options, list(channels), summarizer

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
        """Store what came in, answer it, store the answer; gives `{"output": answer}`."""
        if id_of(inbound) is None:  # capture and run must mean the same message
            inbound = {**inbound, "context": {**(inbound.get("context") or {}), "eventId": str(uuid.uuid4())}}
        return CaptureInterceptor(self.conversation_history, self.name)(inbound, self._answer)

    def _answer(self, inbound: Mapping[str, Any]) -> dict[str, Any]:
        message, conversation_id = inbound.get("message") or "", inbound.get("conversationId")
        return {"output": self.run(message, conversation_id=conversation_id, message_id=id_of(inbound))}

    def _history(self, conversation_id: str, current: str | None) -> list[dict[str, str]]:
        """The assembled messages without the current one, which `run` appends unchanged."""
        try:
            assembled = self._assemble(conversation_id)
        except Exception:  # whatever a store's driver raises
            log.warning("[assemble-prompt] Failed to load the history; going on without it", exc_info=True)
            return []
        pairs = zip(assembled.messages, assembled.ids, strict=True)
        return [message for message, id in pairs if current is None or id != current]

    def _assemble(self, conversation_id: str) -> AssembledPrompt:
        options = resolve_assembler_options(self.assembler_options, self.channels)
        return assemble_prompt(
            self.conversation_history, conversation_id, self.name, self.name, options, self.summarizer
        )
