"""Facts about messages that stages need at every request, computed once per conversation."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Annotated, Any, Self, TypeGuard

import numpy as np
from pydantic import Field

from historylab.conversation.conversation import Conversation
from historylab.conversation.growing import Growing, MessageColumn
from historylab.conversation.message import Message, ToolCall, instant
from historylab.counters.base import Counter, token_column
from historylab.planning.history import History
from historylab.planning.strategies.base import Context
from historylab.planning.texts import Texts
from historylab.registry import FINE

if TYPE_CHECKING:
    from historylab.relevance.base import GrowingIndex, Index, Relevance

NOTHING = Conversation()
KeepTokens = Annotated[
    int,
    Field(
        ge=0,
        le=1_000_000_000,
        title="Tokens that stay whole",
        description="newest tokens of results that stay whole besides; 0: only what the other options keep",
        json_schema_extra=FINE,
    ),
]


def column(conversation: Conversation, key: Hashable, fact: Callable[[Message], Any], dtype: Any = bool) -> np.ndarray:
    """`fact` of every message, as dtype[n], under a key that tells it from every other fact.

    It is carried on with the conversation, so it may look at nothing but the message.
    """

    def of(conversation: Conversation, start: int, stop: int) -> np.ndarray:
        return np.fromiter(map(fact, conversation[start:stop]), dtype, stop - start)

    return conversation.growing(("fact", key), lambda: MessageColumn(of, dtype)).array


def block_column(conversation: Conversation, key: Hashable, fact: Callable[[Message], bool]) -> np.ndarray:
    """`fact` of every block's first message, as bool[b], under a key that tells it from every other fact."""

    def of(conversation: Conversation, start: int, stop: int) -> np.ndarray:
        firsts = conversation.columns.block_first[start:stop].tolist()
        return np.fromiter((fact(conversation[i]) for i in firsts), bool, stop - start)

    return conversation.growing(("fact of blocks", key), lambda: _BlockColumn(of, bool)).array


class _BlockColumn(MessageColumn[Conversation]):
    """A number of every block that its first message decides; `of(conversation, start, stop)` finds those of blocks."""

    __slots__ = ()

    def followed_by(self, conversation: Conversation, start: int) -> Self:
        known, blocks = len(self.array), len(conversation.columns.block_first)
        return self._with(self._values.followed_by(self._of(conversation, known, blocks)))

    def beginning(self, conversation: Conversation, size: int) -> None:
        return None  # which blocks these are is not known here


def whole_blocks(history: History, messages: np.ndarray) -> np.ndarray:
    """bool[blocks]: the blocks all of whose messages are in `messages` (bool[size])."""
    inside = np.bincount(history.columns.block[: history.size], messages, history.blocks)
    whole: np.ndarray = inside == history.block_sizes
    return whole


def instants(conversation: Conversation) -> np.ndarray:
    """float64[n]: each message's time in seconds since 1970, NaN where it has none that can be read."""
    return column(conversation, "instant", lambda m: instant(m.timestamp), np.float64)


def is_stored_summary(message: Message) -> bool:
    """Whether the message is itself a summary of earlier ones, as a store keeps it."""
    return bool(message.metadata.get("isSummary"))


def stored_summaries(history: History) -> np.ndarray:
    """bool[blocks]: the summaries that came with the conversation."""
    return block_column(history.conversation, "stored summary", is_stored_summary)[: history.blocks]


def tool_results(history: History) -> np.ndarray:
    """int64: indices of the tool results so far."""
    results = history.columns.results
    return results[: results.searchsorted(history.size)]


def results_within(history: History, tokens: int) -> int:
    """The number of newest tool results that together have at most so many tokens, as they were said."""
    results, looked = tool_results(history), 64
    while True:  # from the newest back, as far as it takes
        newest = history.tokens[results[max(0, len(results) - looked) :]][::-1].cumsum()
        fitting = int(newest.searchsorted(tokens, side="right"))
        if fitting < len(newest) or looked >= len(results):
            return fitting
        looked *= 4


