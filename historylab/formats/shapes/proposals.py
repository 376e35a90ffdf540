"""Proposals: lists of things with a role and a text in JSON of no known format, as shapes to choose from."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from historylab.formats.base import EMPTY_VALUES
from historylab.formats.files.row_table import COLUMNS
from historylab.formats.messages.paths import each_path, list_items, lists_at, value_at
from historylab.formats.messages.speakers import role_in_word
from historylab.formats.shapes.guesses import guess_fields
from historylab.formats.shapes.named_fields import fields_in
from historylab.formats.shapes.shape import Shape

MAX_LEVELS, MAX_NODES = 8, 20_000
LOOKED_AT = 200  # items of each list
ENTERED = 5  # items of a list that are searched for lists of their own
MOST = 5  # proposals made
MOST_OF_WORD = 40  # characters of a word for a speaker
MOST_LISTS, MOST_KEYS = 5, 8  # named of a file in which nothing is proposed
ROLE_NAMES = (*COLUMNS["role"].split(), "who", "user", "actor", "type", "direction", "side", "kind", "source")
RARE = 0.2  # share of events that have to say something
TEXT_NAMES = (*COLUMNS["content"].split(), "say", "said", "reply", "response", "prompt", "markdown", "plaintext")


@dataclass(frozen=True)
class ShapeProposal:
    """A shape that may fit, how many items are where it looks, and how many of these say something."""

    shape: Shape
    items: int
    worded: int

    @property
    def mapping(self) -> Shape:
        """The shape, by its former name."""
        return self.shape

    @property
    def fields(self) -> tuple[str, str]:
        """The fields for who speaks and with which words."""
        return each_path(self.shape.role)[0], each_path(self.shape.parts or self.shape.text)[0]

    @property
    def size(self) -> str:
        """ "52 items", or "36 of 60 items with words"."""
        noun = "item" if self.items == 1 else "items"
        if self.worded == self.items:
            return f"{self.items:,} {noun}"
        return f"{self.worded:,} of {self.items:,} {noun} with words"

    def __str__(self) -> str:
        place = f"`{self.shape.items[:60]}`" if self.shape.items else "the file"
        role, words = self.fields
        return f"Read {place} ({self.size}: {role[:40]}, {words[:40]})?"


def proposals(values: list[tuple[str, Any]]) -> tuple[ShapeProposal, ...]:
    """The shapes that may fit, the most plausible first; none for spans."""
    if any(isinstance(value, dict) and "resourceSpans" in value for _, value in values):
        return ()
    found: dict[str, list[Any]] = {}
    for path, items in find_lists(values):
        found.setdefault(path, []).extend(items)
    rated = [(*best, path, items) for path, items in found.items() if (best := _fields(items[:LOOKED_AT]))]
    rated.sort(key=lambda one: (one[0] + math.log10(len(one[-1])), -len(one[-2])), reverse=True)
    offered = (
        _proposal(Shape(items=path, **guess_fields(items[:LOOKED_AT], role, text)), values)
        for _, role, text, path, items in rated[:MOST]
    )
    return tuple(proposal for proposal in offered if proposal.items)


def _proposal(shape: Shape, values: list[tuple[str, Any]]) -> ShapeProposal:
    items = [item for _, items, _ in lists_at(values, shape.items) for _, item in items]
    worded = sum(any(value_at(item, path) not in EMPTY_VALUES for path in shape.worded) for item in items)
    return ShapeProposal(shape, len(items), worded)


def keys_by_list(values: Sequence[tuple[str, Any]]) -> dict[str, tuple[str, ...]]:
    """The paths of the first lists of objects ("": the file itself), each with keys of its first objects."""
    found: dict[str, dict[str, None]] = {}
    for path, items in find_lists(values):
        if path not in found and len(found) == MOST_LISTS:
            break
        found.setdefault(path, {}).update(dict.fromkeys(str(key) for item in items[:LOOKED_AT] for key in item))
    return {path: tuple(keys)[:MOST_KEYS] for path, keys in found.items()}


def find_lists(values: Sequence[tuple[str, Any]]) -> Iterator[tuple[str, list[Any]]]:
    """Every list of objects with the path to it, breadth first; a bounded search."""
    whole = [value for _, value in values]
    level: list[tuple[str, Any]] = [("", whole if len(whole) > 1 else whole[0] if whole else None)]
    seen = 0
    for _ in range(MAX_LEVELS):
        deeper: list[tuple[str, Any]] = []
        for path, given in level:
            seen += 1
            if seen > MAX_NODES:
                return
            items = list_items(given)
            if isinstance(items, list):
                objects = [item for item in items if isinstance(item, dict)]
                if len(objects) * 2 > len(items):
                    yield path, objects
                deeper += [(path, item) for item in items[:ENTERED] if isinstance(item, dict | list)]
            if isinstance(given, dict):
                inner = ((str(key), child) for key, child in given.items() if isinstance(child, dict | list))
                deeper += [(f"{path}.{key}".lstrip("."), child) for key, child in inner]
        level = deeper


def _fields(items: Sequence[Any]) -> tuple[float, str, str] | None:
    """The plausibility that these items are messages, and their fields for speaker and text; None if they are none.

    Where most are events, fewer than half of them have these; each with words then names a user or an assistant.
    """
    columns: dict[str, dict[int, Any]] = {}
    for place, item in enumerate(items):
        for path, value in fields_in(item):
            if not isinstance(value, dict):
                columns.setdefault(path, {})[place] = value
    half, rare = len(items) / 2, max(1, RARE * len(items))
    often = {path: held for path, held in columns.items() if len(held) > min(half, rare)}
    usual = {path for path, held in often.items() if len(held) > half}
    talkers = {path for path, held in often.items() if _names_talkers(held.values())}
    roles = {path: score for path in usual | talkers if (score := _as_role(path, [*often[path].values()])) > 0}
    worded = often if talkers else usual
    texts = {path: score for path in worded if (score := _as_text(path, [*often[path].values()])) > 0}
    pairs = [
        (a + b - len({role, text} - usual), role, text)
        for role, a in roles.items()
        for text, b in texts.items()
        if role != text and (text in usual or (role in talkers and often[text].keys() <= often[role].keys()))
    ]
    return max(pairs, default=None)


def _as_role(path: str, values: list[Any]) -> float:
    """Above 0 for short words that come again, or that are words for a speaker."""
    words = [value for value in values if isinstance(value, str) and len(value) <= MOST_OF_WORD and "\n" not in value]
    if len(words) * 2 < len(values) or not words:
        return 0
    known = sum(bool(role_in_word(word)) for word in words) / len(words)
    named = _name_fit(path, ROLE_NAMES)
    again = len(set(words)) * 2 <= len(words) and len(set(words)) > 1
    return 3 * known + 2 * named + again if known >= 0.5 or (named and again) else 0


def _names_talkers(words: Iterable[Any]) -> bool:
    """Tell whether a user or an assistant is among these."""
    short = {word for word in words if isinstance(word, str) and len(word) <= MOST_OF_WORD}
    return any(role_in_word(word) in ("user", "assistant") for word in short)


def _as_text(path: str, values: list[Any]) -> float:
    """Above 0 for texts of different words, or for a field called so."""
    texts = [value if isinstance(value, str) else _parts(value) for value in values]
    said = [text for text in texts if text]
    if len(said) * 2 < len(values):
        return 0
    length = sum(map(len, said)) / len(said)
    named = _name_fit(path, TEXT_NAMES)
    return 3 * named + min(length / 40, 2) if named or (length > 12 and any(" " in text for text in said)) else 0


def _parts(value: Any) -> str:
    """The texts in content parts, whatever they are called; a call has some as well."""
    parts = [part for part in value if isinstance(part, dict)] if isinstance(value, list) else []
    return " ".join(text for part in parts for name, text in part.items() if name != "type" and isinstance(text, str))


def _name_fit(path: str, names: Sequence[str]) -> float:
    """The fit of a field's name, 0 to 1: the names are ordered, the surest first."""
    last = path.rpartition(".")[2].casefold()
    return 1 - names.index(last) / (2 * len(names)) if last in names else 0
