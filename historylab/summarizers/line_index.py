"""The lines of one conversation, with the words and literals in each: read and counted once.

They are kept with the conversation, because replays under other settings summarise the same messages again, and a
summary's lines are those of messages.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, MutableMapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from historylab.conversation.growing import GrowingArray
from historylab.conversation.message import Message
from historylab.summarizers.lines import find_literals, quotable_lines
from historylab.summarizers.values import SaidText

WORD = re.compile(r"\w{2,}")
_adding = threading.Lock()


def line_index(known: MutableMapping[Any, Any]) -> LineIndex:
    """The index of the conversation whose notes these are."""
    index: LineIndex = known.setdefault("lines", LineIndex())
    return index


class LineIndex:
    """The lines of messages and former summaries, each read and counted once, however many summaries it stands for.

    A line is known by its number, from 0 in the order in which they came, in `texts` and in `said`, which tells which
    values it holds. Its words and literals are numbers as well.
    """

    __slots__ = ("_costs", "_ids", "_literals", "_numbers", "_of_messages", "_words", "said", "texts")

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._numbers: dict[str, int] = {}
        self._of_messages: dict[Message, np.ndarray] = {}
        self.said = SaidText()
        self._ids: dict[str, int] = {}  # of words and literals
        self._words, self._literals = _Lists(), _Lists()
        self._costs: dict[str, GrowingArray] = {}

    def __len__(self) -> int:
        return len(self.texts)

    def lines_of(self, message: Message) -> np.ndarray:
        """int64: the numbers of a message's lines, each once."""
        found = self._of_messages.get(message)
        if found is None:
            found = self._of_messages[message] = self.numbers_of(quotable_lines(message))
        return found

    def numbers_of(self, texts: Sequence[str]) -> np.ndarray:
        """int64: the numbers of these lines."""
        numbers = self._numbers
        if not all(map(numbers.__contains__, texts)):
            with _adding:
                self._add([text for text in dict.fromkeys(texts) if text not in numbers])
        return np.array([numbers[text] for text in texts], np.int64)

    def words_in(self, lines: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """int64: the different words of each of these lines, and the place in `lines` of the one that each is in."""
        return self._words.of(lines)

    def literals_in(self, lines: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """int64: the same of their literals."""
        return self._literals.of(lines)

    def costs_of(self, lines: np.ndarray, key: str, count: Callable[[Sequence[str]], np.ndarray]) -> np.ndarray:
        """int64: tokens of these lines, as `count` counts texts; `key` tells it from other ways to count."""
        known = self._costs.get(key)
        if known is None or known.size <= lines.max(initial=-1):
            with _adding:
                known = self._costs.get(key) or GrowingArray(np.zeros(0, np.int64))
                known = self._costs[key] = known.followed_by(count(self.texts[known.size :]))
        costs: np.ndarray = known.array[lines]
        return costs

    def _add(self, texts: Sequence[str]) -> None:
        ids = self._ids
        words, literals = zip(*map(_read, texts), strict=True) if texts else ((), ())
        self._words.add([[ids.setdefault(word, len(ids)) for word in some] for some in words])
        self._literals.add([[ids.setdefault(literal, len(ids)) for literal in some] for some in literals])
        for text in texts:
            self.said.add(text)
        first = len(self.texts)
        self.texts += texts
        self._numbers.update(zip(texts, range(first, len(self.texts)), strict=True))  # last: now they can be asked for


class _Lists:
    """Lists of numbers, one after the other: `_every` (int32) in a row, `_starts` (int64) where each begins."""

    __slots__ = ("_every", "_starts")

    def __init__(self) -> None:
        self._every, self._starts = GrowingArray(np.zeros(0, np.int32)), GrowingArray(np.zeros(1, np.int64))

    def add(self, several: Sequence[Sequence[int]]) -> None:
        self._every = self._every.followed_by(list(chain.from_iterable(several)))
        self._starts = self._starts.followed_by(self._starts.array[-1] + np.cumsum([len(some) for some in several]))

    def of(self, which: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """int64: the numbers in these lists, and for each the place in `which` of its list."""
        starts = self._starts.array
        first, counts = starts[which], starts[which + 1] - starts[which]
        owners = np.repeat(np.arange(len(which)), counts)
        shift = first - (np.cumsum(counts) - counts)
        return self._every.array[np.arange(len(owners)) + shift[owners]].astype(np.int64), owners


def _read(text: str) -> tuple[set[str], tuple[str, ...]]:
    """A line's different words and literals."""
    words = WORD.findall(text.lower()) if text.isascii() else map(str.casefold, WORD.findall(text))
    return set(words), find_literals(text)
