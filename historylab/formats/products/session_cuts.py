"""The cuts of a Claude Code session: its compactions, what they preserved, and the results it cleared.

A compaction is a system record (`compact_boundary`) with the summary after it; what it preserved stands before it in
the file. A microcompaction clears the results of some calls when they are sent; the file keeps them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from historylab.conversation.message import MOST_TOKENS, Message
from historylab.conversation.sent import Range, RecordedCut, SentHistory, ranges_of
from historylab.formats.products.session_tree import SessionRecord

BY = "Claude Code"
CLEARED = "[Old tool result content cleared]"
BOUNDARIES = {"compact_boundary": "compact", "microcompact_boundary": "microcompact"}
"""Subtype of a system record → what its metadata's name begins with."""


def session_cuts(path: Sequence[SessionRecord], messages: Sequence[Message]) -> list[SentHistory]:
    """What the requests of a path were sent, from each of its cuts on; `messages` are those of the path."""
    at = _Places(path, messages)
    found = list[SentHistory]()
    for boundary in _boundaries(path):
        first = at.first_after(boundary)
        if first >= len(messages):
            continue
        before = found[-1] if found else SentHistory(0)
        if boundary.value.get("subtype") == "microcompact_boundary":
            cleared = at.find_results(_metadata(boundary).get("compactedToolIds"))
            texts = {**before.shortened, **dict.fromkeys(cleared, CLEARED)}
            found.append(SentHistory(first, _all_sent(before, first), texts, cut=_cut(boundary)))
            continue
        summary = first if messages[first].metadata.get("compact_summary") else None
        size = first if summary is None else first + 1
        kept = at.find_preserved(boundary, first)
        gone = sorted(set(range(first)) - set(kept))
        sent = [(first, size)] if size > first else []
        found.append(
            SentHistory(
                max(size, 1),
                (*sent, *ranges_of(kept)),
                summarized=ranges_of(gone) if summary is not None else (),
                summary=summary,
                cut=_cut(boundary),
            )
        )
    known = {each.summary for each in found}
    for i, message in enumerate(messages):  # older versions wrote no boundary
        if i and message.metadata.get("compact_summary") and i not in known:
            found.append(SentHistory(i + 1, ((i, i + 1),), summarized=((0, i),), summary=i, cut=RecordedCut(by=BY)))
    return sorted(found, key=lambda each: each.size)


def _boundaries(path: Sequence[SessionRecord]) -> list[SessionRecord]:
    """The boundaries that a path passes, in file order."""
    found, seen = list[SessionRecord](), set[int]()
    on: SessionRecord | None = max(path, key=lambda record: record.position)
    while on is not None and id(on) not in seen:
        seen.add(id(on))
        if on.value.get("type") == "system" and on.value.get("subtype") in BOUNDARIES:
            found.append(on)
        on = on.parent
    return sorted(found, key=lambda record: record.position)


def _all_sent(before: SentHistory, size: int) -> tuple[Range | Message, ...]:
    """What a request of that length sends under the entry before."""
    return (*before.sent, (before.size, size)) if before.size < size else before.sent


class _Places:
    """Where the records of a path stand among its messages."""

    def __init__(self, path: Sequence[SessionRecord], messages: Sequence[Message]):
        self._path, self._messages = path, messages
        position = dict[str, int]()
        self._message_id = dict[str, str]()
        for record in path:
            uuid = record.value.get("uuid")
            name = record.reply or (uuid if isinstance(uuid, str) else "")
            position.setdefault(name, record.position)
            if isinstance(uuid, str):
                self._message_id[uuid] = name
        self._positions, last = list[int](), -1
        self._indices: dict[str, list[int]] = {}
        for i, message in enumerate(messages):
            name = _whole_id(message.id)
            last = position.get(name, last)
            self._positions.append(last)
            self._indices.setdefault(name, []).append(i)

    def first_after(self, boundary: SessionRecord) -> int:
        """The first message of a record after that one."""
        after = (i for i, place in enumerate(self._positions) if place > boundary.position)
        return next(after, len(self._positions))

    def find_preserved(self, boundary: SessionRecord, first: int) -> list[int]:
        """The messages before the boundary that were sent on, ascending."""
        names = [self._message_id.get(uuid, uuid) for uuid in self._preserved_ids(_metadata(boundary))]
        return sorted({i for name in names for i in self._indices.get(name, ()) if i < first})

    def _preserved_ids(self, told: Mapping[str, Any]) -> Iterator[str]:
        listed, segment = told.get("preservedMessages"), told.get("preservedSegment")
        if isinstance(listed, Mapping):
            uuids = listed.get("uuids") or listed.get("allUuids")
            yield from (uuid for uuid in uuids if isinstance(uuid, str)) if isinstance(uuids, list) else ()
        elif isinstance(segment, Mapping):
            yield from self._between(segment.get("headUuid"), segment.get("tailUuid"))

    def _between(self, head: Any, tail: Any) -> Iterator[str]:
        """The ids of the records from head to tail, as they follow each other."""
        on = next((record for record in self._path if record.value.get("uuid") == tail), None)
        found, seen = list[str](), set[int]()
        while on is not None and id(on) not in seen:
            seen.add(id(on))
            uuid = on.value.get("uuid")
            found += [uuid] if isinstance(uuid, str) else []
            if uuid == head:
                yield from found
                return
            on = on.parent

    def find_results(self, calls: Any) -> list[int]:
        """The messages that are results of these calls."""
        wanted = {call for call in calls if isinstance(call, str)} if isinstance(calls, list) else set()
        return [i for i, m in enumerate(self._messages) if m.role == "tool" and m.tool_call_id in wanted]


def _whole_id(given: str | None) -> str:
    """The id of a record, of which one of several messages has a part's."""
    return (given or "").rpartition("/")[0] or given or ""


def _metadata(boundary: SessionRecord) -> dict[str, Any]:
    """What a boundary tells, by its names in a session's file; a stream writes them with underscores."""
    name = BOUNDARIES[boundary.value["subtype"]]
    given = boundary.value.get(f"{name}Metadata") or boundary.value.get(f"{name}_metadata")
    return {_camel(key): _camel_keys(value) for key, value in given.items()} if isinstance(given, dict) else {}


def _camel_keys(value: Any) -> Any:
    return {_camel(key): held for key, held in value.items()} if isinstance(value, dict) else value


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part[:1].upper() + part[1:] for part in rest)


def _cut(boundary: SessionRecord) -> RecordedCut:
    told = _metadata(boundary)
    trigger = told.get("trigger")
    before, after, saved = (_count(told.get(name)) for name in ("preTokens", "postTokens", "tokensSaved"))
    if after is None and before is not None and saved is not None:
        after = max(0, before - saved)
    return RecordedCut(trigger if isinstance(trigger, str) else None, before, after, BY)


def _count(value: Any) -> int | None:
    return value if type(value) is int and 0 <= value <= MOST_TOKENS else None
