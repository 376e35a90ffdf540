"""Postings that are appended to: which texts hold a stem, and how often, in the order of the texts."""

from __future__ import annotations

import threading
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from historylab.relevance.words import LANGUAGES, NO_VOTES, Votes

OFTEN = 32  # bits for how often a text holds a stem; those above are the text's number
MOST_DECODED = 1_000_000  # postings kept as arrays, 24 bytes each
_appending = threading.Lock()


class Posting(NamedTuple):
    """The texts that hold a stem (int64, ascending), how often, and how many stems each has (float64)."""

    texts: np.ndarray
    often: np.ndarray
    lengths: np.ndarray


NONE = Posting(np.zeros(0, np.int64), np.zeros(0), np.zeros(0))


class Log:
    """Texts from number `start` on, as they came. One thread appends at a time, while others read what was there.

    `stems` are how many all texts before have, `votes` what they say of their language.
    """

    def __init__(self, start: int = 0, stems: int = 0, votes: Votes = NO_VOTES):
        self.start = start
        self._postings: dict[str, array[int]] = {}
        self._lengths, self._running, self._votes = array("q"), array("q", [stems]), array("q", votes)
        self._decoded: dict[str, Posting] = {}
        self._decoded_size, self._decoded_lengths = 0, np.zeros(0)
        self._in_use = False

    def take(self, size: int) -> bool:
        """Whether this thread may append to the first `size` texts: they are all, and no other thread does."""
        with _appending:
            free = not self._in_use and len(self._lengths) == size
            self._in_use = self._in_use or free
        return free

    def free(self) -> None:
        """Let other threads append."""
        self._in_use = False

    def append(self, stems: Iterable[str], votes: Votes) -> None:
        """Add a text with these stems; `votes` of it and all before."""
        number, counted = (self.start + len(self._lengths)) << OFTEN, Counter(stems)
        postings = self._postings
        for stem, often in counted.items():
            posting = postings.get(stem)
            if posting is None:
                posting = postings[stem] = array("q")
            posting.append(number | often)
        total = counted.total()
        self._running.append(self._running[-1] + total)
        self._votes.extend(votes)
        self._lengths.append(total)

    def texts_between(self, begun: int, stop: int) -> Iterator[tuple[Counter[str], Votes]]:
        """The stems and votes of its texts from one up to another, one after another."""
        found = [Counter[str]() for _ in range(begun, stop)]
        for stem in self._postings:
            texts, often, _ = self.posting(stem, begun, stop)
            for text, count in zip((texts - self.start - begun).tolist(), often.tolist(), strict=True):
                found[text][stem] = int(count)
        for k, counted in enumerate(found, begun + 1):
            yield counted, self.votes(k)

    @property
    def latest_votes(self) -> Votes:
        """Those of all its texts and all before."""
        return self._votes[-len(LANGUAGES) :]

    def votes(self, count: int) -> Votes:
        """Those of everything up to its first `count` texts."""
        at = count * len(LANGUAGES)
        return self._votes[at : at + len(LANGUAGES)]

    def stems(self, count: int) -> int:
        """How many stems there are up to its first `count` texts."""
        return self._running[count]

    def posting(self, stem: str, begun: int, stop: int) -> Posting:
        """The posting of a stem among its texts from one up to another."""
        coded = self._postings.get(stem)
        if coded is None:
            return NONE
        found = self._decoded.get(stem)
        if found is None or len(found.texts) < len(coded):
            found = self._decode(stem, coded)
        texts = found.texts
        first, end = 0, len(texts)
        if begun and end and texts[0] < self.start + begun:
            first = int(texts.searchsorted(self.start + begun))
        if end and texts[-1] >= self.start + stop:
            end = int(texts.searchsorted(self.start + stop))
        if not first and end == len(texts):
            return found
        return Posting(texts[first:end], found.often[first:end], found.lengths[first:end])

    def _decode(self, stem: str, coded: array[int]) -> Posting:
        numbers = np.frombuffer(coded[:], np.int64)  # a copy: what is exported can't be appended to
        texts = numbers >> OFTEN
        known = self._decoded_lengths
        if len(texts) and texts[-1] - self.start >= len(known):
            known = self._decoded_lengths = np.frombuffer(self._lengths[:], np.int64).astype(float)
            if texts[-1] - self.start >= len(known):  # a text that is being appended
                numbers, texts = numbers[:-1], texts[:-1]
        often = (numbers & ((1 << OFTEN) - 1)).astype(float)
        found = Posting(texts, often, known[texts - self.start])
        if self._decoded_size > MOST_DECODED:
            self._decoded, self._decoded_size = {}, 0
        self._decoded[stem] = found
        self._decoded_size += len(texts)
        return found