def answered_call(conversation: Conversation, i: int) -> ToolCall | None:
    """The call that the tool result `i` answers; None where there is none."""
    calls = conversation[calling_message(conversation, i)].tool_calls
    return next((call for call in calls if call.id == conversation[i].tool_call_id), None)


def calling_message(conversation: Conversation, i: int) -> int:
    """The message whose call the tool result `i` answers; the result itself where there is none."""
    columns, id = conversation.columns, conversation[i].tool_call_id
    if not columns.apart:
        return int(columns.block_first[columns.block[i]])
    return next((j for j in range(i - 1, -1, -1) if any(call.id == id for call in conversation[j].tool_calls)), i)


def tool_name(conversation: Conversation, i: int) -> str:
    """The tool whose result message `i` is: of the call it answers, as a later one may have the same id."""
    call = answered_call(conversation, i)
    return call.name if call else "a tool"


Shorten = Callable[[Conversation, int, int], str | None]
"""Of a tool result, by its index and its tokens: the text sent in its place; None if it stays as it is."""


def shorter_results(context: Context, key: Hashable, shorten: Shorten, *, media: bool = False) -> Texts:
    """The text of `shorten` for every tool result, where that takes fewer tokens than the original.

    It stands for the whole result, unless its `media` stay beside it. `shorten` may hold no conversation and look at
    nothing but that result and its call, as the texts are carried on with the conversation.
    """
    conversation, counter = context.history.conversation, context.history.counter
    found = conversation.growing(
        ("shorter", key, counter.key),
        lambda: _Shorter(shorten, counter, Texts(NOTHING, counter, {}, media=media)),
        most=8,
    )
    return found.texts


class _Shorter(Growing[Conversation]):
    """The shorter texts of tool results."""

    __slots__ = ("_counter", "_shorten", "texts")

    def __init__(self, shorten: Shorten, counter: Counter, texts: Texts):
        self._shorten, self._counter, self.texts = shorten, counter, texts

    def followed_by(self, conversation: Conversation, start: int) -> _Shorter:
        results = conversation.columns.results
        new = results[results.searchsorted(start) :].tolist()
        if not new:
            return self
        tokens = token_column(conversation, self._counter)
        texts = {i: text for i in new if (text := self._shorten(conversation, i, tokens.item(i))) is not None}
        return self._with(self.texts.followed_by(conversation, self._counter, texts))

    def beginning(self, conversation: Conversation, size: int) -> _Shorter:
        return self._with(self.texts.beginning(size))

    def with_leading(self, conversation: Conversation, before: int, now: int) -> _Shorter:
        return self._with(self.texts.with_leading(before, now))

    def _with(self, texts: Texts) -> _Shorter:
        return _Shorter(self._shorten, self._counter, texts)


def relevance_index(conversation: Conversation, scorer: Relevance) -> Index:
    """The scorer's index of the conversation's texts and calls, made once; carried on, if the scorer's can be."""
    return conversation.growing(("relevance", scorer.name), lambda: _Indexed(scorer, scorer.index(()))).index


class _Indexed(Growing[Conversation]):
    """A scorer's index."""

    __slots__ = ("_scorer", "index")

    def __init__(self, scorer: Relevance, index: Index):
        self._scorer, self.index = scorer, index

    def followed_by(self, conversation: Conversation, start: int) -> _Indexed:
        if start and _grows(self.index):
            return _Indexed(self._scorer, self.index.followed_by(list(map(_spoken_text, conversation[start:]))))
        return _Indexed(self._scorer, self._scorer.index(list(map(_spoken_text, conversation))))

    def beginning(self, conversation: Conversation, size: int) -> _Indexed | None:
        return _Indexed(self._scorer, self.index.beginning(size)) if _grows(self.index) else None

    def with_leading(self, conversation: Conversation, before: int, now: int) -> _Indexed | None:
        led = (
            self.index.led_by(list(map(_spoken_text, conversation[:now])))
            if before == now and _grows(self.index)
            else None
        )
        return _Indexed(self._scorer, led) if led is not None else None


def _grows(index: Index) -> TypeGuard[GrowingIndex]:
    return hasattr(index, "followed_by")


def _spoken_text(message: Message) -> str:
    return " ".join([message.content, *(call.arguments for call in message.tool_calls)])
