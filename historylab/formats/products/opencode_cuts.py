"""The cuts of an OpenCode session: its compactions, and the results that it cleared.

A compaction is a user's message with such a part, and the answer after it, marked as its summary; what stands from
`tail_start_id` on was kept. In OpenCode 2 it is one record with the summary. A cleared result has the time of it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from historylab.conversation.message import Message, instant
from historylab.conversation.sent import RecordedCut, as_summary, sent_metadata
from historylab.formats.messages.chat_messages import iso_time
from historylab.formats.messages.fields import list_in, object_in, text_in
from historylab.formats.messages.sent_view import SentView, record_places
from historylab.formats.products.session_cuts import CLEARED

BY = "OpenCode"
COMPACTION, COMPACTED, SUMMARY = "compaction", "compacted", "summary"
"""Parts: a compaction that the answer after it sums up, one whose summary it stands beside, and that answer's mark."""
MARKS = (COMPACTED, SUMMARY)


def cuts_of(messages: Sequence[Message], records: Sequence[Mapping[str, Any]]) -> tuple[list[Message], dict[str, Any]]:
    """The messages, with summaries marked as such, and the metadata of what was sent."""
    marked, view, places = list(messages), SentView(), record_places(messages)
    cleared = sorted(_cleared_from(messages, records, places).items())
    for i, record in enumerate(records):
        told, summary = _compaction(record, records[i + 1 : i + 3])
        held = places.get(str(summary.get("id")))
        if told is None or not held:
            continue
        cleared = _clear(view, cleared, held.stop)
        marked[held.start] = as_summary(marked[held.start])
        asked = places.get(str(record.get("id")), held)
        tail = places.get(text_in(told, "tail_start_id") or "", asked)
        order = dict.fromkeys((*asked, *held, *range(tail.start, asked.start)))
        trigger = text_in(told, "reason") or ("auto" if told.get("auto") else "manual")
        view.put(held.stop, list(order), RecordedCut(trigger, by=BY), summary=held.start)
    _clear(view, cleared, len(messages))
    return marked, sent_metadata(view.histories) if view.histories else {}


def _compaction(record: Mapping[str, Any], after: Sequence[Mapping[str, Any]]) -> tuple[Any, Mapping[str, Any]]:
    """The marker of a compaction and the record with its summary; None and nothing of any other record."""
    if told := _part(record, COMPACTED):
        return told, record
    answer = next((each for each in after if each.get("role") == "assistant"), {})
    told = _part(record, COMPACTION)
    return (told, answer) if told and _part(answer, SUMMARY) else (None, {})


def _part(record: Mapping[str, Any], kind: str) -> dict[str, Any] | None:
    parts = (part for part in list_in(record, "parts") if isinstance(part, dict))
    return next((part for part in parts if part.get("type") == kind), None)


def _cleared_from(
    messages: Sequence[Message], records: Sequence[Mapping[str, Any]], places: Mapping[str, range]
) -> dict[int, list[int]]:
    """Index of the first message after results were cleared → these results."""
    times = [instant(message.timestamp) for message in messages]
    found: dict[int, list[int]] = {}
    for record in records:
        for part in list_in(record, "parts"):
            if not isinstance(part, dict) or math.isnan(since := instant(iso_time(_time_cleared(part)))):
                continue
            size = next((i for i, time in enumerate(times) if time > since), len(messages))
            call = text_in(part, "callID") or text_in(part, "id")
            held = places.get(str(record.get("id")), ())
            found.setdefault(size, []).extend(i for i in held if messages[i].tool_call_id == call)
    return {size: results for size, results in found.items() if results}


def _time_cleared(part: Mapping[str, Any]) -> Any:
    return object_in(object_in(part, "state"), "time").get("compacted") or object_in(part, "time").get("pruned")


def _clear(view: SentView, cleared: list[tuple[int, list[int]]], until: int) -> list[tuple[int, list[int]]]:
    """Put what was cleared before so many messages into the view; what remains."""
    for size, results in cleared:
        if size < until:
            texts = {**view.shortened, **dict.fromkeys(results, CLEARED)}
            view.put(size, view.at(size), RecordedCut("auto", by=BY), shortened=texts)
    return [each for each in cleared if each[0] >= until]
