"""The cuts that records beside the messages tell of: a summary, and what was sent on beside it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from historylab.conversation.message import MOST_TOKENS, Message, prompt_length
from historylab.conversation.sent import RecordedCut, SentHistory, as_summary
from historylab.formats.messages.paths import Paths, holds, value_at
from historylab.formats.messages.sent_view import SentView, find_messages, record_places
from historylab.formats.messages.walker import text_at
from historylab.formats.shapes.shape import Shape

Stops: TypeAlias = "Mapping[Hashable, int]"
"""The key of each record → the number of messages up to its end."""


def find_cuts(
    shape: Shape, records: Iterable[tuple[Any, Any]], messages: Sequence[Message], stops: Stops, by: str
) -> list[SentHistory]:
    """The histories sent after the cuts among the records of a path, each with its key; `by` made them."""
    if sent := shape.cuts.get("sent"):
        return _find_marked(shape, sent, records, messages, by)
    if "kept" not in shape.cuts:
        return _find_summed(shape, records, messages, stops, by)
    view, size, places = SentView(), 0, record_places(messages)
    for name, record in records:
        if held := places.get(str(name)):
            size = held.stop
            continue
        summary = text_at(record, shape.cuts.get("summary", ""))
        kept = places.get(text_at(record, shape.cuts.get("kept", "")))
        if summary and kept and kept.start < size:
            before = value_at(record, shape.cuts.get("before", ""))
            told = before if type(before) is int and 0 <= before <= MOST_TOKENS else None
            order = [*range(prompt_length(messages)), as_summary(Message("user", summary)), *range(kept.start, size)]
            view.put(size, list(dict.fromkeys(order)), RecordedCut(before=told, by=by))
    return view.histories


def find_restated(
    shape: Shape,
    around: Iterable[Any],
    stops: Sequence[int],
    messages: Sequence[Message],
    by: str,
    read: Callable[[list[Any]], list[Message]],
) -> list[SentHistory]:
    """The histories that objects around a list say were sent in place of its first records, which end at `stops`."""
    view, prompt = SentView(), range(prompt_length(messages))
    for each in around:
        size, given = value_at(each, shape.cuts["size"]), value_at(each, shape.cuts["history"])
        if type(size) is int and 0 < size <= len(stops) and isinstance(given, list):
            stop = stops[size - 1]
            found = find_messages(read(given), messages[:stop])
            put = [as_summary(m) if isinstance(m, Message) and m.injected else m for m in found.order]
            order = [*prompt, *(m for m in put if m not in prompt)]
            view.put(stop, order, RecordedCut(by=by), shortened=found.shortened)
    return view.histories


def _find_summed(
    shape: Shape, records: Iterable[tuple[Any, Any]], messages: Sequence[Message], stops: Stops, by: str
) -> list[SentHistory]:
    """The histories sent after records with a summary that stands for them and for all before."""
    view = SentView()
    for name, record in records:
        if summary := text_at(record, shape.cuts.get("summary", "")):
            order = [*range(prompt_length(messages)), as_summary(Message("user", summary))]
            view.put(stops[name], order, RecordedCut(by=by))
    return view.histories


def _find_marked(
    shape: Shape, sent: Paths, records: Iterable[tuple[Any, Any]], messages: Sequence[Message], by: str
) -> list[SentHistory]:
    """The histories sent after summaries whose program marks what they stand for, and lets the model answer them."""
    view, places, gone, put = SentView(), record_places(messages), set[int](), set[int]()
    for name, record in records:
        held = places.get(str(name), range(0))
        gone.update(held if value_at(record, sent) is False else ())
        put.update(held if holds(record, shape.injected) else ())
    for i in sorted(put):
        if messages[i].role == "user" and i + 1 in put and messages[i + 1].role == "assistant":
            order = [j for j in range(i + 1) if j == i or j not in gone]
            view.put(i + 1, order, RecordedCut(by=by), summary=i)
    return view.histories
