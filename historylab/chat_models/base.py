"""What a chat model is: asked with plain Chat Completions messages it answers with a Reply, at once or as it comes.

A member is a class taking the model's name. It raises InstrumentError, in one sentence that says what was asked, what
came back and what to do, for whatever goes wrong on the way.
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
"""Finish reasons of a reply whose text says why there is no answer."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model answered. `usage` is None where it reported none, which is not the same as nothing used."""

    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage | None = None
    model: str = ""
    finish_reason: str = "stop"


class ChatModel(Protocol):
    """Answers messages. `name` is the model's; `key` must differ whenever an answer could (another server, say)."""

    name: str
    key: str

    def complete(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        max_tokens: int | None = None,
        temperature: float | None = None,
        tools: Sequence[Mapping[str, Any]] = (),
    ) -> Reply:
        """The whole answer. `tools` are OpenAI function tools; `max_tokens` bounds the answer."""
        ...

    def stream(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        max_tokens: int | None = None,
        temperature: float | None = None,
        tools: Sequence[Mapping[str, Any]] = (),
    ) -> Iterator[str | Reply]:
        """The answer's text, piece by piece, and last the Reply that holds all of it."""
        ...


@lru_cache(maxsize=32)
def open_chat_model(name: str) -> ChatModel:
    """The model of that name on the server the environment names; the same object each time, for its open connections.

    Nothing is imported, read from the environment or asked before its first use.
    """
    model: ChatModel = member("chat_model", DEFAULT).target(name)
    return model
