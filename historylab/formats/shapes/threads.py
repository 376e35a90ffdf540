"""Threads: the records of one conversation in the order in which each says that it follows another."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from historylab.conversation.message import Message
from historylab.formats.base import Report
from historylab.formats.messages.branching import paths
from historylab.formats.messages.chat_messages import pair_by_order
from historylab.formats.messages.paths import each_path, on_the_way
from historylab.formats.messages.walker import text_at
from historylab.formats.shapes.shape import Shape


class RecordTree:
    """The records of one conversation, each with its messages and with the record it follows."""

    def __init__(self, shape: Shape):
        self._shape = shape
        self._records: dict[Hashable, tuple[str, Any, list[Message]]] = {}
        self._named: dict[Hashable, str | None] = {}  # the id of the one it follows; None: it says that it is the first

    def add(self, where: str, item: Any, messages: list[Message]) -> None:
        """Add the next record of the file."""
        id = text_at(item, self._shape.id)
        key = id if id and id not in self._records else len(self._records)
        self._records[key] = where, item, messages
        self._named[key] = text_at(item, self._shape.parent) or (None if self._says_parent(item) else "")

    def ways(self, around: Sequence[Any], report: Report) -> list[list[tuple[Any, Any]]]:
        """Each thread as its records with their keys: the conversation first, then its branches."""
        found = [[*self._records]]
        if self._shape.parent:
            places = {key: place for place, key in enumerate(self._records)}
            found = paths(self._parents(), places.__getitem__, _current(around, places))
            offered = {key for way in found for key in way}
            for key, (where, _, messages) in self._records.items():
                if messages and key not in offered:
                    report.records -= 1  # counted as read
                    report.pass_over("a record on none of the branches offered", where)
        return [[(key, self._records[key][1]) for key in way] for way in found]

    def thread(self, way: Sequence[tuple[Any, Any]]) -> list[Message]:
        """The messages of a way."""
        return pair_by_order(_join_thoughts([m for key, _ in way for m in self._records[key][2]]))

    def _parents(self) -> dict[Hashable, Hashable | None]:
        """The record that each follows: the one before it where it names itself, or none that the file has."""
        parents: dict[Hashable, Hashable | None] = {}
        missing: dict[str, Hashable | None] = {}  # those that name the same one fork there
        before = None
        for key, named in self._named.items():
            if not named or named == key:
                parents[key] = before if named is not None else None
            else:
                parents[key] = named if named in self._records else missing.setdefault(named, before)
            before = key
        return parents

    def _says_parent(self, item: Any) -> bool:
        """Tell whether a record says what it follows, if only that it is the first."""
        parents = each_path(self._shape.parent)
        return any(path.rpartition(".")[2] in holder for path in parents for holder in on_the_way(item, path))


def _current(around: Sequence[Any], known: Mapping[Any, Any]) -> Any:
    """The record that a field beside its list calls the current one; None if none does."""
    fields = around[0].items() if around and isinstance(around[0], dict) else ()
    return next((id for key, id in fields if key[:7] == "current" and isinstance(id, str) and id in known), None)


def _join_thoughts(messages: list[Message]) -> list[Message]:
    """The messages, of which one that is nothing but thinking is part of the answer after it."""
    joined: list[Message] = []
    for message in messages:
        before = joined[-1] if joined else None
        if before and before.role == message.role == "assistant" and _only_thinks(before):
            thought = [before.metadata["thinking"], message.metadata.get("thinking", "")]
            joined.pop()
            about = {**before.metadata, **message.metadata, "thinking": "\n".join(filter(None, thought))}
            message = replace(message, metadata=about)  # noqa: PLW2901
        joined.append(message)
    return joined


def _only_thinks(message: Message) -> bool:
    return bool(message.metadata.get("thinking")) and not (message.content or message.tool_calls or message.media)
