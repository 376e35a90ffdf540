"""The cuts of a task: ranges that Cline left out of its requests, and summaries of Roo Code and Kilo Code.

Cline's screen names with every record the range of messages left out by then. Roo Code keeps what a summary stands for,
and what its window slid over, marked with the id of that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.sent import RecordedCut, as_summary, sent_metadata
from historylab.formats.messages.fields import list_in, object_in
from historylab.formats.messages.sent_view import SentView, cut_told
from historylab.formats.products.cline_screen import shown_kind

ROO = "Roo Code"
MARKS = {"isSummary", "condenseId", "condenseParent", "isTruncationMarker", "truncationId", "truncationParent"}
RANGE = "conversationHistoryDeletedRange"


def cut_task(
    read: Conversation, records: Sequence[Any], shown: Sequence[Any], requests: Mapping[int, Any]
) -> Conversation:
    """The conversation with what was sent; `requests` are those on the screen, by the record that answers them."""
    counts = [_count_messages(record) for record in records]
    if sum(counts) != len(read):
        return read
    view, summaries = SentView(), set[int]()
    told = (cut for _, _, cut in _cuts_shown(shown, "condense_context", "contextCondense"))
    ranges = _ranges_at(shown, requests)
    slides = _slides_at(shown, records)
    hidden, last = set[int](), None
    for i, record in enumerate(records):
        name = record.get("condenseId") if isinstance(record, dict) and record.get("isSummary") else None
        if isinstance(name, str):
            hidden |= _hidden_by(name, records[:i], "condenseParent")
            view.put(i + 1, [j for j in range(i + 1) if j not in hidden], next(told, RecordedCut(by=ROO)), summary=i)
            summaries.add(i)
        elif (left := ranges.get(i, last)) != last and left:
            kept = [j for j in range(i) if not left[0] <= j <= left[1] and j not in hidden]
            view.put(i, kept, RecordedCut(by="Cline"))
            last = left
        if slide := slides.get(i):
            hidden |= _hidden_by(slide[0], records[:i], "truncationParent")
            view.put(i, [j for j in range(i) if j not in hidden], slide[1])
    if not view.histories:
        return read
    starts = list(accumulate(counts, initial=0))
    marked = {starts[i + 1] - 1 for i in summaries}
    messages = [as_summary(message) if i in marked else message for i, message in enumerate(read)]
    return Conversation(messages, read.title, {**read.metadata, **sent_metadata(view.spread(counts))})


def _hidden_by(name: Any, records: Sequence[Any], field: str) -> set[int]:
    return {i for i, each in enumerate(records) if isinstance(each, dict) and each.get(field) == name}


def _count_messages(record: Any) -> int:
    """The number of messages that a record becomes: each result is one, and what is said beside them."""
    parts = list_in(record, "content") if isinstance(record, dict) else []
    results = [part for part in parts if isinstance(part, dict) and part.get("type") == "tool_result"]
    beside = any(part not in results and part not in ("", {"type": "text", "text": ""}) for part in parts)
    return len(results) + beside if results else int(isinstance(record, dict))


def _cuts_shown(shown: Sequence[Any], kind: str, field: str) -> Iterator[tuple[dict[str, Any], Any, RecordedCut]]:
    """The cuts of a kind that a screen shows: what it tells of each, the time, and the tokens before and after."""
    for record in shown:
        if shown_kind(record) == kind:
            told = object_in(record, field)
            yield told, record["ts"], cut_told(ROO, told.get("prevContextTokens"), told.get("newContextTokens"))


def _slides_at(shown: Sequence[Any], records: Sequence[Any]) -> dict[int, tuple[Any, RecordedCut]]:
    """Index of the answer after Roo Code slid its window, as its screen tells → the id of that, and the cut."""
    times = {i: each.get("ts") for i, each in enumerate(records) if isinstance(each, dict)}
    found = dict[int, tuple[Any, RecordedCut]]()
    for told, at, cut in _cuts_shown(shown, "sliding_window_truncation", "contextTruncation"):
        if type(at) is int and told.get("truncationId"):
            found[next((i for i, time in times.items() if type(time) is int and time > at), 0)] = (
                told["truncationId"],
                cut,
            )
    return found


def _ranges_at(shown: Sequence[Any], requests: Mapping[int, Any]) -> dict[int, tuple[int, int]]:
    """Index of an answer → the range that its request left out: what is shown after a request says so."""
    places = {id(each): place for place, each in enumerate(shown)}
    found = dict[int, tuple[int, int]]()
    for answer, request in requests.items():
        after = next((each for each in shown[places[id(request)] + 1 :] if shown_kind(each)), request)
        left = list_in(after, RANGE)
        if len(left) == 2 and all(type(each) is int for each in left) and 0 <= left[0] <= left[1] < answer:
            found[answer] = (left[0], left[1])
    return found
