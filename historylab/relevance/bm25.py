"""`bm25`: Okapi BM25 as Lucene computes it, offline. bm25s splits words and removes stop words.

bm25s scores one fixed corpus; a replay needs the statistics of every prefix of a conversation. So the postings are kept
here in order, and each question is scored with the document counts and lengths of its prefix. A test compares the
scores with those of bm25s on the same prefix.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from historylab.registry import register

K1, B = 1.5, 0.75  # bm25s's defaults
MOST_REMEMBERED = 1_000_000  # scores of one conversation: 8 MB


@register("relevance", "bm25", title="Shared rare words")
class BM25:
    """Offline: rare words shared with the question (Okapi BM25)."""

    name = "bm25"

    def index(self, texts: Sequence[str]) -> BM25Index:
        return BM25Index(texts)


class BM25Index:
    """Postings of every word, in the order of the texts."""

    def __init__(self, texts: Sequence[str]):
        self._latest: dict[tuple[str, int], np.ndarray] = {}
        self._words, words, documents = _split(texts)
        self._lengths = np.bincount(documents, minlength=len(texts))
        pairs, self._frequency = np.unique(np.stack((words, documents)), axis=1, return_counts=True)
        self._documents = pairs[1]
        self._starts = np.searchsorted(pairs[0], np.arange(len(self._words) + 1))

    def scores(self, question: str, size: int) -> np.ndarray:
        """float64[size] over the first `size` texts; a text without a word of the question scores 0.

        Scores are cached up to a limit, because every replay under other settings asks for the same.
        """
        found = self._latest.get((question, size))
        if found is None:
            if (len(self._latest) + 1) * size > MOST_REMEMBERED:
                self._latest.clear()
            found = self._latest[question, size] = self._scores(question, size)
            found.setflags(write=False)
        return found

    def _scores(self, question: str, size: int) -> np.ndarray:
        scores = np.zeros(size)
        if not size:
            return scores
        lengths = self._lengths[:size]
        norm = K1 * (1 - B + B * lengths / max(lengths.mean(), 1e-9))
        for word in _words_of(question):
            posting = self._posting(word, size)
            documents, frequency = self._documents[posting], self._frequency[posting]
            rarity = np.log1p((size - len(documents) + 0.5) / (len(documents) + 0.5))
            scores[documents] += rarity * frequency / (frequency + norm[documents])
        return scores

    def _posting(self, word: str, size: int) -> slice:
        number = self._words.get(word)
        if number is None:
            return slice(0, 0)
        start, stop = self._starts[number], self._starts[number + 1]
        return slice(start, start + np.searchsorted(self._documents[start:stop], size))


def _split(texts: Sequence[str]) -> tuple[dict[str, int], np.ndarray, np.ndarray]:
    """Word → number; for every occurrence, int64[occurrences] each, the word's number and its text's index."""
    import bm25s

    found = bm25s.tokenize(list(texts), stopwords="en", show_progress=False)
    lengths = [len(ids) for ids in found.ids]
    words = np.fromiter((number for ids in found.ids for number in ids), np.int64, sum(lengths))
    return dict(found.vocab), words, np.repeat(np.arange(len(texts)), lengths)


@lru_cache(maxsize=1_000)
def _words_of(question: str) -> tuple[str, ...]:
    """Its distinct words, sorted; cached, because requests of one turn ask the same question."""
    import bm25s

    return tuple(sorted(set(bm25s.tokenize([question], stopwords="en", return_ids=False, show_progress=False)[0])))
