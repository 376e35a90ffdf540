"""`bm25`: Okapi BM25 as Lucene computes it, offline, over stems.

bm25s scores one fixed corpus; a replay needs the statistics of every prefix of a conversation. So the postings are kept
here in order, and each question is scored with the document counts and lengths of its prefix, reading the postings of
its words alone. A test compares the scores with those of bm25s on the same prefix.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from historylab.registry import register
from historylab.relevance.postings import Log, Posting
from historylab.relevance.words import LANGUAGES, language_of, split, stems, votes

K1, B = 1.5, 0.75  # bm25s's defaults
MOST_REMEMBERED = 1_000_000  # scores of one conversation: 8 MB
MOST_LOGS = 4
MOST_QUESTIONS, LONGEST_QUESTION = 64, 4_000  # texts kept as they were read, and their characters


@register("relevance", "bm25", title="Shared rare words")
class BM25:
    """Offline: rare words shared with the question, in any of their forms (Okapi BM25)."""

    name = "bm25"

    def index(self, texts: Sequence[str]) -> BM25Index:
        return BM25Index().followed_by(texts)


class BM25Index:
    """Postings of every stem, in the order of the texts.

    They stand in logs, of each of which some texts belong to this index. Following the newest index of a log appends to
    it; following an older one begins another log.
    """

    def __init__(self, logs: Sequence[tuple[Log, int]] = (), read: dict[str, _Read] | None = None):
        self._logs = tuple(logs) or ((Log(0, 0, np.zeros(len(LANGUAGES))), 0),)
        self._known: dict[str, _Read] = {} if read is None else read
        self._latest: dict[tuple[str, int], np.ndarray] = {}

    @property
    def size(self) -> int:
        """The number of its texts."""
        log, stop = self._logs[-1]
        return log.start + stop

    def followed_by(self, texts: Sequence[str]) -> BM25Index:
        """The index of these texts and others after them, which shares what is here."""
        if not texts:
            return self
        *others, (log, stop) = self._logs if len(self._logs) <= MOST_LOGS else [self._joined()]
        if not log.take(stop):
            others.append((log, stop))
            log, stop = Log(self.size, log.stems(stop), log.votes(stop)), 0
            log.take(0)
        try:
            for text in texts:
                votes = log.votes(stop)
                log.append(self._stems(text, votes), votes + self._read(text).votes)
                stop += 1
        finally:
            log.free()
        return type(self)((*others, (log, stop)), self._known)

    def beginning(self, size: int) -> BM25Index:
        """The index of the first `size` texts, which shares all with this one."""
        return type(self)(self._up_to(size), self._known)

    def _up_to(self, size: int) -> list[tuple[Log, int]]:
        return [(log, min(stop, size - log.start)) for log, stop in self._logs if log.start < size]

    def _joined(self) -> tuple[Log, int]:
        log = Log(0, 0, np.zeros(len(LANGUAGES)))
        for part, stop in self._logs:
            for stems_of_text, votes_so_far in part.copied(stop):
                log.append(stems_of_text.elements(), votes_so_far)
        return log, self.size

    def _read(self, text: str) -> _Read:
        """A text's words and votes; those read last are kept, as the newest text is mostly the next question."""
        found = self._known.get(text)
        if found is None:
            words = split(text)
            found = _Read(words, votes(words), {})
            if len(text) <= LONGEST_QUESTION:
                if len(self._known) >= MOST_QUESTIONS:
                    self._known.clear()
                self._known[text] = found
        return found

    def _stems(self, text: str, before: np.ndarray) -> list[str]:
        """The stems of a text, by what those before it say of its language."""
        read = self._read(text)
        language = language_of(read.votes, before)
        found = read.stems.get(language)
        if found is None:
            found = read.stems[language] = stems(read.words, language)
        return found

    def scores(self, question: str, size: int) -> np.ndarray:
        """float64[size] over the first `size` texts; a text without a word of the question scores 0.

        Scores are cached up to a limit, because every replay under other settings asks for the same.
        """
        found = self._latest.get((question, size))
        if found is None:
            if (len(self._latest) + 1) * size > MOST_REMEMBERED:
                self._latest.clear()
            found = self._latest[question, size] = self._scored(question, size)
            found.setflags(write=False)
        return found

    def _scored(self, question: str, size: int) -> np.ndarray:
        if not size:
            return np.zeros(0)
        logs = self._up_to(size)
        newest, stop = logs[-1]
        mean = newest.stems(stop) / size
        before = newest.votes(stop - 1)  # a question is read as the newest text, which it mostly is
        parts, holding = list[Posting](), list[int]()
        for stem in sorted(set(self._stems(question, before))):
            found = [log.posting(stem, count) for log, count in logs]
            parts += found
            holding += [sum(len(posting.texts) for posting in found)] * len(found)
        if not parts:
            return np.zeros(size)
        texts, often, norm = (np.concatenate(column) for column in zip(*parts, strict=True))
        held = np.array(holding)
        rarity = np.repeat(np.log1p((size - held + 0.5) / (held + 0.5)), [len(posting.texts) for posting in parts])
        norm *= B  # in place, in the order of K1 * (1 - B + B * lengths / mean)
        norm /= max(mean, 1e-9)
        norm += 1 - B
        norm *= K1
        norm += often
        rarity *= often
        rarity /= norm
        return np.bincount(texts, rarity, size)


class _Read(NamedTuple):
    """A text's words, their votes for languages, and its stems by language."""

    words: list[str]
    votes: np.ndarray
    stems: dict[str, list[str]]
