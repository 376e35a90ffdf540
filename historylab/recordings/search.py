"""Ranked search over the messages of many conversations: the best conversations first, each with its best messages."""

from __future__ import annotations

import re
import threading
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

import numpy as np

from historylab.conversation.message import Message
from historylab.relevance.bm25 import BM25Index
from historylab.relevance.words import spans_of

HITS = 3  # messages quoted of a conversation
BEFORE, AFTER = 60, 160  # characters quoted around the first word that was found
LOOK_AT = 100_000  # characters of a message that are looked through for what to quote


@dataclass(frozen=True, slots=True)
class Match:
    """A conversation that was found: its best `messages` (from 0), the best first, and how many there are in all."""

    key: str
    messages: tuple[int, ...] = ()
    found: int = 0


@dataclass(frozen=True, slots=True)
class Quote:
    """A passage of a message on one line, and where in it the words are: from which character up to which."""

    text: str
    marks: tuple[tuple[int, int], ...] = ()


@dataclass(slots=True)
class _Held:
    """A conversation in the index: its number there, and the hashes of its texts."""

    number: int
    texts: array[int]


class MessageIndex:
    """The messages of conversations, by the keys of these. One thread adds at a time, while others search."""

    def __init__(self) -> None:
        self._index = BM25Index()
        self._numbers, self._places = array("q"), array("q")  # per text: its conversation's number, its message
        self._keys: dict[int, str] = {}  # by number, of those that are still searched
        self._held: dict[str, _Held] = {}
        self._next = self._stale = 0
        self._adding = threading.Lock()

    def __contains__(self, key: str) -> bool:
        return key in self._held

    @property
    def state(self) -> tuple[int, int, int]:
        """Another one whenever what is searched is another: of which index, how many texts came and went."""
        return id(self), len(self._numbers), self._stale

    @property
    def is_mostly_stale(self) -> bool:
        """Whether most of it is of conversations that are gone or changed, so that it is better made anew."""
        return self._stale > len(self._numbers) // 2

    def put(self, key: str, messages: Iterable[Message]) -> None:
        """Have a conversation found under the key, in place of another; of one that grew only what is new is read."""
        with self._adding:
            texts = [searched_text(message) for message in messages]
            hashes = array("q", map(hash, texts))
            held = self._held.get(key)
            if held is None or hashes[: len(held.texts)] != held.texts:
                self._forget(key)
                held = self._held[key] = _Held(self._next, array("q"))
                self._next += 1
            new = range(len(held.texts), len(texts))
            self._numbers.extend([held.number] * len(new))
            self._places.extend(new)
            held.texts = hashes
            self._index = self._index.followed_by(texts[new.start :])
            self._keys[held.number] = key  # last: what is found has its texts

    def drop(self, keys: Iterable[str]) -> None:
        """Find these no more."""
        with self._adding:
            for key in keys:
                self._forget(key)

    def apart(self) -> MessageIndex:
        """A copy; what is put there stays unknown to this one."""
        with self._adding:
            other = MessageIndex()
            other._index, other._next, other._stale = self._index.apart(), self._next, self._stale
            other._numbers, other._places = self._numbers[:], self._places[:]
            other._keys, other._held = dict(self._keys), dict(self._held)
            return other

    def search(self, words: str) -> list[Match]:
        """The conversations with messages that share words with these, ranked by their best messages."""
        index, keys = self._index, dict(self._keys)
        scores = index.scores(words, index.size)
        texts = np.flatnonzero(scores)
        numbers = np.array(self._numbers[: index.size])[texts]
        places, scores = np.array(self._places[: index.size])[texts], scores[texts]
        order = np.lexsort((places, -scores, numbers))
        ranked = zip(numbers[order].tolist(), places[order].tolist(), scores[order].tolist(), strict=True)
        found: list[tuple[list[float], Match]] = []
        for number, group in groupby(ranked, itemgetter(0)):
            if number in keys:
                hits = list(group)
                best = [score for _, _, score in hits[:HITS]]
                match = Match(keys[number], tuple(place for _, place, _ in hits[:HITS]), len(hits))
                found.append((best + [0.0] * (HITS - len(best)), match))
        return [match for _, match in sorted(found, key=itemgetter(0), reverse=True)]

    def _forget(self, key: str) -> None:
        if held := self._held.pop(key, None):
            self._keys.pop(held.number, None)
            self._stale += len(held.texts)


def searched_text(message: Message) -> str:
    """What is searched of a message: its text, and the names and arguments of its calls."""
    parts = (message.content, *(f"{call.name}({call.arguments})" for call in message.tool_calls))
    return "\n".join(filter(None, parts))


def quote_words(message: Message, words: str) -> Quote:
    """The passage of a message with most of the words close together; its beginning where none is found."""
    text = searched_text(message)[:LOOK_AT]
    spans = spans_of(words, text)
    start, end = _passage(text, spans)
    passage = " ".join(text[start:end].split())
    marks = tuple(spans_of(words, passage)) if spans else ()
    return Quote(passage, marks) if not (start or end < len(text)) else _with_ellipses(passage, marks, start, end, text)


def _passage(text: str, spans: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """From where up to where to quote: words are not cut, where they are short enough."""
    if not spans:
        return 0, _word_end(text, BEFORE + AFTER)
    first = max(spans, key=lambda span: sum(span[0] <= s < span[0] + AFTER for s, _ in spans))[0]
    start = max(0, first - BEFORE)
    if start and (space := re.search(r"\s", text[start:first])):
        start += space.end()
    return start, _word_end(text, first + AFTER)


def _word_end(text: str, end: int) -> int:
    if end >= len(text):
        return len(text)
    space = text.rfind(" ", end - 30, end)
    return space if space > 0 else end


def _with_ellipses(passage: str, marks: Sequence[tuple[int, int]], start: int, end: int, text: str) -> Quote:
    before, after = "…" * (start > 0), "…" * (end < len(text))
    shift = len(before)
    return Quote(f"{before}{passage}{after}", tuple((a + shift, b + shift) for a, b in marks))
