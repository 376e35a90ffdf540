"""The newest branch of a Claude Code session: its records form a tree, of which one path was sent.

A record names its predecessor (`parentUuid`, across a compaction `logicalParentUuid`). Rewinds and resumes fork the
tree; parallel tool results look like forks but belong to one path. Of several ends the newest is followed: by time, or,
if a record is older than the one it follows, by position: then the clock was turned back. A record with an unknown
parent follows the previous record of its session. Subagents (`isSidechain`) are separate trees.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

from historylab.conversation.message import instant

CLOCK_SKEW = 5.0  # seconds a record may seem older than the one it follows: parallel writes overtake each other


@dataclass(slots=True, eq=False)
class Record:
    """One line: its location, its value, and whether it holds a message."""

    where: str
    value: dict[str, Any]
    usable: bool
    parent: Record | None = field(default=None, repr=False)

    @property
    def side(self) -> Any:
        """The subagent it belongs to (True if unnamed); False for the main conversation."""
        agent = self.value.get("agentId")
        return (agent if isinstance(agent, str) and agent else True) if self.value.get("isSidechain") else False

    @property
    def session(self) -> Any:
        found = self.value.get("sessionId")
        return found if isinstance(found, str) else None

    @property
    def blocks(self) -> list[dict[str, Any]]:
        """The content blocks of its message."""
        message = self.value.get("message")
        content = message.get("content") if isinstance(message, dict) else None
        return [b for b in content if isinstance(b, dict)] if isinstance(content, list) else []

    @property
    def reply(self) -> str | None:
        """The id of the model's reply it is part of."""
        found = self.value["message"].get("id") if self.usable and self.value.get("type") == "assistant" else None
        return found if isinstance(found, str) else None

    def ids(self, kind: str, key: str) -> set[str]:
        """The ids in its blocks of that kind: of calls made (`tool_use`) or answered (`tool_result`)."""
        return {found for b in self.blocks if b.get("type") == kind and isinstance(found := b.get(key), str)}


@dataclass(frozen=True, slots=True)
class Branch:
    """The records on the newest path of one conversation, in order, and the records of its other branches."""

    records: list[Record]
    aside: list[Record]


def branches(records: list[Record]) -> Iterator[Branch]:
    """One branch per tree, in file order. Linear in the number of records, even if links form cycles."""
    _link(records)
    positions = {id(record): i for i, record in enumerate(records)}
    trees: dict[int, list[Record]] = {}
    roots: dict[int, int] = {}
    for record in records:
        trees.setdefault(_root(record, roots), []).append(record)
    for tree in trees.values():
        usable = [record for record in tree if record.usable]
        if usable:
            path = _path(_newest(usable))
            chosen = _with_parallel(path, usable)
            chosen.sort(key=lambda record: positions[id(record)])
            inside = {id(record) for record in chosen}
            yield Branch(chosen, [record for record in usable if id(record) not in inside])


def _link(records: list[Record]) -> None:
    known: dict[str, Record] = {}
    for record in records:
        uuid = record.value.get("uuid")
        if isinstance(uuid, str) and (uuid not in known or not known[uuid].usable):
            known[uuid] = record
    last: dict[tuple[Any, Any], Record] = {}
    for record in records:
        named = [record.value.get(key) for key in ("parentUuid", "logicalParentUuid")]
        found = next((known[name] for name in named if isinstance(name, str) and name in known), None)
        if found is None or found is record or found.side != record.side:
            begins = record.side is True and not any(named) and "parentUuid" in record.value  # an unnamed subagent
            found = None if begins else last.get((record.side, record.session))
        record.parent = found
        last[record.side, record.session] = record


def _root(record: Record, roots: dict[int, int]) -> int:
    """The id() of the tree's first record. `roots` caches results; a cycle ends where it closes."""
    walked: list[int] = []
    on: Record | None = record
    while on is not None and id(on) not in roots:
        roots[id(on)] = id(on)
        walked.append(id(on))
        on = on.parent
    root = walked[-1] if on is None else roots[id(on)]
    roots.update(dict.fromkeys(walked, root))
    return root


def _newest(usable: list[Record]) -> Record:
    """The newest record that no other follows: by time, or by position where the clock has been turned back.

    A record without a time counts as new as the one before it, and of equal times the later position is the newer.
    """
    followed: set[int] = set()
    for record in usable:
        on = record.parent
        while on is not None and id(on) not in followed:
            followed.add(id(on))
            on = on.parent
    leaves = [i for i, record in enumerate(usable) if id(record) not in followed] or list(range(len(usable)))  # a cycle
    if any(_time(r) < _time(r.parent) - CLOCK_SKEW for r in usable if r.parent is not None):
        return usable[leaves[-1]]
    times = map(_time, usable)
    known = list(accumulate(times, lambda before, now: before if math.isnan(now) else now, initial=0.0))[1:]
    return usable[max(leaves, key=lambda i: (known[i], i))]


def _time(record: Record) -> float:
    given = record.value.get("timestamp")
    return instant(given) if isinstance(given, str) else math.nan


def _path(leaf: Record) -> list[Record]:
    path, seen = [], set()
    on: Record | None = leaf
    while on is not None and id(on) not in seen:
        seen.add(id(on))
        if on.usable:
            path.append(on)
        on = on.parent
    return path


def _with_parallel(path: list[Record], usable: list[Record]) -> list[Record]:
    """The path with records beside it that come from parallel calls: more lines of a reply, results of its calls."""
    inside = {id(record) for record in path}
    replies = {record.reply for record in path} - {None}
    chosen = path + [record for record in usable if id(record) not in inside and record.reply in replies]
    inside = {id(record) for record in chosen}
    called = {call for record in chosen for call in record.ids("tool_use", "id")}
    answered = {call for record in chosen for call in record.ids("tool_result", "tool_use_id")}
    for record in usable:
        results = record.ids("tool_result", "tool_use_id")
        if id(record) not in inside and results and results <= called - answered:
            chosen.append(record)
            answered |= results
    return chosen
