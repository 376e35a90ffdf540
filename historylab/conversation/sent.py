"""The history as really sent: the part of a conversation that each request held, as its file records or shows it.

A reader that knows adds `sent_metadata(histories)`, one `SentHistory` per change, to the `Conversation.metadata`; none
where every request was sent whole. Between two of them a request sends what the one before says and all messages
since, so a session that was compacted once has one entry, and an app that sends its newest six messages has one per
request.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np

from historylab.conversation.message import COMPACT_SUMMARY, MOST_TOKENS, Message, ReadMessages, ToolCall, Usage
from historylab.conversation.usage import model_name, usage_held

SENT_HISTORIES = "sent_histories"
"""Key of `Conversation.metadata`: a list with an object per SentHistory, without what is at its default."""

CALL = ("id", "name", "arguments")

Range = tuple[int, int]
"""Messages from an index up to, not including, another."""


@dataclass(frozen=True, slots=True)
class RecordedCut:
    """The marker of a compaction, as the file has it: why, and the tokens it tells of before and after.

    `trigger` is "auto", "manual" or the program's own word. `after` is what the file tells, which may be of the
    messages alone. `by` names who cut. `inferred` is True where no marker says so. `usage` is that of the call that
    wrote the summary, by `model`, where the file has it apart from the conversation's own.
    """

    trigger: str | None = None
    before: int | None = None
    after: int | None = None
    by: str = ""
    inferred: bool = False
    usage: Usage | None = None
    model: str | None = None


@dataclass(frozen=True, slots=True)
class SentHistory:
    """The history sent by requests of at least `size` messages, up to the next entry: `sent`, and all from `size` on.

    Attributes:
        size: the history length, in messages, of the first request that it is about.
        sent: ranges of messages (all below `size`), and messages that are not in the conversation, in the order sent.
        shortened: the text that a message among them was sent with in place of its own (cleared, cut, rewritten).
        summarized: ranges of messages that a summary stands for: not sent themselves.
        summary: the conversation's message that is this summary; None where it is one of the messages in `sent` that
            are not in the conversation (marked by `as_summary`), or where there is none.
        cut: the marker of a compaction at this place; None for a change that is none.
        known: False where the file doesn't tell which messages were sent; `sent` is then the most that it can be.
        why: words for what isn't known, for that request.
    """

    size: int
    sent: tuple[Range | Message, ...] = ()
    shortened: Mapping[int, str] = field(default_factory=dict)
    summarized: tuple[Range, ...] = ()
    summary: int | None = None
    cut: RecordedCut | None = None
    known: bool = True
    why: str = ""

    def up_to(self, size: int) -> tuple[Range | Message, ...]:
        """The ranges and messages that a request of that length sends: `sent`, and all since."""
        last = self.sent[-1] if self.sent else None
        if size <= self.size:
            return self.sent
        if isinstance(last, tuple) and last[1] == self.size:
            return (*self.sent[:-1], (last[0], size))
        return (*self.sent, (self.size, size))


def sent_histories(conversation: ReadMessages) -> tuple[SentHistory, ...] | None:
    """The histories that were sent, in order; None if the file tells nothing of them. Impossible ones are left out.

    An edited conversation was never sent: `edits` leaves the key out.
    """
    return conversation.remember("sent histories", lambda: _read(conversation))


def held_by_request(
    conversation: ReadMessages, histories: Sequence[SentHistory]
) -> Iterator[tuple[np.ndarray, SentHistory]]:
    """Per request: bool[size], the messages it sent, and the entry that says so (of size 0 before any)."""
    at, size = SentHistory(0), conversation.columns.requests
    ahead = list(histories)
    for length in size.tolist():
        while ahead and ahead[0].size <= length:
            at = ahead.pop(0)
        yield _held_messages(at, length), at


def trimmed_requests(conversation: ReadMessages) -> Mapping[int, np.ndarray]:
    """The requests that were sent less than all before them, by history length: bool[size], the messages they held.

    What was only shown counts as held.
    """

    def find() -> dict[int, np.ndarray]:
        shown = np.array([message.shown_only for message in conversation], bool)
        held = held_by_request(conversation, sent_histories(conversation) or ())
        whole = ((mask | shown[: len(mask)], history) for mask, history in held)
        return {
            len(mask): mask for mask, history in whole if history.size and not (mask.all() and not history.shortened)
        }

    return conversation.remember("trimmed requests", find)


def _held_messages(history: SentHistory, size: int) -> np.ndarray:
    """bool[size]: the messages that a request of that length sends under an entry."""
    held = np.zeros(size, bool)
    for each in history.sent:
        if not isinstance(each, Message):
            held[each[0] : each[1]] = True
    held[history.size :] = True
    return held


def histories_around(histories: Sequence[SentHistory]) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Per entry: bool[size], what a request under the one before would have sent there, and what the first does."""
    for before, now in pairwise([SentHistory(0), *histories]):
        yield _held_messages(before, now.size), _held_messages(now, now.size)


def is_summary(sent: object) -> bool:
    """Tell whether it is a message that a program put in the place of others."""
    return isinstance(sent, Message) and bool(sent.metadata.get(COMPACT_SUMMARY))


def as_summary(message: Message) -> Message:
    """The message, marked as one that a program put in the place of others."""
    return replace(message, metadata={**message.metadata, COMPACT_SUMMARY: True})


