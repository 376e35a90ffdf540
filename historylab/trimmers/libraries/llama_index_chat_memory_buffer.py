"""LlamaIndex' `ChatMemoryBuffer`, the memory of an agent.

In its list: all messages but the system prompt, which an agent has beside them. Names: none. Parallel results: a
message each. Asked: before each call of the model, each time of the whole history, which a memory keeps.
Source: llama_index/core/memory/chat_memory_buffer.py.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from historylab.errors import needs
from historylab.registry import register
from historylab.trimmers.base import Asked


@register("trimmer", "llama_index.ChatMemoryBuffer", title="LlamaIndex ChatMemoryBuffer", library="llama-index-core")
class ChatMemoryBuffer:
    """Keeps the newest messages whose texts fit into a number of tokens, from a user's message on."""

    form = "llama_index"
    system_inside = False
    carries = False
    asked: Asked = "request"
    summarizes = False

    def __init__(
        self,
        *,
        token_limit: Annotated[
            int, Field(ge=1, le=100_000_000, description="tokens of the texts; calls aren't counted")
        ] = 3000,
        tokenizer_fn: Annotated[Any, Field(description="splits a text into tokens; without one, tiktoken does")] = None,
    ):
        with needs("llama-index-core", "llama_index.ChatMemoryBuffer"):
            from llama_index.core.memory import ChatMemoryBuffer as Buffer
        self._buffer = Buffer
        self._options = {"token_limit": token_limit, "tokenizer_fn": tokenizer_fn}

    def __call__(self, items: list[Any]) -> list[Any]:
        return list(self._buffer.from_defaults(chat_history=items, **self._options).get())
