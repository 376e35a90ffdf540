"""Streamed answers: a file with one object per piece, put together into the answers that were streamed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

GIVEN_WHOLE = {"role", "type", "id", "name", "object", "model"}
"""Fields that a piece has whole, if it has them; other texts are continued by the next piece."""


class _Pieces(list[dict[str, Any]]):
    """The pieces of one answer."""


@dataclass(frozen=True)
class Stream:
    """An API's way to stream.

    `answer_of` names the answer that an object is a piece of ("" where only one is streamed at a time), or is None;
    `is_last` says whether a piece ends its answer; `join` makes the answer of its pieces.
    """

    answer_of: Callable[[dict[str, Any]], str | None]
    is_last: Callable[[dict[str, Any]], bool]
    join: Callable[[list[dict[str, Any]]], dict[str, Any]]

    def join_streamed(self, values: list[tuple[str, Any]]) -> list[tuple[str, Any]]:
        """The values, with the pieces of each answer joined in the place of its first one, at the top and in lists."""
        found: list[tuple[str, Any]] = []
        streamed: dict[str, _Pieces] = {}
        for where, value in values:
            answer = self.answer_of(value) if isinstance(value, dict) else None
            if answer is None:
                found.append((where, self._of_list(value) if isinstance(value, list) else value))
                continue
            if answer not in streamed:
                streamed[answer] = _Pieces()
                found.append((where, streamed[answer]))
            streamed[answer].append(value)
            if self.is_last(value):
                del streamed[answer]
        return [(where, self.join(value) if isinstance(value, _Pieces) else value) for where, value in found]

    def _of_list(self, items: list[Any]) -> list[Any]:
        if items and isinstance(items[0], dict) and self.answer_of(items[0]) is not None:
            return [item for _, item in self.join_streamed([("", item) for item in items])]
        return items


def add_piece(whole: dict[str, Any], piece: dict[str, Any]) -> None:
    """Continue the texts of an object with those of a piece; items of lists are told apart by their `index`."""
    for name, value in piece.items():
        held = whole.get(name)
        if isinstance(value, str) and isinstance(held, str) and name not in GIVEN_WHOLE:
            whole[name] = held + value
        elif isinstance(held, str) and held and not isinstance(value, str):
            continue  # a text is continued by text
        elif isinstance(value, dict):
            add_piece(whole.setdefault(name, {}) if isinstance(held, dict | None) else {}, value)
        elif isinstance(value, list):
            _add_items(whole, name, value)
        elif value is not None and (name not in GIVEN_WHOLE or not held):
            whole[name] = value


def _add_items(whole: dict[str, Any], name: str, items: list[Any]) -> None:
    held = whole[name] = whole[name] if isinstance(whole.get(name), list) else []
    for item in items:
        index = item.get("index") if isinstance(item, dict) else None
        known = [one for one in held if isinstance(one, dict) and one.get("index") == index]
        if index is None or not known:
            held.append({})
            known = held[-1:]
        if isinstance(item, dict):
            add_piece(known[0], item)
        else:
            held[-1] = item
