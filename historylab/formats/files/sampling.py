"""Samples of JSON values, to recognise a format by: some items of every list, among them one of each structure."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from itertools import chain
from typing import Any

ITEMS = 20  # of a list: so many first ones, and as many spread over the rest
STRUCTURES = 100  # in each of these two, items looked at for a structure that none of those has
KINDS = ("role", "type", "kind", "key")  # fields with the name of a kind


def take_sample(value: Any, levels: int = 3) -> Any:
    """A value with no more than some items of its lists, down to some levels."""
    if type(value) is list:
        some = _some(value)
        return [take_sample(item, levels - 1) for item in some] if levels > 0 else some
    if type(value) is dict and levels > 0:
        return {key: take_sample(item, levels - 1) for key, item in value.items()}
    return value


def _some(items: list[Any]) -> list[Any]:
    """Some items of a list in their order, among them one of each structure: of many spans few may be model calls."""
    if len(items) <= 2 * ITEMS:
        return items
    chosen = set(_spread(len(items), ITEMS))
    known = {_structure(items[i]) for i in chosen}
    for i in _spread(len(items), STRUCTURES):
        if i not in chosen and (found := _structure(items[i])) not in known:
            known.add(found)
            chosen.add(i)
    return [items[i] for i in sorted(chosen)]


def _spread(count: int, some: int) -> Iterator[int]:
    """So many first indices, and as many spread over the rest."""
    rest = max(0, count - some)
    return chain(range(min(some, count)), range(some, count, rest // some + 1))


def _structure(value: Any, name: str = "", levels: int = 5) -> Hashable:
    """The names and kinds of what a value holds: equal for values that formats find alike."""
    if type(value) is dict:
        return tuple([(key, _structure(held, key, levels - 1)) for key, held in value.items()]) if levels else dict
    if type(value) is list or type(value) is tuple:
        return frozenset([_structure(held, "", levels - 1) for held in value[:ITEMS]]) if levels else list
    return value if name in KINDS and type(value) is str else None
