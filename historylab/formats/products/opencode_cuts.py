"""The cuts of an OpenCode session: its compactions, and the results that it cleared.

A compaction is a user's message with such a part, and the answer after it, marked as its summary; what stands from
`tail_start_id` on was kept. In OpenCode 2 it is one record with the summary. A cleared result has the time of it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate
from math import isnan
from typing import Any

from historylab.conversation.message import Message, instant
from historylab.conversation.sent import RecordedCut, as_summary
from historylab.formats.messages.chat_messages import iso_time
from historylab.formats.messages.fields import objects_under, text_in
from historylab.formats.messages.paths import value_at
from historylab.formats.messages.sent_view import SentView, record_places
from historylab.formats.products.session_cuts import CLEARED

BY = "OpenCode"
COMPACTION, COMPACTED, SUMMARY = "compaction", "compacted", "summary"
"""Parts: a compaction that the answer after it sums up, one whose summary it stands beside, and that answer's mark."""
MARKS = (COMPACTED, SUMMARY)


def cuts_of(messages: Sequence[Message], records: Sequence[Mapping[str, Any]]) -> tuple[list[Message], dict[str, Any]]:
    """The messages, with summaries marked as such, and the metadata of what was sent."""
    marked, view, places = list(messages), SentView(), record_places(messages)
    compactions, cleared = _compactions(records, places), _cleared_from(messages, records, places)
    for size in sorted({*compactions, *cleared}):
        if size in compactions:
            summary, order, cut = compactions[size]
            marked[summary] = as_summary(marked[summary])
            view.put(size, order, cut, summary=summary)
        if size in cleared:
            texts = {**view.shortened, **dict.fromkeys(cleared[size], CLEARED)}
            view.put(size, view.at(size), RecordedCut("auto", by=BY), shortened=texts)
    return marked, view.metadata


def _compactions(
    records: Sequence[Mapping[str, Any]], places: Mapping[str, range]
) -> dict[int, tuple[int, list[int], RecordedCut]]:
    """Index of the first message after a compaction → its summary, what was sent then, and the cut."""
    found: dict[int, tuple[int, list[int], RecordedCut]] = {}
    for i, record in enumerate(records):
        told, summary = _part(record, COMPACTED), record
        if told is None and (told := _part(record, COMPACTION)):
            summary = next((each for each in records[i + 1 : i + 3] if each.get("role") == "assistant"), {})
            told = told if _part(summary, SUMMARY) else None
        held = places.get(str(summary.get("id")))
        if told is not None and held:
            asked = places.get(str(record.get("id")), held)
            tail = places.get(text_in(told, "tail_start_id") or "", asked)
            order = list(dict.fromkeys((*asked, *held, *range(tail.start, asked.start))))
            trigger = text_in(told, "reason") or ("auto" if told.get("auto") else "manual")
            found[held.stop] = held.start, order, RecordedCut(trigger, by=BY)
    return found


def _part(record: Mapping[str, Any], kind: str) -> dict[str, Any] | None:
    return next((part for part in objects_under(record, "parts") if part.get("type") == kind), None)


def _cleared_from(
    messages: Sequence[Message], records: Sequence[Mapping[str, Any]], places: Mapping[str, range]
) -> dict[int, list[int]]:
    """Index of the first message after results were cleared → these results."""
    times = [instant(message.timestamp) for message in messages]
    reached = list(accumulate((0 if isnan(time) else time for time in times), max))
    found: dict[int, list[int]] = {}
    for record in records:
        for part in objects_under(record, "parts"):
            since = instant(iso_time(value_at(part, ("state.time.compacted", "time.pruned"))))
            if isnan(since):  # as of most parts
                continue
            size = bisect_right(reached, since)
            call = text_in(part, "callID") or text_in(part, "id")
            held = [i for i in places.get(str(record.get("id")), ()) if messages[i].tool_call_id == call]
            if held and size < len(messages):
                found.setdefault(size, []).extend(held)
    return found
