"""Paths into JSON values: keys from the outside in, joined by dots: `chat.history`.

A key may hold dots itself. Lists on the way need no mention: the first item that has the rest of the path counts, or
all of them where several values are asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, TypeAlias

Paths: TypeAlias = str | tuple[str, ...]
"""A path, or several of which the first that leads to something counts."""

Located: TypeAlias = tuple[str, Any]
"""The place of a value in the file, and the value."""


def each_path(paths: Paths) -> tuple[str, ...]:
    """The paths as a tuple, of one or several."""
    return (paths,) if isinstance(paths, str) else paths


def value_at(item: Any, paths: Paths) -> Any:
    """The value of an item at a path such as `author.role`; None if there is none."""
    if type(paths) is not str:
        return picked_at(item, paths)[0]
    if type(item) is dict:  # most of them
        value = item.get(paths)
        if value is not None or "." not in paths:
            return value
    return _first_at(item, paths) if paths else None


def picked_at(item: Any, paths: Paths) -> tuple[Any, str]:
    """The first value at these paths that says something, and its path; an empty one where no other is there."""
    empty: tuple[Any, str] = (None, "")
    flat = type(item) is dict
    for path in (paths,) if type(paths) is str else paths:
        if flat and path in item:
            value = item[path]
        elif not path or (flat and "." not in path):  # most paths, so that they cost no call
            continue
        else:
            value = _first_at(item, path)
        if value is None:
            continue
        if value not in ("", []):
            return value, path
        empty = empty if empty[1] else (value, path)
    return empty


def values_at(item: Any, paths: Paths) -> list[Any]:
    """All values at the first of these paths that leads to any, through every list on the way."""
    for path in each_path(paths):
        if path and (found := [value for value in _all_at(item, path) if value is not None]):
            return found
    return []


def on_the_way(item: Any, path: str) -> Iterator[dict[str, Any]]:
    """The objects that a path leads through, the outer first."""
    if isinstance(item, dict):
        yield item
    keys = path.split(".") if "." in path else ()
    for count in range(1, len(keys)):
        if isinstance(found := _first_at(item, ".".join(keys[:count])), dict):
            yield found


def holds(item: Any, wanted: Mapping[str, tuple[Any, ...]]) -> bool:
    """Tell whether a value at one of these paths is one of its values; any that says something, where it names none."""
    for path, values in wanted.items():
        if type(item) is dict and "." not in path:  # most of them
            places: Iterable[Any] = (item[path],) if path in item else ()
        else:
            places = _all_at(item, path)
        for found in places:
            if (found in values) if values else (found not in (None, "", False, [], {})):
                return True
    return False


def lists_at(values: list[Located], paths: Paths) -> list[tuple[str, list[Located], tuple[Any, ...]]]:
    """Every list of items at the first path that leads to any: where it is, its items, and what is around it."""
    held = [(where, value, ()) for where, value in values]
    tried = (list(_lists(held, path or None)) for path in each_path(paths))
    return next(filter(None, tried), [])


def list_items(value: Any) -> Any:
    """The items of a list, or of an object all of whose values are objects with a key in common (messages by id)."""
    if isinstance(value, dict) and len(value) > 1 and all(isinstance(item, dict) for item in value.values()):
        items = list(value.values())
        return items if set(items[0]).intersection(*items) else value
    return value


@lru_cache(maxsize=4096)
def _steps(path: str) -> tuple[tuple[str, str | None], ...]:
    """The keys that a path may begin with, the longest first, as keys may hold dots; each with the rest, if any."""
    keys = path.split(".")
    shorter = ((".".join(keys[:count]), ".".join(keys[count:])) for count in range(len(keys) - 1, 0, -1))
    return (path, None), *shorter


def _first_at(value: Any, path: str | None) -> Any:
    while path is not None:
        if isinstance(value, dict):
            for key, rest in _steps(path):
                if key in value:
                    value, path = value[key], rest
                    break
            else:
                return None
        elif isinstance(value, list | tuple):
            return next((found for each in value if (found := _first_at(each, path)) is not None), None)
        else:
            return None
    return value


def _all_at(value: Any, path: str | None) -> Iterator[Any]:
    if path is None:
        yield value
    elif isinstance(value, list):
        for each in value:
            yield from _all_at(each, path)
    elif step := _step_into(value, path):
        yield from _all_at(value[step[0]], step[1])


def _step_into(value: Any, path: str) -> tuple[str, str | None] | None:
    """The longest key of an object that a path begins with, and the rest of the path; None if it has none."""
    if isinstance(value, dict):
        for step in _steps(path):
            if step[0] in value:
                return step
    return None


_Around: TypeAlias = tuple[Any, ...]


def _lists(values: list[tuple[str, Any, _Around]], path: str | None) -> Iterator[tuple[str, list[Located], _Around]]:
    if path is None:
        yield from _lists_here(values)
        return
    for where, value, around in values:
        if isinstance(value, list):
            yield from _lists([(f"{where}[{i}]", item, around) for i, item in enumerate(value)], path)
        elif step := _step_into(value, path):
            key, rest = step
            yield from _lists([(f"{where} {key}".strip(), value[key], (value, *around))], rest)
        elif isinstance(items := list_items(value), list):  # of objects by id
            yield from _lists([(f"{where}[{i}]", item, around) for i, item in enumerate(items)], path)


def _lists_here(values: list[tuple[str, Any, _Around]]) -> Iterator[tuple[str, list[Located], _Around]]:
    """The values that are no lists as one list, and each list."""
    own = [(where, value) for where, value, _ in values if not isinstance(list_items(value), list)]
    if own:
        yield "", own, values[0][2]
    for where, value, around in values:
        items = list_items(value)
        if isinstance(items, list):
            located = [(f"{where}[{i}]", item) for i, item in enumerate(items)]
            if items and isinstance(items[0], list):
                yield from _lists_here([(at, item, around) for at, item in located])
            else:
                yield where, located, around
