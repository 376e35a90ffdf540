"""JSON values of a text: what is given twice is counted, and what no transcript is (too deep, too many) is refused.

The size of a value in memory is bounded before it is parsed: its brackets and commas are counted outside of strings.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any

from jiter import from_json

from historylab.errors import LoadError, TooLarge

MAX_DEPTH = 200
"""Levels of nesting a JSON document may have: deeper ones could not be serialised again."""

MAX_ITEMS = 1_000_000
"""Lines of a file, items of a list and sibling objects: the most that load within a bearable time."""

MAX_CONTAINERS, MAX_COMMAS = 3_000_000, 20_000_000
"""Lists and objects of a file, and items of all of them: the most that fit into memory beside each other."""

ASK = "give a JSON or JSONL file of messages"
TOO_DEEP = f"the JSON is nested more than {MAX_DEPTH} levels deep, as no transcript is; {ASK}"

STRING = r'"[^"\\]*(?:\\.[^"\\]*)*"'
STRINGS = re.compile(STRING, re.DOTALL)
STRETCH = re.compile(f'[^"]*(?:{STRING}[^"]*){{0,5000}}', re.DOTALL)


class JsonParser:
    """Parses the JSON texts of one file."""

    def __init__(self) -> None:
        self.repeated: Counter[str] = Counter()  # keys that an object has twice
        self._size = self._read = self._weighed = 0  # bytes, brackets in texts, lists and objects counted one by one
        # raw control characters and halves of surrogate pairs inside strings are read, not refused
        self._lenient = json.JSONDecoder(strict=False, object_pairs_hook=self._object)

    def value(self, given: str | bytes) -> Any:
        """The value of a text, or of its UTF-8. Raises ValueError if it is no JSON, LoadError if too large."""
        data = given if isinstance(given, bytes) else given.encode(errors="surrogatepass")
        self._size += len(data)
        # a container takes two bytes: they are counted once there may be too many
        brackets = data.count(b"{") + data.count(b"[") if self._size > 2 * MAX_CONTAINERS else 0
        if brackets > MAX_CONTAINERS or (len(data) > MAX_COMMAS and data.count(b",") > MAX_COMMAS):
            _refuse_huge(data.decode(errors="replace"))
        try:
            value = from_json(data, catch_duplicate_keys=True)
        except ValueError:  # it says less of what is wrong, and refuses some of what can be read
            value = self._leniently(given if isinstance(given, str) else given.decode())
            containers_of(value)  # refuses what is nested too deeply
        self._read += brackets
        wide = len(data) > MAX_ITEMS and data.count(b",") >= MAX_ITEMS  # there may be a list of more items
        if wide or brackets > MAX_DEPTH or self._read > MAX_CONTAINERS:
            self._weighed += containers_of(value)
            if self._weighed > MAX_CONTAINERS:
                raise too_many(MAX_CONTAINERS, "lists and objects")
        return value

    def _leniently(self, text: str) -> Any:
        """Raises JSONDecodeError with the position in the text without the spaces before it."""
        text = text.lstrip()
        try:
            value, end = self._lenient.raw_decode(text)
        except RecursionError:
            raise LoadError(TOO_DEEP) from None
        if end != len(text) and (more := text[end:].lstrip()):
            end = len(text) - len(more)
            raise json.JSONDecodeError("Extra data", text, end)
        return value

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            self.repeated += Counter(key for key, _ in pairs) - Counter(found.keys())
        return found


def too_many(limit: int, things: str, holder: str = "the JSON") -> TooLarge:
    """The refusal of more of something than can be held."""
    return TooLarge(f"{holder} holds more than {limit:,} {things}; load a part of it")


def containers_of(value: Any) -> int:
    """Lists and objects in a value. Walks level by level, so that no depth can exhaust the stack."""
    level, count = [value] if type(value) is dict or type(value) is list else [], 0
    for _ in range(MAX_DEPTH):
        if not level:
            return count
        count += len(level)
        if len(level) > MAX_ITEMS or any(len(parent) > MAX_ITEMS for parent in level):
            raise too_many(MAX_ITEMS, "items side by side")
        level = [
            child
            for parent in level
            for child in (parent.values() if type(parent) is dict else parent)
            if type(child) is dict or type(child) is list
        ]
    if level:
        raise LoadError(TOO_DEEP)
    return count


def _refuse_huge(text: str) -> None:
    """Raise TooLarge if a text has more brackets or commas, outside of strings, than its values may have."""
    at = brackets = commas = 0
    while at < len(text):
        stretch = STRETCH.match(text, at)
        end = stretch.end() if stretch and stretch.end() > at else len(text)  # at the end: a string that breaks off
        bare = STRINGS.sub("", text[at:end])
        brackets += bare.count("{") + bare.count("[")
        commas += bare.count(",")
        at = end
        if brackets > MAX_CONTAINERS:
            raise too_many(MAX_CONTAINERS, "lists and objects")
        if commas > MAX_COMMAS:
            raise too_many(MAX_COMMAS, "items")
