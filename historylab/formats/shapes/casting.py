"""Casting: the role of each speaker in records that a shape reads, by the shape, the word, or who answers whom."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from historylab.formats.base import Report
from historylab.formats.messages.paths import Paths, each_path, value_at
from historylab.formats.messages.speakers import cast, is_name, role_in_word
from historylab.formats.messages.walker import text_at
from historylab.formats.shapes.shape import Shape

KINDS_OF_RECORD = ("type", "kind", "event", "say", "action", "mode", "category", "source")
"""Fields whose words name a kind of record, so that none of them is a person's name."""


def cast_speakers(shape: Shape, items: Sequence[Any], report: Report) -> dict[str, str]:
    """Speaker → role: the shape's, that of the word, a tool's if it gives but results, or, among names, by who answers.

    One of whom nothing tells, as where words name kinds of records, is in no role.
    """
    roles = {word: role for word, role in shape.roles.items() if word}
    said = dict.fromkeys(word for item in items if (word := word_at(item, shape.role)))
    unknown = [word for word in said if word not in roles]
    if other := shape.roles.get(""):
        return roles | dict.fromkeys(unknown, other)
    roles |= {word: role for word in unknown if (role := role_in_word(word))}
    names = [word for word in unknown if word not in roles]
    if not names:
        return roles
    answering = _speakers_of_results(shape, items)
    roles |= {word: "tool" for word in names if word in answering}
    names = [word for word in names if word not in roles]
    told = {"user", "assistant"} <= {roles.get(word) for word in said}  # and so who else speaks is neither
    of_kinds = any(path.rpartition(".")[2] in KINDS_OF_RECORD for path in each_path(shape.role))
    if names and not told and not of_kinds and all(map(is_name, names)):
        roles |= cast(said, report, known=roles)
    return roles


def _speakers_of_results(shape: Shape, items: Iterable[Any]) -> set[str]:
    """The speakers of whose records each is the result of a call."""
    by_kind = {True: set[str](), False: set[str]()}
    for item in items:
        is_answer = is_there(item, shape.answers or None) and not calls_said(item, shape.calls)
        by_kind[is_answer].add(word_at(item, shape.role))
    return by_kind[True] - by_kind[False]


def calls_said(item: Any, at: Mapping[str, Any]) -> list[Any]:
    """The objects in an item that are calls at these paths: they have a name or arguments, an item itself has both."""
    said = [path for field in ("name", "arguments") if (path := at.get(field)) is not None]
    enough = any if at.get("items") else all
    return [call for call in objects_at(item, at) if said and enough(is_there(call, path) for path in said)]


def objects_at(item: Any, at: Mapping[str, Any]) -> list[Any]:
    """The objects in an item, at the path where these paths have their items; without one, the item itself."""
    if not at:
        return []
    found = value_at(item, at["items"]) if at.get("items") else item
    return found if isinstance(found, list) else [] if found is None else [found]


def word_at(item: Any, paths: Paths) -> str:
    """The word for who speaks; "true" or "false" where a field says whether it is the user."""
    value = value_at(item, paths)
    return str(value).lower() if isinstance(value, bool) else text_at(item, paths)


def is_there(item: Any, paths: Paths | None) -> bool:
    """Tell whether there is anything at these paths."""
    return paths is not None and value_at(item, paths) is not None
