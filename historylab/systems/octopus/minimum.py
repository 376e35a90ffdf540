"""Octopus' minimum history: the last complete turns are sent whatever the budget, in their original order."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np

from historylab.formats.messages.content_parts import mapping_of
from historylab.systems.octopus.planning import begin_plan

MIN_HISTORY_TURNS = 3


def get_last_n_turns(history: Iterable[Any], n: int) -> list[Any]:
    """The messages, but no system messages, from the n-th last complete turn on; with fewer, from the first one on.

    A turn is complete once it has an assistant message. Without a complete turn the newest turn is given; 0 is none.
    """
    history = list(history)
    return [history[i] for i in _last_turns(history, n)]


def ensure_min_history(
    pruned: Iterable[Any], original: Iterable[Any], *, min_history_turns: int = MIN_HISTORY_TURNS
) -> list[Any]:
    """`pruned` with what is missing of the last turns put back where it was; this may exceed the budget.

    A message is there if the same object is, or one with an equal `id` that is not None. Leading system messages and
    summaries (system messages the original lacks) stay in front.
    """
    pruned, original = list(pruned), list(original)
    places = _places(pruned, original)
    there = {identity for message in pruned if (identity := _identity(message)) is not None}
    missing = [
        i
        for i in _last_turns(original, min_history_turns)
        if i not in places and (_identity(original[i]) is None or _identity(original[i]) not in there)
    ]
    if not missing:
        return pruned
    placed = [*zip(_positions(pruned, places, original), pruned, strict=True), *((i, original[i]) for i in missing)]
    return [message for _, message in sorted(placed, key=lambda pair: pair[0])]


def _last_turns(history: list[Any], n: int) -> list[int]:
    plan, context = begin_plan(history, min_history_turns=n)
    columns = context.history.columns
    return np.flatnonzero((context.protected(plan) & ~columns.system)[columns.block]).tolist()


def _places(pruned: list[Any], original: list[Any]) -> list[int | None]:
    """Each pruned message's index in the original, the latest first where one object stands several times."""
    of_object: dict[int, list[int]] = {}
    of_identity: dict[Hashable, int] = {}
    for i, message in enumerate(original):
        of_object.setdefault(id(message), []).append(i)
        of_identity[_identity(message)] = i
    of_identity.pop(None, None)
    places: list[int | None] = []
    for message in reversed(pruned):
        same = of_object.get(id(message))
        places.append(same.pop() if same else of_identity.get(_identity(message)))
    return places[::-1]


def _positions(pruned: list[Any], places: list[int | None], original: list[Any]) -> list[float]:
    """Where each pruned message goes among the original's indices; any other follows what it followed."""
    systems = (mapping_of(message).get("role") == "system" for message in original)
    behind_leading = next((i for i, system in enumerate(systems) if not system), len(original)) - 0.5
    positions: list[float] = []
    for message, place in zip(pruned, places, strict=True):
        if place is not None:
            positions.append(place)
        elif mapping_of(message).get("role") == "system" or not positions:
            positions.append(behind_leading)
        else:
            positions.append(positions[-1])
    return positions


def _identity(message: Any) -> Hashable:
    identity = mapping_of(message).get("id")
    return identity if isinstance(identity, Hashable) else repr(identity)
