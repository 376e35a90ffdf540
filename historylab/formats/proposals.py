"""Proposals: lists of things with a role and a text in JSON of no known format, as field mappings to choose from."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from historylab.formats.base import EMPTY_VALUES
from historylab.formats.files.row_table import COLUMNS
from historylab.formats.mapping import FieldMapping, count_items, list_items, value_at
from historylab.formats.messages.speakers import cast, role_of

MAX_LEVELS, MAX_NODES = 8, 20_000
LOOKED_AT = 200  # items of each list
ENTERED = 5  # items of a list that are searched for lists of their own
MOST = 5  # proposals made
ROLE_NAMES = (*COLUMNS["role"].split(), "who", "user", "actor", "type", "direction", "side", "kind", "source")
TEXT_NAMES = (*COLUMNS["content"].split(), "say", "said", "reply", "response", "prompt", "markdown", "plaintext")
OTHERS = {"name": "name", "time": "time", "id": "id", "conversation": "group"}  # of a mapping → of a table


@dataclass(frozen=True)
class MappingProposal:
    """A field mapping that may fit, and how many items it would read."""

    mapping: FieldMapping
    items: int

    def __str__(self) -> str:
        place = f"`{self.mapping.items[:60]}`" if self.mapping.items else "the file"
        return f"Read {place} ({self.items:,} items: {self.mapping.role[:40]}, {self.mapping.text[:40]})?"


def proposals(values: list[tuple[str, Any]]) -> tuple[MappingProposal, ...]:
    """The mappings that may fit, the most plausible first."""
    found: dict[str, list[Any]] = {}
    whole = [value for _, value in values]
    for path, items in _lists(whole if len(whole) > 1 else whole[0] if whole else None):
        found.setdefault(path, []).extend(items)
    rated = [(*best, path, items) for path, items in found.items() if (best := _fields(items[:LOOKED_AT]))]
    rated.sort(key=lambda one: (one[0] + math.log10(len(one[-1])), -len(one[-2])), reverse=True)
    offered = (
        MappingProposal(_propose_mapping(path, items, role, text), count_items(values, path))
        for _, role, text, path, items in rated[:MOST]
    )
    return tuple(proposal for proposal in offered if proposal.items)


def _propose_mapping(path: str, items: list[Any], role: str, text: str) -> FieldMapping:
    said = list(dict.fromkeys(str(value_at(item, role) or "") for item in items[:LOOKED_AT]))
    cast_as, _ = cast(speaker for speaker in said if speaker)
    roles = {speaker: as_role for speaker, as_role in cast_as.items() if role_of(speaker) != as_role}
    names = [name for item in items[:LOOKED_AT] if isinstance(item, dict) for name in item]
    others = {}
    for kind, column in OTHERS.items():
        known = (name for name in COLUMNS[column].split() if name in names and name not in (role, text))
        others[kind] = next(known, "")
    return FieldMapping(role, text, path, **others, roles=roles)


def _lists(value: Any) -> Iterator[tuple[str, list[Any]]]:
    """Every list of objects with the path to it, breadth first; a bounded search."""
    level, seen = [("", value)], 0
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
    """The plausibility that these items are messages, and their fields for speaker and text; None if they are none."""
    columns: dict[str, list[Any]] = {}
    for item in items:
        for path, value in _leaves(item):
            columns.setdefault(path, []).append(value)
    enough = len(items) / 2
    columns = {path: values for path, values in columns.items() if len(values) > enough}
    roles = [(score, path) for path, values in columns.items() if (score := _as_role(path, values)) > 0]
    texts = [(score, path) for path, values in columns.items() if (score := _as_text(path, values)) > 0]
    pairs = [(a + b, role, text) for a, role in roles for b, text in texts if role != text]
    return max(pairs, default=None)


def _leaves(item: Any, path: str = "", levels: int = 3) -> Iterator[tuple[str, Any]]:
    for key, value in item.items():
        at = f"{path}.{key}".lstrip(".")
        if isinstance(value, dict) and levels > 1:
            yield from _leaves(value, at, levels - 1)
        elif value not in EMPTY_VALUES:
            yield at, value


def _as_role(path: str, values: list[Any]) -> float:
    """Above 0 for short words that come again, or that are words for a speaker."""
    words = [value for value in values if isinstance(value, str) and len(value) <= 40 and "\n" not in value]
    if len(words) * 2 < len(values) or not words:
        return 0
    known = sum(bool(role_of(word)) for word in words) / len(words)
    named = _name_fit(path, ROLE_NAMES)
    again = len(set(words)) * 2 <= len(words) and len(set(words)) > 1
    return 3 * known + 2 * named + again if known >= 0.5 or (named and again) else 0


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
    """The text of content parts."""
    parts = value if isinstance(value, list) else ()
    return " ".join(p["text"] for p in parts if isinstance(p, dict) and isinstance(p.get("text"), str))


def _name_fit(path: str, names: Sequence[str]) -> float:
    """The fit of a field's name, 0 to 1: the names are ordered, the surest first."""
    last = path.rpartition(".")[2].casefold()
    return 1 - names.index(last) / (2 * len(names)) if last in names else 0
