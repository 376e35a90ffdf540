"""Words as a scorer counts them: split in any script, without the most frequent ones, and stemmed by their language.

A text's language is guessed by the frequent words in it and, less, by those of the texts before it, so that a later
text changes nothing about an earlier one. What is written without spaces is split into pairs of characters.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from math import lcm
from typing import Protocol

from historylab.errors import needs

LANGUAGES = {
    "english": "EN_PLUS", "german": "GERMAN", "french": "FRENCH", "spanish": "SPANISH", "portuguese": "PORTUGUESE",
    "italian": "ITALIAN", "dutch": "DUTCH", "swedish": "SWEDISH", "norwegian": "NORWEGIAN", "danish": "DANISH",
    "russian": "RUSSIAN", "turkish": "TURKISH",
}  # fmt: skip
"""Snowball's name of a language, and bm25s's of its frequent words. The first is taken where nothing speaks for any."""
NAMES = tuple(LANGUAGES)
Votes = Sequence[int]  # per language; plain numbers, as arrays of so few take longer
NO_VOTES: Votes = (0,) * len(LANGUAGES)
WHOLE = lcm(*range(1, len(LANGUAGES) + 1))  # a word's vote, which languages share in whole numbers: sums have no order
UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
MARKS = "\u0300-\u036f\u0591-\u05c7\u064b-\u0652\u0900-\u0dff"  # accents and vowel signs belong to their word
ASCII = re.compile(r"[a-z0-9_]{2,}")
ANY = re.compile(rf"([{UNSPACED}]+)|(?:(?![{UNSPACED}])[\w{MARKS}]){{2,}}")
LIBRARIES, RANKING = "bm25s snowballstemmer", "ranking by relevance"
HABIT = 1  # how many frequent words of its own weigh as much as all texts before


def split(text: str) -> list[str]:
    """Its words in lower case, of two characters or more; of a text without spaces, every two neighbours."""
    if text.isascii():
        return ASCII.findall(text.lower())
    found: list[str] = []
    for match in ANY.finditer(unicodedata.normalize("NFKC", text).casefold()):
        word = match[0]
        found += [word[i : i + 2] for i in range(max(1, len(word) - 1))] if match[1] else [word]
    return found


def spans_of(question: str, text: str) -> list[tuple[int, int]]:
    """Where a text has words of the question, in any of their forms: from which character up to which, in order."""
    asked = split(question)
    languages = dict.fromkeys((language_of(votes(split(text)), NO_VOTES), language_of(votes(asked), NO_VOTES)))
    wanted = {language: frozenset(stems(asked, language)) for language in languages}
    found: list[tuple[int, int]] = []
    for start, end in _words_in(text):
        word = split(text[start:end])
        if any(not stems_asked.isdisjoint(stems(word, language)) for language, stems_asked in wanted.items()):
            overlaps = bool(found) and start < found[-1][1]
            found.append((found.pop()[0] if overlaps else start, end))
    return found


def _words_in(text: str) -> Iterator[tuple[int, int]]:
    """Where its words are; of a text without spaces, every two neighbours."""
    for match in ANY.finditer(text):
        start, end = match.span()
        if match[1] and end - start > 2:
            yield from ((i, i + 2) for i in range(start, end - 1))
        else:
            yield start, end


def stems(words: Iterable[str], language: str) -> list[str]:
    """Their stems, without the frequent words of the language."""
    frequent = _frequent()[language]
    return [_stem(word, language) for word in words if word not in frequent]


def is_frequent(word: str, language: str) -> bool:
    """Whether the word, in lower case, is one of the language's most frequent; of an unknown language none is."""
    return word in _frequent().get(language, ())


def votes(words: Collection[str]) -> Votes:
    """For how many of the words, each once, a language is the one they are frequent in; `WHOLE` stands for one."""
    known, found = _languages_of(), list(NO_VOTES)
    for word in known.keys() & set(words):
        for number in known[word]:
            found[number] += WHOLE // len(known[word])
    return found


def language_of(own: Votes, before: Votes) -> str:
    """The language that most of a text's own votes, and those of the texts before it, speak for."""
    total = sum(before)
    both = [mine + HABIT * WHOLE * theirs / total for mine, theirs in zip(own, before, strict=True)] if total else own
    return NAMES[both.index(max(both))]


@cache
def _frequent() -> dict[str, frozenset[str]]:
    with needs(LIBRARIES, RANKING):
        from bm25s import stopwords

    return {name: frozenset(getattr(stopwords, f"STOPWORDS_{listed}")) for name, listed in LANGUAGES.items()}


@cache
def _languages_of() -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for number, words in enumerate(_frequent().values()):
        for word in words:
            found.setdefault(word, []).append(number)
    return found


class _Stemmer(Protocol):
    def stemWord(self, word: str) -> str: ...


@cache
def _stemmer(language: str) -> _Stemmer:
    with needs(LIBRARIES, RANKING):
        import snowballstemmer

    stemmer: _Stemmer = snowballstemmer.stemmer(language)
    return stemmer


@lru_cache(maxsize=100_000)
def _stem(word: str, language: str) -> str:
    return word if word.isdecimal() else _stemmer(language).stemWord(word)
