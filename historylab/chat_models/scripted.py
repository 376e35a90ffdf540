"""`scripted`: a chat model that gives prepared replies, in order or by a rule; for tests and offline demos."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import Any

from historylab.chat_models.base import Reply
from historylab.conversation.message import ToolCall, Usage
from historylab.errors import InstrumentError
from historylab.registry import register

WORDS_A_PIECE = 2
_opened = count(1)
Rule = Callable[[Sequence[Mapping[str, Any]], Sequence[Mapping[str, Any]]], "str | Reply"]
"""`rule(messages, tools)` gives the reply to a request."""


@register("chat_model", "scripted")
class ScriptedChatModel:
    """Offline: gives its replies in order, or those of a rule, and records every request in `asked`.

    A reply is a text, a Reply, or an exception to raise. Usage is estimated as characters / 4.
    """

    def __init__(self, name: str = "scripted", replies: Iterable[str | Reply | Exception] | Rule = ()):
        self.name, self.key = name, f"scripted:{name if callable(replies) else next(_opened)}"
        self._rule = replies if callable(replies) else None
        self._replies = iter(()) if callable(replies) else iter(replies)
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
        reply = self._rule(messages, tools) if self._rule else next(self._replies, None)
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
        yield from in_pieces(self.complete(messages, max_tokens=max_tokens, temperature=temperature, tools=tools))


def in_pieces(reply: Reply) -> Iterator[str | Reply]:
    """A prepared reply as a stream."""
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
