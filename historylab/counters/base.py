"""The contract of token counters; each conversation is counted once per counter.

A member is a class that takes the model's name and has `key` (identifies its counts), `label` (how it counts, for
display), `exact`, `per_request` (tokens of a request beyond its messages) and `count(messages)`.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

import numpy as np

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.conversation.usage import recorded_models
from historylab.errors import InstrumentError
from historylab.registry import member

MEDIA_TOKENS = {"image": 1500, "audio": 1500, "file": 1500}
"""Tokens per non-text part, a fixed estimate: its data is never counted as text. 1,500 is a full-size image on models
that publish a formula; audio and files vary more, so every such count is labelled an estimate."""


_serial = itertools.count()


class Counter(Protocol):
    """Counts tokens of messages. `key` must differ whenever a count could."""

    key: str
    label: str
    exact: bool
    per_request: int

    def count(self, messages: Sequence[Message]) -> np.ndarray:
        """Tokens of each message, framing included: int64[len(messages)]."""
        ...


def open_counter(name: str, model: str, **options: Any) -> Counter:
    """The counter of that name for `model`."""
    counter: Counter = member("counter", name).target(model, **options)
    return counter


def model_counter(model: str) -> Counter:
    """The counter that comes nearest to what the provider of `model` counts and charges for."""
    return open_counter("exact", model)


def token_column(conversation: Conversation, counter: Counter) -> np.ndarray:
    """int64[len(conversation)]: tokens of every message, counted once per counter and kept with the conversation."""

    def count() -> np.ndarray:
        column = np.ascontiguousarray(counter.count(conversation.messages), np.int64)
        if len(column) != len(conversation):
            raise InstrumentError(f"counter {counter.key!r} gave {len(column)} counts for {len(conversation)} messages")
        column.setflags(write=False)
        return column

    return conversation.remember(("tokens", counter.key), count)


def count_text(counter: Counter, text: str) -> int:
    """Tokens of a system message of that text; a caller's own counter is given it as `{"role", "content"}`."""
    return int(counter.count([Message("system", text, source={"role": "system", "content": text})])[0])


def media_tokens(message: Message) -> int:
    """The estimate for a message's images, audio and files."""
    return sum(MEDIA_TOKENS.get(kind, MEDIA_TOKENS["file"]) for kind in message.media)


def count_badge(counter: Counter, model: str, conversations: Iterable[Conversation] = ()) -> str:
    """ "o200k_base, exact for gpt-5.5": how tokens of these are counted, and whether `model` counts them just so.

    The only words for it: a count is no more exact in one place than in another.
    """
    if not counter.exact:
        return f"{counter.label}, an estimate"
    counted = list(conversations)
    if other := next((name for one in counted for name in recorded_otherwise(counter, one)), ""):
        return f"{counter.label}, an estimate: recorded with {other:.60}"
    media = any(has_media(one) for one in counted)
    return f"{counter.label}, exact for {model}{' but for images and other media' if media else ''}"


def recorded_otherwise(counter: Counter, conversation: Conversation) -> list[str]:
    """The models of the transcript whose tokens this exact counter does not count."""
    return [name for name in recorded_models(conversation) if not _is_the_same(counter, model_counter(name))]


def _is_the_same(one: Counter, other: Counter) -> bool:
    return one.key == other.key and other.exact


def has_media(conversation: Conversation) -> bool:
    """Whether any message has images, audio or files, whose tokens are a fixed estimate."""
    return conversation.remember("has media", lambda: any(m.media for m in conversation))


class PerMessage:
    """A counter from a caller's own `count_tokens(message) -> int`; `shape` converts a Message to its argument."""

    exact = False
    per_request = 0

    def __init__(
        self, count_tokens: Callable[[Any], int], shape: Callable[[Message], object] = lambda m: m.source, key: str = ""
    ):
        self._count_tokens, self._shape = count_tokens, shape
        self.key = key or f"callable:{next(_serial)}"  # not its id(), which may be reused
        self.label = getattr(count_tokens, "__name__", "the caller's counter")

    def count(self, messages: Sequence[Message]) -> np.ndarray:
        return np.fromiter((self._count_tokens(self._shape(m)) for m in messages), np.int64, len(messages))
