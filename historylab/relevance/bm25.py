"""`bm25`: Okapi BM25 as Lucene computes it, offline, over stems.

bm25s scores one fixed corpus; a replay needs the statistics of every prefix of a conversation. So the postings are kept
here in order, and each question is scored with the document counts and lengths of its prefix, reading the postings of
its words alone. A test compares the scores with those of bm25s on the same prefix.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from historylab.registry import register
from historylab.relevance.postings import Log, Posting
from historylab.relevance.words import Votes, language_of, split, stems, votes

K1, B = 1.5, 0.75  # bm25s's defaults
MOST_REMEMBERED = 1_000_000  # scores of one conversation: 8 MB
MOST_LOGS = 4
MOST_QUESTIONS, LONGEST_QUESTION = 20_000, 4_000  # texts kept as they were read, and their characters


_Part = tuple[Log, int, int]
"""A log, and which of its texts belong to an index: from the first number up to the second."""


@register("relevance", "bm25", title="Shared rare words")
class BM25:
    """Offline: rare words shared with the question, in any of their forms (Okapi BM25)."""

    name = "bm25"

    def index(self, texts: Sequence[str]) -> BM25Index:
        return BM25Index().followed_by(texts)


class BM25Index:
    """Postings of every stem, in the order of the texts.

    They stand in logs, of each of which some texts belong to this index: those from one up to another. Following the
    newest index of a log appends to it; following an older one begins another log.
    """

    def __init__(self, parts: Sequence[_Part] = (), more: int = 0, read: dict[str, _Read] | None = None):
        self._parts = tuple(parts) or ((Log(), 0, 0),)
        self._more = more  # stems that all texts have together, beyond what the logs after the first say
        self._known: dict[str, _Read] = {} if read is None else read
        self._latest: dict[tuple[str, int], np.ndarray] = {}
        self._remembered = 0

    @property
    def size(self) -> int:
        """The number of its texts."""
        log, _, stop = self._parts[-1]
        return log.start + stop

    def followed_by(self, texts: Sequence[str]) -> BM25Index:
        """The index of these texts and others after them, which shares what is here."""
        if not texts:
            return self
        if len(self._parts) > MOST_LOGS:
            return self._join().followed_by(texts)
        *others, (log, begun, stop) = self._parts
        if not log.take(stop):
            others.append((log, begun, stop))
            log, begun, stop = Log(self.size, log.stems(stop), log.votes(stop)), 0, 0
            log.take(0)
        self._append(log, texts)
        return self._with_parts((*others, (log, begun, stop + len(texts))), self._more)

    def beginning(self, size: int) -> BM25Index:
        """The index of the first `size` texts, which shares all with this one."""
        parts = self._up_to(size)
        return self._with_parts(parts, self._more if len(parts) > 1 else 0)

    def led_by(self, texts: Sequence[str]) -> BM25Index | None:
        """The index with these as its first texts, in place of as many; None if later ones would be read otherwise."""
        count = len(texts)
        later = [
            (log, max(begun, count - log.start), stop) for log, begun, stop in self._parts if log.start + stop > count
        ]
        if not count or not later:
            return None
        place = next(k for k, (log, _, stop) in enumerate(self._parts) if log.start + stop >= count)
        known = self._parts[place][0]
        led = Log()
        led.take(0)
        self._append(led, texts)
        if led.votes(count) != known.votes(count - known.start):
            return None
        before = known.stems(count - known.start) + (self._more if place else 0)
        return self._with_parts([(led, 0, count), *later], self._more + led.stems(count) - before)

    def apart(self) -> BM25Index:
        """The same index; what follows this one is kept by nobody else, neither its postings nor the texts it read."""
        log, _, stop = self._parts[-1]
        return type(self)((*self._parts, (Log(self.size, log.stems(stop), log.votes(stop)), 0, 0)), self._more, {})

    def _with_parts(self, parts: Sequence[_Part], more: int) -> BM25Index:
        return type(self)(parts, more, self._known)

    def _append(self, log: Log, texts: Sequence[str]) -> None:
        try:
            for text in texts:
                before, read = log.latest_votes, self._read(text)
                found = read.stems_in(language_of(read.votes, before), text)
                log.append(found, [a + b for a, b in zip(before, read.votes, strict=True)])
        finally:
            log.free()

    def _up_to(self, size: int) -> list[_Part]:
        return [
            (log, begun, min(stop, size - log.start)) for log, begun, stop in self._parts if log.start + begun < size
        ]

    def _join(self) -> BM25Index:
        log = Log()
        for part, begun, stop in self._parts:
            for stems_of_text, votes_so_far in part.texts_between(begun, stop):
                log.append(stems_of_text.elements(), votes_so_far)
        return self._with_parts([(log, 0, self.size)], 0)

    def _read(self, text: str) -> _Read:
        """A text as it was read; what is short enough to be a question is kept, as one is mostly among the texts."""
        found = self._known.get(text)
        if found is None:
            words = split(text)
            found = _Read(votes(words), {}, {}, words)
            if len(text) <= LONGEST_QUESTION:
                if len(self._known) >= MOST_QUESTIONS:
                    self._known.clear()
                self._known[text] = found
        return found

    def _stems_of(self, question: str, before: Votes) -> Sequence[str]:
        """The stems of a question, each once and in order; what those before it say decides on its language, too."""
        read = self._read(question)
        language = language_of(read.votes, before)
        if language not in read.asked:
            read.asked[language] = sorted(set(read.stems_in(language, question)))
        return read.asked[language]

    def scores(self, question: str, size: int) -> np.ndarray:
        """float64[size] over the first `size` texts; a text without a word of the question scores 0.

        Scores are cached up to a limit, because every replay under other settings asks for the same.
        """
        found = self._latest.get((question, size))
        if found is None:
            found = self._score(question, size)
            found.setflags(write=False)
            if self._remembered + size <= MOST_REMEMBERED:  # no others make way: a long replay would ask for none again
                self._remembered += size
                self._latest[question, size] = found
        return found

    def _score(self, question: str, size: int) -> np.ndarray:
        if not size:
            return np.zeros(0)
        logs = self._up_to(size)
        newest, _, stop = logs[-1]
        mean = (newest.stems(stop) + (self._more if len(logs) > 1 else 0)) / size
        before = newest.votes(stop - 1)  # a question is read as the newest text, which it mostly is
        parts, holding = list[Posting](), list[int]()
        for stem in self._stems_of(question, before):
            found = [log.posting(stem, begun, count) for log, begun, count in logs]
            parts += found
            holding += [sum(len(posting.texts) for posting in found)] * len(found)
        if not parts:
            return np.zeros(size)
        texts, often, norm = (np.concatenate(column) for column in zip(*parts, strict=True))
        held = np.array(holding)
        rarity = np.log1p((size - held + 0.5) / (held + 0.5)).repeat([len(posting.texts) for posting in parts])
        norm *= B  # in place, in the order of K1 * (1 - B + B * lengths / mean)
        norm /= max(mean, 1e-9)
        norm += 1 - B
        norm *= K1
        norm += often
        rarity *= often
        rarity /= norm
        return np.bincount(texts, rarity, size)


@dataclass(slots=True)
class _Read:
    """A text's votes for languages, and its stems by language: all of them, and those of a question each once."""

    votes: Votes
    stems: dict[str, list[str]]
    asked: dict[str, list[str]]
    words: list[str] | None

    def stems_in(self, language: str, text: str) -> list[str]:
        """The stems of the text, which this is about."""
        found = self.stems.get(language)
        if found is None:
            words, self.words = self.words, None
            found = self.stems[language] = stems(split(text) if words is None else words, language)
        return found
