"""`scripted`: a chat model that gives prepared replies in order; for tests and offline demos."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import Any

from historylab.chat_models.base import Reply
from historylab.conversation.message import ToolCall, Usage
from historylab.errors import InstrumentError
from historylab.registry import register

WORDS_A_PIECE = 2
_opened = count(1)


@register("chat_model", "scripted")
class ScriptedChatModel:
    """Offline: gives its replies in order and records every request in `asked`.

    A reply is a text, a Reply, or an exception to raise. Usage is estimated as characters / 4.
    """

    def __init__(self, name: str = "scripted", replies: Iterable[str | Reply | Exception] = ()):
        self.name, self.key = name, f"scripted:{next(_opened)}"
        self._replies = iter(replies)
        self.asked: list[dict[str, Any]] = []

    def complete(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        max_tokens: int | None = None,
        temperature: float | None = None,
        tools: Sequence[Mapping[str, Any]] = (),
    ) -> Reply:
        self.asked.append(
            {"messages": list(messages), "max_tokens": max_tokens, "temperature": temperature, "tools": list(tools)}
        )
        reply = next(self._replies, None)
        if reply is None:
            raise InstrumentError(f"{self.name!r} has no reply left to give; script more")
        if isinstance(reply, Exception):
            raise reply
        return Reply(reply, usage=_usage(messages, reply), model=self.name) if isinstance(reply, str) else reply

    def stream(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        max_tokens: int | None = None,
        temperature: float | None = None,
        tools: Sequence[Mapping[str, Any]] = (),
    ) -> Iterator[str | Reply]:
        reply = self.complete(messages, max_tokens=max_tokens, temperature=temperature, tools=tools)
        words = reply.text.split(" ")
        pieces = [" ".join(words[i : i + WORDS_A_PIECE]) for i in range(0, len(words), WORDS_A_PIECE)]
        yield from (piece + " " for piece in pieces[:-1])
        if pieces[-1]:
            yield pieces[-1]
        yield reply


def call(name: str, id: str = "", /, **arguments: Any) -> Reply:
    """A reply that calls one tool: `call("look_up", city="Graz")`."""
    return Reply(
        "",
        (ToolCall(id or f"call_{name}", name, json.dumps(arguments, ensure_ascii=False)),),
        Usage(input=10, output=5),
        "scripted",
        "tool_calls",
    )


def _usage(messages: Sequence[Mapping[str, Any]], answer: str) -> Usage:
    return Usage(input=sum(len(str(m.get("content") or "")) for m in messages) // 4, output=len(answer) // 4)
