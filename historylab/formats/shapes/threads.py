"""Threads: the records of one conversation in the order in which each says that it follows another."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, TypeAlias

from historylab.conversation.message import Message, revise
from historylab.formats.base import Report
from historylab.formats.messages.branching import join_texts, moment, paths
from historylab.formats.messages.chat_messages import pair_by_order
from historylab.formats.messages.kept_records import joined_source
from historylab.formats.messages.paths import each_path, on_the_way, value_at
from historylab.formats.messages.walker import text_at
from historylab.formats.shapes.shape import Shape

Join: TypeAlias = Callable[[Message, Message], "Message | None"]
"""Makes one message of two that follow each other; None where they stay two."""


def join_thoughts(before: Message, message: Message) -> Message | None:
    """The message with the thinking before it, which is part of the answer that it led to."""
    if not (before.role == message.role == "assistant" and only_thinks(before)):
        return None
    thought = join_texts(each.metadata.get("thinking", "") for each in (before, message))
    metadata = {**before.metadata, **message.metadata, "thinking": thought}
    return revise(message, metadata=metadata, source=joined_source(before, message))


class RecordTree:
    """The records of one conversation, each with its messages and with the record it follows.

    `rooted`: one that names a record that the file lacks begins a thread, as the first ones name such a one.
    """

    def __init__(self, shape: Shape, rooted: bool = False):
        self._shape, self._rooted = shape, rooted
        self._records: dict[Hashable, tuple[str, Any, list[Message], int]] = {}
        self._named: dict[Hashable, str | None] = {}  # the id of the one it follows; None: it says that it is the first
        self._joined: dict[tuple[int, int], Message] = {}  # by id() of both: threads share what is joined

    def add(self, where: str, item: Any, messages: list[Message]) -> None:
        """Add the next record of the file."""
        id = text_at(item, self._shape.id)
        key = id if id and id not in self._records else len(self._records)
        self._records[key] = where, item, messages, len(self._records)
        if self._shape.parent:
            self._named[key] = text_at(item, self._shape.parent) or (None if self._says_parent(item) else "")

    def ways(self, around: Sequence[Any], report: Report, by_time: bool = False) -> list[list[tuple[Any, Any]]]:
        """Each thread as its records with their keys: the conversation first, then its branches from new to old."""
        found = [[*self._records]]
        if self._shape.parent:

            def newest(key: Hashable) -> tuple[float, int]:
                _, item, _, place = self._records[key]
                return moment(value_at(item, self._shape.time)) if by_time else 0, place

            found = paths(self._parents(), newest, _current(around, self._records))
            offered = set[Hashable]().union(*found)
            for key, (where, _, messages, _) in self._records.items() if len(offered) < len(self._records) else ():
                if messages and key not in offered:
                    report.records -= 1  # counted as read
                    report.pass_over("a message on a branch older than those offered", where)
        return [[(key, self._records[key][1]) for key in way] for way in found]

    def thread(self, way: Sequence[tuple[Any, Any]], join: Join = join_thoughts) -> list[Message]:
        """The messages of a way, of which `join` makes one of two."""
        return pair_by_order(self._walk(way, join)[0])

    def stops(self, way: Sequence[tuple[Any, Any]], join: Join = join_thoughts) -> dict[Hashable, int]:
        """The key of each record of a way → the number of messages up to its end."""
        return self._walk(way, join)[1]

    def _walk(self, way: Sequence[tuple[Any, Any]], join: Join) -> tuple[list[Message], dict[Hashable, int]]:
        joined, stops = list[Message](), dict[Hashable, int]()
        for key, _ in way:
            for message in self._records[key][2]:
                if joined and (whole := join(joined[-1], message)):
                    joined[-1] = self._joined.setdefault((id(joined[-1]), id(message)), whole)
                else:
                    joined.append(message)
            stops[key] = len(joined)
        return joined, stops

    def _parents(self) -> dict[Hashable, Hashable | None]:
        """The record that each follows: the one before it where it names itself, or none that the file has."""
        parents: dict[Hashable, Hashable | None] = {}
        missing: dict[str, Hashable | None] = {}  # those that name the same one fork there
        before = None
        for key, named in self._named.items():
            if not named or named == key:
                parents[key] = before if named is not None else None
            elif named in self._records:
                parents[key] = named
            else:
                parents[key] = None if self._rooted else missing.setdefault(named, before)
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


def only_thinks(message: Message) -> bool:
    """Tell whether a message is nothing but thinking."""
    return bool(message.metadata.get("thinking")) and not (message.content or message.tool_calls or message.media)
