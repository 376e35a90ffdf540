"""A map's bytes, read as the browser reads them."""

from __future__ import annotations

import json
import struct
import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class MapPart:
    """One part: what it is known by, its words, and its arrays by name."""

    head: dict[str, Any]
    words: dict[str, Any]
    arrays: dict[str, np.ndarray]

    def sentence(self, request: int, code: int) -> str:
        """The sentence for that code of a message at that request."""
        since, rules, told = (self.arrays[f"why_{name}"] for name in ("request", "rule", "sentence"))
        found = np.flatnonzero((rules == self.words["rules"][code - 1]) & (since <= request))
        n = told[found[-1]]
        first, *more = self.words["sentences"][self.arrays["pattern"][n]]
        numbers = (f"{self.arrays[f'number{place}'][n]:,}" for place in range(1, len(more) + 1))
        return first + "".join(number + words for number, words in zip(numbers, more, strict=True))

    def cells(self, messages: int) -> np.ndarray:
        """uint8[messages, requests]: 0 where the message comes later, else k for `codes[k - 1]`."""
        runs, first, length, code = (self.arrays[name] for name in ("runs", "first", "length", "code"))
        drawn, fates, k = np.zeros((messages, len(runs)), np.uint8), np.zeros(messages, np.uint8), 0
        for request, count in enumerate(runs.tolist()):
            for run in range(k, k + count):
                fates[first[run] : first[run] + length[run]] = code[run]
            k += count
            drawn[:, request] = fates
        return drawn


def unpacked(data: bytes) -> MapPart:
    (length,) = struct.unpack_from("<I", data)
    head, plain = json.loads(data[4 : 4 + length]), zlib.decompress(data[4 + length :])
    (length,) = struct.unpack_from("<I", plain)
    words, at = json.loads(plain[4 : 4 + length]), 4 + length
    arrays = {}
    for name, count, width, steps in words.pop("arrays"):
        planes = np.frombuffer(plain, np.uint8, count * width, at).reshape(width, count)
        held = (planes.astype(np.int64) << (8 * np.arange(width))[:, None]).sum(axis=0)
        arrays[name] = np.where(held % 2, -(held + 1) // 2, held // 2).cumsum() if steps else held
        at += count * width
    assert at == len(plain)
    return MapPart(head, words, arrays)
