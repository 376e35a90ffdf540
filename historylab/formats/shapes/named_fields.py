"""Named fields: every field of objects, with its path and values, and the one that goes by a known name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, TypeAlias

from historylab.formats.base import EMPTY_VALUES
from historylab.formats.messages.paths import value_at

FieldValues: TypeAlias = Mapping[str, list[Any]]
"""The paths of fields in objects → their values."""

LEVELS = 3


def list_fields(held: Iterable[Any]) -> FieldValues:
    """Every field of objects, also of the objects in them: its path, and its values."""
    found: dict[str, list[Any]] = {}
    for each in held:
        for path, value in fields_in(each):
            found.setdefault(path, []).append(value)
    return found


def fields_in(item: Any, path: str = "", levels: int = LEVELS) -> Iterator[tuple[str, Any]]:
    """Each field of an object that says something, also of the objects in it, with its path."""
    for key, value in item.items() if isinstance(item, dict) else ():
        at = f"{path}.{key}" if path else str(key)
        if value not in EMPTY_VALUES:
            yield at, value
        if levels > 1 and isinstance(value, dict):
            yield from fields_in(value, at, levels - 1)


def parts_at(items: Iterable[Any], path: str) -> list[dict[str, Any]]:
    """The objects in the lists at a path."""
    found = (value_at(item, path) for item in items)
    return [part for parts in found if isinstance(parts, list) for part in parts if isinstance(part, dict)]


def is_within(path: str, outer: str) -> bool:
    """Tell whether a path is the outer one, or goes on from it."""
    return f"{path}.".startswith(f"{outer}.")


def path_named(paths: Iterable[str], names: str) -> str:
    """The path whose last key is the surest of these names, the shortest of several."""
    spelt = {name: place for place, name in enumerate(names.split())}
    known = [(spelt[key], path.count("."), path) for path in paths if (key := _spelt(path)) in spelt]
    return min(known, default=(0, 0, ""))[2]


@lru_cache(maxsize=4096)
def _spelt(path: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", path.rpartition(".")[2].casefold()).strip("_")


def paths_named(fields: Iterable[str], known: Mapping[str, str]) -> dict[str, str]:
    """Content → the path among these that goes by one of its names."""
    paths = [*fields]
    return {content: path for content, names in known.items() if (path := path_named(paths, names))}
