"""Parses Chat Completions responses, a body or the chunks of a stream, into a Reply.

Servers leave out different fields, so everything but the choice itself may be missing. Source: the Chat Completions
API reference, the chat completion and chunk objects.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Any

from historylab.chat_models.base import Reply
from historylab.conversation.message import ToolCall, Usage


class Unreadable(Exception):
    """The response is not a chat completion; the text says what was found."""


def read_completion(body: Any) -> Reply:
    """The Reply in a completion's body. Raises Unreadable."""
    choice = _first_choice(body)
    if choice is None:
        raise Unreadable("there is no choice in it")
    message = _as_mapping(choice.get("message"))
    draft = Draft(model=_text(body.get("model")), usage=read_usage(body.get("usage")))
    draft.take_message(message)
    draft.finish_reason = _text(choice.get("finish_reason")) or "stop"
    return draft.reply()


def read_usage(given: Any) -> Usage | None:
    """Usage as a provider reports it, with cache reads and writes subtracted from the input."""
    if not isinstance(given, Mapping) or not given:
        return None
    details = _as_mapping(given.get("prompt_tokens_details"))
    reads, writes = _number(details.get("cached_tokens")), _number(details.get("cache_write_tokens"))
    fresh = max(0, _number(given.get("prompt_tokens")) - reads - writes)
    return Usage(fresh, _number(given.get("completion_tokens")), reads, writes)


def usage_fields(usage: Usage) -> dict[str, Any]:
    """Usage as a provider reports it."""
    prompt = usage.context
    return {
        "prompt_tokens": prompt,
        "completion_tokens": usage.output,
        "total_tokens": prompt + usage.output,
        "prompt_tokens_details": {"cached_tokens": usage.cache_reads, "cache_write_tokens": usage.cache_writes},
    }


@dataclass
class Draft:
    """A reply being assembled from chunks."""

    model: str = ""
    usage: Usage | None = None
    finish_reason: str = ""
    text: list[str] = field(default_factory=list)
    refusal: list[str] = field(default_factory=list)
    calls: dict[int, list[str]] = field(default_factory=dict)  # index → id, name, arguments so far

    def take(self, chunk: Any) -> str:
        """Add a chunk and return the text in it. Raises Unreadable."""
        if not isinstance(chunk, Mapping):
            raise Unreadable("a piece of it is no object")
        self.model = self.model or _text(chunk.get("model"))
        self.usage = read_usage(chunk.get("usage")) or self.usage
        choice = _first_choice(chunk)
        if choice is None:  # the last chunk, with the usage, has none
            return ""
        self.finish_reason = _text(choice.get("finish_reason")) or self.finish_reason
        return self.take_message(_as_mapping(choice.get("delta")))

    def take_message(self, message: Mapping[str, Any]) -> str:
        """Add a message, or a chunk's part of one, and return its text."""
        text = _text_of_content(message.get("content"))
        self.text.append(text)
        self.refusal.append(_text(message.get("refusal")))
        calls = message.get("tool_calls")
        for position, call in enumerate(calls if isinstance(calls, list) else ()):
            self._take_call(_as_mapping(call), position)
        return text

    def _take_call(self, call: Mapping[str, Any], position: int) -> None:
        """Add a call. A stream names it once and sends its arguments in pieces, all under one index."""
        index = call.get("index")
        parts = self.calls.setdefault(index if isinstance(index, int) else position, ["", "", ""])
        function = _as_mapping(call.get("function"))
        parts[0] = parts[0] or _text(call.get("id"))
        parts[1] = parts[1] or _text(function.get("name"))
        parts[2] += _text(function.get("arguments"))

    def reply(self) -> Reply:
        text, refusal = "".join(self.text), "".join(self.refusal)
        calls = tuple(ToolCall(*parts) for _, parts in sorted(self.calls.items()))
        if refusal and not text:
            return Reply(refusal, calls, self.usage, self.model, "refusal")
        return Reply(text, calls, self.usage, self.model, self.finish_reason)


def _first_choice(body: Any) -> Mapping[str, Any] | None:
    """The first choice, if any. Raises Unreadable for the error that some servers return instead of choices."""
    if not isinstance(body, Mapping):
        raise Unreadable("it is no JSON object")
    if error := body.get("error"):
        raise Unreadable(f"it is an error: {_text(_as_mapping(error).get('message')) or error}")
    choices = body.get("choices")
    return _as_mapping(choices[0]) if isinstance(choices, list) and choices else None


def _text_of_content(content: Any) -> str:
    if isinstance(content, list):
        return "".join(_text(_as_mapping(part).get("text")) for part in content)
    return _text(content)


def _as_mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _number(value: Any) -> int:
    return int(value) if isinstance(value, int | float) and 0 < value < inf else 0
