"""The bytes our own components take in the browser: words as JSON and numbers as planes of bytes, compressed.

    uint32 length of HEAD, HEAD (JSON: the key they are known by),
    deflated [ uint32 length of WORDS, WORDS (JSON), planes ]

WORDS lists the arrays in `arrays` as [name, length, bytes a number]. A plane holds one byte of every number of an
array, the lowest first, so that what is mostly zero compresses to nothing. Lengths are little endian.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

QUICK = 1  # compression level: what is packed is regular


def pack(head: Mapping[str, Any], words: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> bytes:
    """One part; the arrays hold whole numbers from 0 below 2³²."""
    widths = {name: -(-max(1, int(array.max(initial=0)).bit_length()) // 8) for name, array in arrays.items()}
    listed = [[name, len(array), widths[name]] for name, array in arrays.items()]
    planes = [_planes(array, widths[name]) for name, array in arrays.items()]
    said = to_json({**words, "arrays": listed})
    return framed(head) + zlib.compress(struct.pack("<I", len(said)) + said + b"".join(planes), QUICK)


def framed(head: Mapping[str, Any]) -> bytes:
    """The first part of the bytes: its length and its JSON."""
    said = to_json(head)
    return struct.pack("<I", len(said)) + said


def deflated(value: Any) -> bytes:
    """A value as JSON, compressed."""
    return zlib.compress(to_json(value), QUICK)


def to_json(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def _planes(array: np.ndarray, width: int) -> bytes:
    return array.astype("<u4").view(np.uint8).reshape(-1, 4)[:, :width].T.tobytes()


class Sentences:
    """The sentences of a map, each once, and since which request a rule words its decision by which of them."""

    def __init__(self) -> None:
        self._known: dict[str, int] = {}
        self._numbers: dict[int, Any] = {}
        self._since: list[tuple[int, int, int]] = []

    def tell(self, request: int, rule: int, numbers: Any, sentence: Callable[[], str]) -> None:
        """From this request on the rule says this; `sentence` is asked only where the numbers are new."""
        if rule in self._numbers and self._numbers[rule] == numbers:
            return
        self._numbers[rule] = numbers
        self._since.append((request, rule, self._known.setdefault(sentence(), len(self._known))))

    def words(self) -> list[str]:
        return list(self._known)

    def arrays(self) -> dict[str, np.ndarray]:
        """Per change the request, the rule, and the number of its sentence."""
        since = np.array(self._since, np.int64).reshape(-1, 3)
        return {"why_request": since[:, 0], "why_rule": since[:, 1], "why_sentence": since[:, 2]}
