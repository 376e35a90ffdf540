"""The cuts of a Claude Code session: its compactions, what they preserved, and the results it cleared.

A compaction is a system record (`compact_boundary`) with the summary after it; what it preserved stands before it in
the file. A microcompaction clears the results of some calls when they are sent; the file keeps them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from historylab.conversation.message import Message, prompt_length
from historylab.conversation.sent import Range, RecordedCut, SentHistory, is_summary, ranges_of
from historylab.formats.messages.sent_view import cut_told, history_at, token_count
from historylab.formats.products.session_messages import ReadRecords
from historylab.formats.products.session_tree import (
    SessionRecord,
    ancestors,
    boundary_metadata,
    is_boundary,
    preserved_ids,
)

CLEARED = "[Old tool result content cleared]"


def session_cuts(read: Sequence[ReadRecords], messages: Sequence[Message], by: str) -> list[SentHistory]:
    """The histories sent on a path, one from each of its cuts on; `messages` are those of the path, in order, `by` is
    who made the cuts."""
    at, found, prompt = _Places(read, messages), list[SentHistory](), range(prompt_length(messages))
    for boundary in _boundaries(read):
        before = found[-1] if found else SentHistory(0)
        first = max(at.first_after(boundary), before.size)
        clears = boundary.value["subtype"] == "microcompact_boundary"
        if first >= len(messages) or (clears and not first):
            continue
        if clears:
            cleared = at.find_results(boundary_metadata(boundary.value).get("compactedToolIds"))
            now = _with_results_cleared(before, first, cleared, _cut(boundary, by))
        else:
            kept = [*prompt, *at.find_preserved(boundary, first)]
            now = _history_after(before, first, kept, at.find_summary(first), _cut(boundary, by), prompt)
        if found and now.size == before.size:
            found.pop()
        found.append(now)
    known = {each.summary for each in found}
    for i, message in enumerate(messages):  # older versions wrote no boundary
        if i and is_summary(message) and i not in known:
            found.append(_history_after(SentHistory(0), i, prompt, i, RecordedCut(by=by), prompt))
    return sorted(found, key=lambda each: each.size)


def _with_results_cleared(before: SentHistory, size: int, cleared: Sequence[int], cut: RecordedCut) -> SentHistory:
    """The history under the entry before, with these results cleared."""
    now = before if before.size == size else replace(history_at([before], size), cut=cut)
    return replace(now, shortened={**before.shortened, **dict.fromkeys(cleared, CLEARED)})


def _history_after(
    before: SentHistory, first: int, kept: Sequence[int], summary: int | None, cut: RecordedCut, prompt: range
) -> SentHistory:
    """The history after a compaction before message `first`: the summary and what came with it, and what it kept."""
    size = first if summary is None else summary + 1
    gone = sorted(set(range(first)) - set(kept))
    sent: tuple[Range, ...] = ((first, size),) if size > first else ()
    return SentHistory(
        max(size, 1),
        (*ranges_of(prompt), *sent, *ranges_of(kept[len(prompt) :])) if size else ((0, 1),),
        {i: text for i, text in before.shortened.items() if i in kept},
        ranges_of(gone) if summary is not None else (),
        summary,
        cut,
    )


def _boundaries(read: Sequence[ReadRecords]) -> list[SessionRecord]:
    """The compactions that a path passes, in file order."""
    newest = max((r for lines, _ in read for r in lines), key=lambda r: r.position, default=None)
    return sorted((r for r in ancestors(newest) if is_boundary(r.value)), key=lambda record: record.position)


class _Places:
    """The places of the records of a path among its messages."""

    def __init__(self, read: Sequence[ReadRecords], messages: Sequence[Message]):
        self._messages = messages
        self._records = {uuid: r for lines, _ in read for r in lines if isinstance(uuid := r.value.get("uuid"), str)}
        self._positions = [lines[0].position for lines, made in read for _ in made]
        self._indices: dict[int, range] = {}
        start = 0
        for lines, made in read:
            self._indices |= dict.fromkeys((r.position for r in lines), range(start, start + len(made)))
            start += len(made)

    def first_after(self, boundary: SessionRecord) -> int:
        """The first message of a record after that one."""
        after = (i for i, place in enumerate(self._positions) if place > boundary.position)
        return next(after, len(self._positions))

    def find_summary(self, first: int) -> int | None:
        """The summary that stands from there on, before anything that the model said to it."""
        for i in range(first, len(self._messages)):
            if is_summary(self._messages[i]):
                return i
            if self._messages[i].role == "assistant":
                return None
        return None

    def find_preserved(self, boundary: SessionRecord, first: int) -> list[int]:
        """The messages before the boundary that were sent on, ascending."""
        ids, head, tail, _ = preserved_ids(boundary.value)
        records = [self._records[each] for each in ids if each in self._records] if ids else self._between(head, tail)
        return sorted({i for record in records for i in self._indices[record.position] if i < first})

    def _between(self, head: str | None, tail: str | None) -> list[SessionRecord]:
        """The records from head to tail, as they follow each other."""
        found = list[SessionRecord]()
        for on in ancestors(self._records.get(tail or "")):
            found += [on] if on.position in self._indices else []
            if on.value.get("uuid") == head:
                return found
        return []

    def find_results(self, calls: Any) -> list[int]:
        """The messages that are results of these calls."""
        wanted = {call for call in calls if isinstance(call, str)} if isinstance(calls, list) else set()
        return [i for i, m in enumerate(self._messages) if m.role == "tool" and m.tool_call_id in wanted]


def _cut(boundary: SessionRecord, by: str) -> RecordedCut:
    told = boundary_metadata(boundary.value)
    cut = cut_told(by, told.get("preTokens"), told.get("postTokens"), told.get("trigger"))
    saved = token_count(told.get("tokensSaved"))
    computed = cut.after is None and cut.before is not None and saved is not None
    return replace(cut, after=max(0, (cut.before or 0) - (saved or 0))) if computed else cut
