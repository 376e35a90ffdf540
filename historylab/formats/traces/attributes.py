"""Attributes of a span, found by dotted name however deep they are nested.

Lists that were flattened ("llm.input_messages.0.message.role") are put together.
"""

from __future__ import annotations

from typing import Any

from historylab.formats.base import EMPTY_VALUES
from historylab.formats.messages.fields import unpack_json
from historylab.formats.messages.paths import value_at

DEEPEST = 12  # levels of attributes nested in each other


class Attributes:
    """The attributes of a span, by dotted name."""

    def __init__(self, given: dict[str, Any]):
        self.given = given
        self._has_objects = dict in map(type, given.values())
        self._heads: dict[str, Any] = {}  # what stands before a dot of any name → what is below, once it was asked for
        for name in given:
            head = name.rpartition(".")[0]
            while head and head not in self._heads:
                self._heads[head] = None
                head = head.rpartition(".")[0]

    def get(self, *names: str) -> Any:
        """The first of these attributes that says something; JSON text is parsed, flattened lists are put together."""
        for name in names:
            found = self._find(name)
            if found is not None and (found := unpack_json(found)) not in EMPTY_VALUES:
                return found
        return None

    def raw(self, *names: str) -> Any:
        """The same, with JSON text as it is."""
        return next((found for found in map(self._find, names) if found not in EMPTY_VALUES), None)

    def text(self, *names: str) -> str:
        """The same, if it is a text; else empty."""
        found = self.get(*names)
        return found if isinstance(found, str) else ""

    def any_below(self, *prefixes: str) -> bool:
        """Whether any attribute's name begins so."""
        if any([name.startswith(prefixes) for name in self.given]):
            return True
        return self._has_objects and any(value_at(self.given, prefix.rstrip(".")) is not None for prefix in prefixes)

    def _find(self, name: str) -> Any:
        if name in self.given:
            return self.given[name]
        if name in self._heads:
            if self._heads[name] is None:
                below = f"{name}."
                parts = {key[len(below) :]: held for key, held in self.given.items() if key.startswith(below)}
                self._heads[name] = unflatten(parts)
            return self._heads[name]
        return value_at(self.given, name) if self._has_objects else None


def unflatten(parts: dict[str, Any]) -> Any:
    """Flattened names ("0.role") as lists and objects."""
    tree: dict[str, Any] = {}
    for name, value in parts.items():
        at, path = tree, name.split(".")[:DEEPEST]
        for step in path[:-1]:
            inner = at.get(step)
            if not isinstance(inner, dict):
                inner = at[step] = {} if inner is None else {"": inner}
            at = inner
        at[path[-1]] = value
    return _lists(tree)


def _lists(tree: dict[str, Any]) -> Any:
    held = {name: _lists(value) if isinstance(value, dict) else value for name, value in tree.items()}
    return [held[name] for name in sorted(held, key=int)] if held and all(map(str.isdecimal, held)) else held
