"""The paths through a Claude Code session: its records form a tree, of which the newest path was sent last.

A record names its predecessor (`parentUuid`, across a compaction `logicalParentUuid`). Rewinds and resumes fork the
tree; parallel tool results look like forks but belong to one path. What a compaction preserved stands before it: what
follows that is linked to what it was sent after. Of several ends the newest is followed: by time, or,
if a record is older than the one it follows, by position: then the clock was turned back. A record with an unknown
parent follows the previous record of its session. Subagents (`isSidechain`) are separate trees. What stands in no
message of its own (attachments) ends no path: it goes with the messages between which it stands.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import accumulate, takewhile
from typing import Any

from historylab.conversation.message import instant
from historylab.formats.messages.branching import MOST_BRANCHES
from historylab.formats.messages.fields import as_list, object_in, text_in

BOUNDARIES = {"compact_boundary": "compact", "microcompact_boundary": "microcompact"}
"""Subtype of a system record that is a compaction → what its metadata's name begins with."""
CLOCK_SKEW = 5.0  # seconds a record may seem older than the one it follows: parallel writes overtake each other


@dataclass(slots=True, eq=False)
class SessionRecord:
    """One line: its location, its value, whether it holds a message, and the ids that place it in the tree.

    `rides`: it was sent as a message, and ends no path. `side` is the subagent it belongs to (True if unnamed), False
    for the main conversation; `reply` the id of the model's reply it is part of; `calls` and `answers` are the ids of
    calls it makes and answers.
    """

    where: str
    value: dict[str, Any]
    usable: bool
    position: int
    rides: bool = False
    side: Any = field(init=False)
    session: str | None = field(init=False)
    reply: str | None = field(init=False, default=None)
    calls: frozenset[str] = field(init=False, default=frozenset())
    answers: frozenset[str] = field(init=False, default=frozenset())
    parent: SessionRecord | None = field(init=False, default=None, repr=False)

    def __post_init__(self) -> None:
        value = self.value
        session, agent = value.get("sessionId", value.get("session_id")), value.get("agentId")
        task = value.get("parent_tool_use_id")
        self.session = session if isinstance(session, str) else None
        self.side = task if isinstance(task, str) and task else False
        if value.get("isSidechain"):
            self.side = agent if isinstance(agent, str) and agent else True
        message = value.get("message")
        if not self.usable or not isinstance(message, dict):
            return
        if value.get("type") == "assistant" and isinstance(message.get("id"), str):
            self.reply = message["id"]
        if isinstance(content := message.get("content"), list):
            self.calls = _ids(content, "tool_use", "id")
            self.answers = _ids(content, "tool_result", "tool_use_id")


def _ids(content: list[Any], kind: str, key: str) -> frozenset[str]:
    return frozenset(
        found for b in content if isinstance(b, dict) and b.get("type") == kind and isinstance(found := b.get(key), str)
    )


def is_boundary(value: Any) -> bool:
    """Tell whether a line is the record of a compaction."""
    kind, subtype = (value.get("type"), value.get("subtype")) if isinstance(value, dict) else (None, None)
    return kind == "system" and isinstance(subtype, str) and subtype in BOUNDARIES


def boundary_metadata(boundary: dict[str, Any]) -> dict[str, Any]:
    """The metadata of a compaction's record, by its names in a session's file; a stream's have underscores."""
    name = BOUNDARIES[boundary["subtype"]]
    told = _camel(boundary.get(f"{name}Metadata") or boundary.get(f"{name}_metadata"))
    return {key: _camel(held) or held for key, held in told.items()}


def _camel(given: Any) -> dict[str, Any]:
    """The fields of an object by their names in camel case."""
    fields = given.items() if isinstance(given, dict) else ()
    return {re.sub("_(.?)", lambda found: found[1].upper(), str(name)): held for name, held in fields}


def preserved_ids(boundary: dict[str, Any]) -> tuple[list[str], str | None, str | None, str | None]:
    """The ids of the records that a compaction preserved, all or none; the first's, the last's; and the anchor's.

    The anchor is the record, newer than the boundary, after which they were sent.
    """
    told = boundary_metadata(boundary)
    listed, segment = object_in(told, "preservedMessages"), object_in(told, "preservedSegment")
    ids = [each for each in as_list(listed.get("uuids") or listed.get("allUuids")) if isinstance(each, str)]
    head, tail = (ids[0], ids[-1]) if ids else (text_in(segment, "headUuid"), text_in(segment, "tailUuid"))
    return ids, head, tail, text_in(listed if listed.get("anchorUuid") else segment, "anchorUuid")


@dataclass(frozen=True, slots=True)
class Tree:
    """The records of one conversation: the newest path, other paths from new to old, and those on none of them."""

    newest: list[SessionRecord]
    others: list[list[SessionRecord]]
    aside: list[SessionRecord]


def trees(records: list[SessionRecord]) -> Iterator[Tree]:
    """The trees, in file order. A path takes time linear in the number of records, even if links form cycles."""
    _link(records)
    found: dict[int, list[SessionRecord]] = {}
    roots: dict[int, int] = {}
    for record in records:
        found.setdefault(_root(record, roots), []).append(record)
    for tree in found.values():
        if usable := [record for record in tree if record.usable]:
            yield _tree(usable, [record for record in tree if record.rides])