def summaries_in(conversation: ReadMessages) -> frozenset[int]:
    """The messages that a program put in the place of others."""
    return conversation.remember("summaries", lambda: frozenset(i for i, m in enumerate(conversation) if is_summary(m)))


def _read(conversation: ReadMessages) -> tuple[SentHistory, ...] | None:
    given = conversation.metadata.get(SENT_HISTORIES)
    if not isinstance(given, list | tuple):
        return None
    size = len(conversation)
    read = map(_from_record, given)
    return tuple(sorted((one for one in read if one and _fits(one, size)), key=lambda one: one.size))


def sent_metadata(histories: Iterable[SentHistory]) -> dict[str, Any]:
    """The metadata of a conversation whose requests were sent so."""
    return {SENT_HISTORIES: [_to_record(one) for one in histories]}


def _to_record(one: SentHistory) -> dict[str, Any]:
    cut = {name: value for name, value in asdict(one.cut).items() if value not in (None, "", False)} if one.cut else {}
    record = {
        "size": one.size,
        "sent": [_message_record(each) if isinstance(each, Message) else list(each) for each in one.sent],
        "shortened": {str(i): text for i, text in one.shortened.items()},
        "summarized": [list(each) for each in one.summarized],
        "summary": one.summary,
        "why": one.why,
    }
    said = {name: value for name, value in record.items() if value not in (None, "", [], {})}
    return {**said, **({"cut": cut} if one.cut else {}), **({} if one.known else {"known": False})}


def _message_record(message: Message) -> dict[str, Any]:
    """A message that isn't in the conversation: its role, its text, its calls, and whether it is a summary."""
    record = {
        "role": message.role,
        "content": message.content,
        "tool_calls": [asdict(call) for call in message.tool_calls],
        "tool_call_id": message.tool_call_id,
        "metadata": {COMPACT_SUMMARY: True} if is_summary(message) else {},
    }
    return {name: value for name, value in record.items() if name in ("role", "content") or value}


def _fits(one: SentHistory, size: int) -> bool:
    """Tell whether all that the entry names is in a conversation of that many messages, and nothing twice."""
    ranges = sorted(each for each in one.sent if not isinstance(each, Message))
    apart = all(a[1] <= b[0] for a, b in pairwise(ranges))
    within = all(0 <= first < stop <= one.size for first, stop in (*ranges, *one.summarized))
    texts = all(0 <= i < size for i in one.shortened) and (one.summary is None or 0 <= one.summary < size)
    return 0 < one.size <= size and apart and within and texts


def _from_record(given: Any) -> SentHistory | None:
    """The entry that an object describes; None for anything else, as a file may say what it likes."""
    if not isinstance(given, Mapping) or type(size := given.get("size")) is not int:
        return None
    try:
        cut = given.get("cut")
        return SentHistory(
            size,
            tuple(map(_sent_from_record, given.get("sent") or ())),
            {int(i): str(text) for i, text in (given.get("shortened") or {}).items()},
            tuple(map(_range_from_record, given.get("summarized") or ())),
            _whole(given.get("summary")),
            _cut_from_record(cut) if isinstance(cut, Mapping) else None,
            given.get("known") is not False,
            str(given.get("why") or ""),
        )
    except (TypeError, ValueError, AttributeError, OverflowError):
        return None


def _sent_from_record(given: Any) -> Range | Message:
    if isinstance(given, Mapping):
        calls = (ToolCall(*(str(call.get(name) or "") for name in CALL)) for call in given.get("tool_calls") or ())
        answered = given.get("tool_call_id")
        return Message(
            str(given.get("role") or "user"),
            str(given.get("content") or ""),
            tool_calls=tuple(calls),
            tool_call_id=answered if isinstance(answered, str) else None,
            metadata={COMPACT_SUMMARY: True} if (given.get("metadata") or {}).get(COMPACT_SUMMARY) else {},
        )
    return _range_from_record(given)


def _range_from_record(given: Any) -> Range:
    first, stop = given
    if type(first) is not int or type(stop) is not int:
        raise TypeError("a range has two whole numbers")
    return first, stop


def _cut_from_record(given: Mapping[str, Any]) -> RecordedCut:
    trigger, by = given.get("trigger"), given.get("by")
    return RecordedCut(
        trigger if isinstance(trigger, str) else None,
        _whole(given.get("before")),
        _whole(given.get("after")),
        by if isinstance(by, str) else "",
        given.get("inferred") is True,
        usage_held(given.get("usage")),
        model_name(given.get("model")),
    )


def _whole(value: Any) -> int | None:
    return value if type(value) is int and 0 <= value <= MOST_TOKENS else None


def each_sent(sent: Iterable[Range | Message]) -> Iterator[int | Message]:
    """The messages of ranges one by one, by index, and those that are not in the conversation."""
    for each in sent:
        yield from (each,) if isinstance(each, Message) else range(*each)


def ranges_of(indices: Iterable[int]) -> tuple[Range, ...]:
    """Ascending indices as ranges."""
    found = list[Range]()
    for i in indices:
        if found and found[-1][1] == i:
            found[-1] = found[-1][0], i + 1
        else:
            found.append((i, i + 1))
    return tuple(found)
