"""The contract of token counters; each conversation is counted once per counter.

A member is a class that takes the model's name and has `key` (identifies its counts), `label` (how it counts, for
display), `exact`, `per_request` (tokens of a request beyond its messages) and `count(messages)`. One that counts by a
model's tokenizer is registered with `reads=("counter_factor",)`, and scaled by that setting; one that counts by a
published system's rule is not.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from historylab.conversation.conversation import Conversation
from historylab.conversation.growing import MessageColumn
from historylab.conversation.message import REFERENCES, Message, known_size
from historylab.errors import InstrumentError
from historylab.registry import member
from historylab.settings.model import Settings

MEDIA_TOKENS = {"image": 1500, "audio": 1500, "file": 1500}
"""Tokens per non-text part, a fixed estimate: its data is never counted as text. 1,500 is a full-size image on models
that publish a formula; audio and files vary more, so every such count is labelled an estimate."""


FACTOR = "counter_factor"
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


def counter_for(settings: Settings) -> Counter:
    """The counter that the settings name, scaled by their token factor unless it counts by a published rule."""
    counter = open_counter(settings.counter, settings.model, **settings.options_of("counter"))
    return (
        with_factor(counter, settings.counter_factor)
        if FACTOR in member("counter", settings.counter).reads
        else counter
    )


def model_counter(model: str, factor: float = 1.0) -> Counter:
    """The counter that comes nearest to what the provider of `model` counts and charges for."""
    return with_factor(open_counter("exact", model), factor)


class ScaledCounter:
    """Another counter's tokens times a factor, rounded; a message that takes any takes 1 at least."""

    exact = False

    def __init__(self, counter: Counter, factor: float):
        self.unscaled, self.factor = counter, factor
        self.key, self.label = f"{counter.key} × {factor!r}", f"{factor:.4g} × {counter.label}"
        self.per_request = round(counter.per_request * factor)

    def count(self, messages: Sequence[Message]) -> np.ndarray:
        return self.scale(self.unscaled.count(messages))

    def scale(self, counted: np.ndarray) -> np.ndarray:
        """int64: these tokens of the unscaled counter in its own."""
        found: np.ndarray = np.maximum(np.rint(counted * self.factor), np.minimum(counted, 1)).astype(np.int64)
        return found


def without_factor(counter: Counter) -> Counter:
    """The counter without any factor."""
    return counter.unscaled if isinstance(counter, ScaledCounter) else counter


def with_factor(counter: Counter, factor: float) -> Counter:
    """The counter times `factor`; itself for a factor of 1."""
    return counter if factor == 1 else ScaledCounter(counter, factor)


def token_column(conversation: Conversation, counter: Counter) -> np.ndarray:
    """int64[len(conversation)]: tokens of every message, counted once per counter and kept with the conversation.

    Of one that follows another, or is its beginning, only messages that are new to it are counted.
    """

    def count(conversation: Conversation, start: int, stop: int) -> np.ndarray:
        if not isinstance(counter, ScaledCounter):
            return count_messages(conversation[start:stop], counter)
        counted = token_column(conversation, counter.unscaled)[start:stop]
        return _with_known_sizes(counter.scale(counted), conversation[start:stop])

    return conversation.growing(("tokens", counter.key), lambda: MessageColumn(count, np.int64)).array


def count_messages(messages: Sequence[Message], counter: Counter) -> np.ndarray:
    """int64[len(messages)]: tokens of each; where the transcript has a size in place of a text, that size; 0 where no
    model was sent it."""
    column = np.ascontiguousarray(counter.count(messages), np.int64)
    if len(column) != len(messages):
        raise InstrumentError(f"counter {counter.key!r} gave {len(column)} counts for {len(messages)} messages")
    return _with_known_sizes(column, messages)


def _with_known_sizes(column: np.ndarray, messages: Sequence[Message]) -> np.ndarray:
    told = ((i, 0 if m.shown_only else known_size(m)) for i, m in enumerate(messages) if m.metadata)
    sizes = {i: size for i, size in told if size is not None}
    if sizes:
        column = column.copy()
        column[list(sizes)] = list(sizes.values())
    return column


def count_text(counter: Counter, text: str) -> int:
    """Tokens of a system message of that text; a caller's own counter is given it as `{"role", "content"}`."""
    return int(counter.count([Message("system", text, source={"role": "system", "content": text})])[0])


def media_tokens(message: Message) -> int:
    """The estimate for a message's images, audio and files."""
    return sum(MEDIA_TOKENS.get(kind, MEDIA_TOKENS["file"]) for kind in message.media)


def is_guessed(message: Message) -> bool:
    """Tell whether a message's count is a guess: an estimate for media, nothing for items that the provider keeps."""
    return bool(message.media) or REFERENCES in message.metadata


def guessed_parts(conversation: Conversation) -> str:
    """ "images and other media": what of a conversation no counter counts exactly; empty where there is nothing."""

    def parts() -> str:
        kept = "items that only the provider has, counted as nothing"
        found = {"images and other media": any(m.media for m in conversation)}
        found[kept] = any(REFERENCES in m.metadata for m in conversation)
        return " and ".join(part for part, there in found.items() if there)

    return conversation.remember("guessed parts", parts)


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