def _tree(usable: list[SessionRecord], riding: list[SessionRecord]) -> Tree:
    beside = _Beside(usable, riding)
    paths: list[list[SessionRecord]] = []
    covered: set[int] = set()
    for end in _ends(usable):
        if len(paths) > MOST_BRANCHES:
            break
        if id(end) not in covered:
            paths.append(beside.complete([record for record in ancestors(end) if record.usable]))
            covered.update(map(id, paths[-1]))
    return Tree(paths[0], paths[1:], [record for record in (*usable, *riding) if id(record) not in covered])


def _link(records: list[SessionRecord]) -> None:
    known: dict[str, SessionRecord] = {}
    for record in records:
        uuid = record.value.get("uuid")
        if isinstance(uuid, str) and (uuid not in known or not known[uuid].usable):
            known[uuid] = record
    last: dict[tuple[Any, Any], SessionRecord] = {}
    tails: dict[str, str | None] = {}  # the last record that a compaction preserved → the one that it was sent after
    for record in records:
        named = [record.value.get(key) for key in ("parentUuid", "logicalParentUuid")]
        found = next((known[name] for name in named if isinstance(name, str) and name in known), None)
        if found is None or found is record or found.side != record.side:
            begins = record.side is True and not any(named) and "parentUuid" in record.value  # an unnamed subagent
            found = None if begins else last.get((record.side, record.session))
        elif found.value.get("uuid") in tails and not is_boundary(record.value):
            anchor = known.get(tails[found.value["uuid"]] or "")
            after = anchor is not None and found.position < anchor.position < record.position
            found = anchor if after else last.get((record.side, record.session), found)
        if is_boundary(record.value):
            _, _, tail, anchored = preserved_ids(record.value)
            tails |= {tail: anchored} if tail else {}
        record.parent = found
        last[record.side, record.session] = record


def _root(record: SessionRecord, roots: dict[int, int]) -> int:
    """The id() of the tree's first record, or of one known. `roots` caches results; a cycle ends where it closes."""
    walked: list[int] = []
    on: SessionRecord | None = record
    while on is not None and id(on) not in roots:
        roots[id(on)] = id(on)
        walked.append(id(on))
        on = on.parent
    root = walked[-1] if on is None else roots[id(on)]
    roots.update(dict.fromkeys(walked, root))
    return root


def _ends(usable: list[SessionRecord]) -> list[SessionRecord]:
    """The records that no other follows, newest first: by time, or by position where the clock has been turned back.

    A record without a time counts as new as the one before it, and of equal times the later position is the newer.
    """
    followed: set[int] = set()
    for record in usable:
        deque(ancestors(record.parent, followed), 0)
    leaves = [i for i, record in enumerate(usable) if id(record) not in followed] or list(range(len(usable)))  # a cycle
    if len(leaves) > 1:
        back = any(_time(r) < _time(r.parent) - CLOCK_SKEW for r in usable if r.parent is not None)
        times = map(_time, usable)
        known = list(accumulate(times, lambda before, now: before if math.isnan(now) else now, initial=0.0))[1:]
        leaves.sort(key=lambda i: (0.0 if back else known[i], i), reverse=True)
    return [usable[i] for i in leaves]


def _time(record: SessionRecord) -> float:
    given = None if record.rides else record.value.get("timestamp")  # one typed early is sent late
    return instant(given) if isinstance(given, str) else math.nan


def ancestors(record: SessionRecord | None, seen: set[int] | None = None) -> Iterator[SessionRecord]:
    """The record and those before it, as far as they aren't among those seen; they are from then on."""
    seen = set() if seen is None else seen
    on = record
    while on is not None and id(on) not in seen:
        seen.add(id(on))
        yield on
        on = on.parent


def _before(record: SessionRecord, seen: set[int]) -> Iterator[SessionRecord]:
    """The records between this one and the message before it, as far as they aren't among those seen."""
    return takewhile(lambda on: not on.usable, ancestors(record.parent, seen))


class _Beside:
    """Finds the records beside a path: more lines of a reply, results of parallel calls, and what was sent along."""

    def __init__(self, usable: list[SessionRecord], riding: Iterable[SessionRecord]):
        self.lines: defaultdict[str, list[SessionRecord]] = defaultdict(list)
        self.results: defaultdict[str, list[SessionRecord]] = defaultdict(list)
        for record in usable:
            if record.reply:
                self.lines[record.reply].append(record)
            for call in record.answers:
                self.results[call].append(record)
        self.trailing: defaultdict[int, list[SessionRecord]] = defaultdict(list)
        followed = set[int]()
        for record in usable:
            deque(_before(record, followed), 0)
        hosts = {id(record): id(record) for record in usable}
        for record in riding:
            if id(record) not in followed:
                self.trailing[_root(record, hosts)].append(record)

    def complete(self, path: list[SessionRecord]) -> list[SessionRecord]:
        """The path with those records, in file order."""
        chosen = {id(record): record for record in path}
        for record in path:
            chosen.update((id(line), line) for line in self.lines.get(record.reply or "", ()))
        open_calls = {call for record in chosen.values() for call in record.calls}
        open_calls -= {call for record in chosen.values() for call in record.answers}
        offered = {id(record): record for call in open_calls for record in self.results.get(call, ())}
        for record in sorted(offered.values(), key=lambda record: record.position):
            if id(record) not in chosen and record.answers <= open_calls:
                chosen[id(record)] = record
                open_calls -= record.answers
        seen = set[int]()
        for record in [*chosen.values()]:
            along = [each for each in _before(record, seen) if each.rides] + self.trailing.get(id(record), [])
            chosen.update((id(each), each) for each in along)
        return sorted(chosen.values(), key=lambda record: record.position)
