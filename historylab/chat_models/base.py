"""The contract of chat models: Chat Completions messages in, a Reply out, complete or streamed.

A member is a class that takes the model's name. On any failure it raises InstrumentError with one sentence that says
what was asked, what came back and what to do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

from historylab.conversation.message import ToolCall, Usage
from historylab.registry import member

DEFAULT = "openai_compatible"
NO_ANSWER = frozenset({"refusal", "content_filter"})
"""Finish reasons of a reply that is a refusal; its text says why."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's answer. `usage` is None if the server reported none."""

    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage | None = None
    model: str = ""
    finish_reason: str = "stop"


class ChatModel(Protocol):
    """Answers messages. `name` is the model's; `key` must differ whenever answers could (another server, say)."""

    @property
    def name(self) -> str: ...

    @property
    def key(self) -> str: ...

    def complete(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        max_tokens: int | None = None,
        temperature: float | None = None,
        tools: Sequence[Mapping[str, Any]] = (),
    ) -> Reply:
        """The complete answer. `tools` are OpenAI function tools; `max_tokens` limits the answer."""
        ...

    def stream(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        max_tokens: int | None = None,
        temperature: float | None = None,
        tools: Sequence[Mapping[str, Any]] = (),
    ) -> Iterator[str | Reply]:
        """The answer's text in pieces, then the complete Reply."""
        ...


@lru_cache(maxsize=32)
def open_chat_model(name: str) -> ChatModel:
    """The model of that name on the server set by the environment; cached, to reuse its connections.

    Imports nothing, reads no environment and sends nothing before its first use.
    """
    model: ChatModel = member("chat_model", DEFAULT).target(name)
    return model
