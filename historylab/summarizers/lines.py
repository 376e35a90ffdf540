"""Messages as lines that can be quoted: `role: sentence`, with the words and the literals in each.

A *literal* is an id, a number, a path or an address: what a summary must say word for word or not at all. Lines are
kept with the conversation, because replays under other settings summarise the same messages again.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, MutableMapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from historylab.conversation.growing import GrowingArray
from historylab.conversation.message import Message

LONGEST_LINE = 240  # characters: a longer one is cut at a word; its literals may still be listed
LONGEST_NAME = 60
LONGEST_LITERAL = 200  # characters: a longer one is data, not a name
SCANNED = 100_000  # characters of one line that are searched for literals
LITERAL = re.compile(  # each part begins only where its kind of word begins, so that no text takes quadratic time
    r"https?://[^\s\"'<>()\[\]]*[\w/]"
    r"|(?<![A-Za-z0-9_])(?:"  # within a word nothing else begins: most places are passed over here
    r"(?<![\w.+-])[\w.+-]++@[\w-]++(?:\.[\w-]++)+"  # addresses
    r"|(?<![\w./~-])[\w.~-]*+/[\w./~%-]*\w"  # paths
    r"|(?<![\w-])[\w-]++\.(?:py|js|ts|go|rs|md|json|toml|yaml|yml|txt|csv|sql|html|css)\b"
    r"|(?<!-)(?=[A-Za-z_-]*+\d)(?=[\d_-]*+[A-Za-z])[A-Za-z0-9_-]{2,}[A-Za-z0-9_]"  # ids: letters and digits
    r"|[$v]?\d(?:[\d.,:/-]*\d)?%?"  # numbers, dates, amounts, versions
    r"|(?<=\")[A-Z]{2,6}(?=\"))"  # codes that a structured text quotes: "OSL"
)
HINT_OF_LITERAL = re.compile(r"[\d/@]|\.\w|\"[A-Z]")  # every literal holds one, most lines of prose hold none
WORD = re.compile(r"\w{2,}")
SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])\s*")
ITEM = re.compile(r"\s*\d{1,3}[.)]\s+(?=\S)")  # "1. ", which ends no sentence
HINT_OF_END = re.compile(r"[.!?]\s|[。！？]")  # where there is none, nothing is split
_adding = threading.Lock()


class LineIndex:
    """The lines of messages and former summaries, each read and counted once, however many summaries it stands for.

    A line is known by its number, from 0 in the order in which they came. Its words and literals are numbers as well.
    """

    __slots__ = ("_costs", "_literals", "_numbers", "_of_messages", "_said", "_words", "texts")

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._numbers: dict[str, int] = {}
        self._of_messages: dict[Message, np.ndarray] = {}
        self._said: dict[str, int] = {}
        self._words, self._literals = _Lists(), _Lists()
        self._costs: dict[str, GrowingArray] = {}

    def __len__(self) -> int:
        return len(self.texts)

    def lines_of(self, message: Message) -> np.ndarray:
        """int64: the numbers of a message's lines, each once."""
        found = self._of_messages.get(message)
        if found is None:
            texts = dict.fromkeys([*spoken_lines(message), *_called_lines(message)])
            found = self._of_messages[message] = self.numbers_of(list(texts))
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
        said = self._said
        words, literals = zip(*map(_read, texts), strict=True) if texts else ((), ())
        self._words.add([[said.setdefault(word, len(said)) for word in some] for some in words])
        self._literals.add([[said.setdefault(literal, len(said)) for literal in some] for some in literals])
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


def line_index(known: MutableMapping[Any, Any]) -> LineIndex:
    """The index of the conversation whose notes these are."""
    index: LineIndex = known.setdefault("lines", LineIndex())
    return index


def speaker_of(message: Message) -> str:
    """The label of what a message says, on one line whatever the file names the speaker."""
    return " ".join((message.name or message.role).split())[:LONGEST_NAME]


def spoken_lines(message: Message) -> Iterator[str]:
    """A message's text, a line per sentence, as each would be shown."""
    speaker = speaker_of(message)
    return (f"- {speaker}: {shorten_line(sentence)}" for sentence in _sentences(message.content))


def find_literals(text: str) -> tuple[str, ...]:
    """Ids, numbers, paths and addresses in a text, in order, each once."""
    if not HINT_OF_LITERAL.search(text):
        return ()
    return tuple(x for x in dict.fromkeys(LITERAL.findall(text[:SCANNED])) if len(x) <= LONGEST_LITERAL)


def _read(text: str) -> tuple[set[str], tuple[str, ...]]:
    """A line's different words and literals."""
    words = WORD.findall(text.lower()) if text.isascii() else map(str.casefold, WORD.findall(text))
    return set(words), find_literals(text)


def _called_lines(message: Message) -> Iterator[str]:
    """A message's calls, as each would be shown."""
    for call in message.tool_calls:
        yield f"- {speaker_of(message)} called {shorten_line(call.name)}({shorten_line(call.arguments)})"


def _sentences(text: str) -> Iterator[str]:
    """Lines, cut after a full stop that a space follows (not within "3.14" or "app.py") or a Chinese one."""
    for line in text.splitlines():
        if HINT_OF_END.search(line):
            item = ITEM.match(line)
            start = item.end() if item else 0
            pieces = filter(None, (piece.strip() for piece in SENTENCE_END.split(line[start:])))
            yield line[:start].lstrip() + next(pieces, "")
            yield from pieces
        elif stripped := line.strip():
            yield stripped


def shorten_line(text: str) -> str:
    """A text on one line, cut at a word where it is long."""
    text = " ".join(text[: 50 * LONGEST_LINE].split())
    if len(text) <= LONGEST_LINE:
        return text
    space = text.rfind(" ", LONGEST_LINE * 3 // 4, LONGEST_LINE)
    return text[: space if space > 0 else LONGEST_LINE] + " …"
