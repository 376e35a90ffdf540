"""The bytes our own components take in the browser: words as JSON and numbers as planes of bytes, compressed.

    uint32 length of HEAD, HEAD (JSON: the key they are known by),
    deflated [ uint32 length of WORDS, WORDS (JSON), planes ]

WORDS lists the arrays in `arrays` as [name, length, bytes a number, 1 for steps]. A plane holds one byte of every
number of an array, the lowest first, so that what is mostly zero compresses to nothing. Numbers that change little from
one to the next are held as steps: each twice the change or, of a change downwards, one less than twice. Lengths are
little endian.
"""

from __future__ import annotations

import json
import re
import struct
import zlib
from collections.abc import Callable, Hashable, Mapping
from typing import Any

import numpy as np

LEVEL = 6  # of compression: up to a third less than the quickest makes, for a few milliseconds
STEPS_FROM = 8  # times that a number is larger, on average, than its change from the one before
MOST_NUMBERS = 6  # of a sentence that are told apart from its words
EXAMPLES = {2: 211, 1000: 1_000_211}
Told = tuple[int, tuple[int, ...]]
"""A pattern and its amounts."""
Filled = Callable[[Mapping[str, Any]], str]
_NUMBER = re.compile("[0-9]+(?:,[0-9]{3})*")


def pack(head: Mapping[str, Any], words: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> bytes:
    """One part; the arrays hold whole numbers from 0 below 2³¹."""
    return frame_head(head) + pack_content(words, arrays)


def pack_content(words: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> bytes:
    """What follows HEAD."""
    listed, planes = [], []
    for name, array in arrays.items():
        steps = _steps(array)
        held = array if steps is None else steps
        width = -(-max(1, int(held.max(initial=0)).bit_length()) // 8)
        listed.append([name, len(array), width, int(steps is not None)])
        planes.append(_planes(held, width))
    said = to_json({**words, "arrays": listed})
    return zlib.compress(struct.pack("<I", len(said)) + said + b"".join(planes), LEVEL)


def frame_head(head: Mapping[str, Any]) -> bytes:
    """The first part of the bytes: its length and its JSON."""
    said = to_json(head)
    return struct.pack("<I", len(said)) + said


def deflate(value: Any) -> bytes:
    """A value as JSON, compressed."""
    return zlib.compress(to_json(value), LEVEL)


def to_json(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def _steps(array: np.ndarray) -> np.ndarray | None:
    """From each number to the next, from 0, none of them negative; None where that doesn't make them much smaller."""
    changes = np.diff(array.astype(np.int64), prepend=0)
    small = STEPS_FROM * int(np.abs(changes).sum()) <= int(array.sum())
    return np.where(changes < 0, -2 * changes - 1, 2 * changes) if small else None


def _planes(array: np.ndarray, width: int) -> bytes:
    return array.astype("<u4").view(np.uint8).reshape(-1, 4)[:, :width].T.tobytes()


class Sentences:
    """The sentences of a map, each once, and since which request a rule words its decision by which of them.

    Many differ in their numbers alone, so that the words between these are listed once for all of them.
    """

    def __init__(self) -> None:
        self._known: dict[Told, int] = {}
        self._patterns: dict[tuple[str, ...], int] = {}
        self._numbers: dict[int, Mapping[str, Any]] = {}
        self._worded: dict[Hashable, tuple[int, tuple[str, ...]] | None] = {}
        self._since: list[tuple[int, int, int]] = []

    def tell(self, request: int, rule: int, numbers: Mapping[str, Any], sentence: Filled) -> None:
        """From this request on the rule says this; `sentence` writes it with the numbers, where they are new."""
        if rule in self._numbers and self._numbers[rule] == numbers:
            return
        self._numbers[rule] = numbers
        said = self._by_example(rule, numbers, sentence)
        if said is None:
            words, amounts = _taken_apart(sentence(numbers))
            said = self._pattern(words), amounts
        self._since.append((request, rule, self._known.setdefault(said, len(self._known))))

    def words(self) -> list[tuple[str, ...]]:
        """Per pattern its words: what stands before, between and after the numbers."""
        return list(self._patterns)

    def arrays(self) -> dict[str, np.ndarray]:
        """Per change its request, its rule and the number of its sentence; per sentence its pattern and its numbers."""
        since = np.array(self._since, np.int64).reshape(-1, 3)
        most = max((len(amounts) for _, amounts in self._known), default=0)
        told = np.array([(k, *amounts, *[0] * (most - len(amounts))) for k, amounts in self._known], np.int64)
        columns = told.reshape(-1, most + 1).T
        return {
            "why_request": since[:, 0],
            "why_rule": since[:, 1],
            "why_sentence": since[:, 2],
            "pattern": columns[0],
            **{f"number{place}": column for place, column in enumerate(columns[1:], 1)},
        }

    def _pattern(self, words: tuple[str, ...]) -> int:
        return self._patterns.setdefault(words, len(self._patterns))

    def _by_example(self, rule: int, numbers: Mapping[str, Any], sentence: Filled) -> Told | None:
        """Pattern and amounts without writing the sentence; None where its words may depend on the numbers.

        One is singular, and from a thousand on there are separators: numbers that agree in this are worded alike.
        """
        kind = (rule, *[_kind(value) for value in numbers.values()])
        if kind not in self._worded:
            self._worded[kind] = self._worded_as(numbers, sentence) if None not in kind else None
        worded = self._worded[kind]
        return worded and (worded[0], tuple([numbers[name] for name in worded[1]]))

    def _worded_as(self, numbers: Mapping[str, Any], sentence: Filled) -> tuple[int, tuple[str, ...]] | None:
        """The pattern, and the number in each place of it, as an example with numbers of the same kind shows."""
        many = [name for name, value in numbers.items() if type(value) is int and value > 1]
        example = {EXAMPLES[_kind(numbers[name])] + place: name for place, name in enumerate(many)}
        words, amounts = _taken_apart(sentence({**numbers, **{name: amount for amount, name in example.items()}}))
        if set(amounts) != set(example) or any(map(str.isdigit, "".join(words))):
            return None
        return self._pattern(words), tuple(example[amount] for amount in amounts)


def _kind(value: Any) -> Any:
    """Numbers, or a text, that are worded alike; None for what may be worded in any way."""
    if type(value) is int and value < 2**31:
        return value if value < 2 else 2 if value < 1000 else 1000
    return value if type(value) is str and not _NUMBER.search(value) else None


def _taken_apart(sentence: str) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The words around its numbers, and the numbers; those that the browser would write otherwise are words."""
    words, amounts, at = list[str](), list[int](), 0
    for found in _NUMBER.finditer(sentence):
        amount = int(found[0].replace(",", ""))
        if f"{amount:,}" == found[0] and amount < 2**31 and len(amounts) < MOST_NUMBERS:
            words.append(sentence[at : found.start()])
            amounts.append(amount)
            at = found.end()
    return (*words, sentence[at:]), tuple(amounts)
