"""What was really sent: the part of a conversation that each request held, as its file records or shows it.

A reader that knows adds `sent_metadata(histories)`, one `SentHistory` per change, to the `Conversation.metadata`; none
where every request was sent whole. Between two of them a request sends what the one before says and all messages
since, so a session that was compacted once has one entry, and an app that sends its newest six messages has one per
request.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from typing import Any, Protocol, TypeVar

import numpy as np

from historylab.conversation.columns import Columns
from historylab.conversation.message import MOST_TOKENS, Message, ToolCall, Usage
from historylab.conversation.usage import model_name, usage_held, usage_of

T = TypeVar("T")

SENT_HISTORIES = "sent_histories"
"""Key of `Conversation.metadata`: a list with an object per SentHistory, without what is at its default."""

FALL = 0.75
"""A reported context below this share of the one before was cut.

Of 42 sessions that nothing compacted the largest fall is to 0.86, of six that were the smallest to 0.32.
"""
BACK = 0.85
"""A context that is as large again as this share, straight after a small one, shows that one was beside it: a title."""
SMALLEST = 4096
"""No program compacts a context smaller than this."""

CALL = ("id", "name", "arguments")

Range = tuple[int, int]
"""Messages from an index up to, not including, another."""


class ReadMessages(Protocol):
    """The part of a Conversation that is looked at here; it knows of this module, and not the other way round."""

    @property
    def metadata(self) -> Mapping[str, Any]: ...
    @property
    def columns(self) -> Columns: ...
    def __len__(self) -> int: ...
    def __getitem__(self, i: int, /) -> Message: ...
    def __iter__(self) -> Iterator[Message]: ...
    def remember(self, key: Hashable, make: Callable[[], T]) -> T: ...


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
    """What requests of at least `size` messages were sent, up to the next entry: `sent`, and all messages from `size`.

    Attributes:
        size: the history length, in messages, of the first request that it is about.
        sent: ranges of messages (all below `size`), and messages that are not in the conversation, in the order sent.
        shortened: the text that a message among them was sent with in place of its own (cleared, cut, rewritten).
        summarized: ranges of messages that a summary stands for: not sent themselves.
        summary: the conversation's message that is this summary; None where it is one of the messages in `sent` that
            are not in the conversation (its metadata has "compact_summary"), or where there is none.
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


@dataclass(frozen=True, slots=True)
class Compaction:
    """One cut of the history, by the agent or app that wrote the file.

    Attributes:
        request: the first request after it, from 0.
        trigger: "auto", "manual" or the program's own word; None where the file doesn't say.
        tokens_before: as the file tells, else the reported context of the request before; None if neither is known.
        tokens_after: the reported context of the first request after it, else what the file tells, or None.
        told_after: what the file itself tells of the size after it, perhaps of the messages alone; or None.
        dropped: the messages that went at this cut, by index.
        summary: the message that stands for them, or None.
        inferred: no marker says so: the reported context fell, or older messages are missing from the request.
        by: who cut, as far as the file says.
        usage: that of the call that wrote the summary, by `model`; None where the file doesn't have it.
    """

    request: int
    trigger: str | None
    tokens_before: int | None
    tokens_after: int | None
    told_after: int | None
    dropped: tuple[int, ...]
    summary: int | None
    inferred: bool
    by: str = ""
    usage: Usage | None = None
    model: str | None = None


def sent_histories(conversation: ReadMessages) -> tuple[SentHistory, ...] | None:
    """What the file says of the histories that were sent, in order; None if it says nothing. What can't be is left out.

    An edited conversation was never sent: `edits` leaves the key out.
    """
    return conversation.remember("sent histories", lambda: _read(conversation))


def compactions_of(conversation: ReadMessages) -> tuple[Compaction, ...]:
    """The cuts of a conversation, oldest first: those with a marker, and those its reported contexts show.

    A summary in place of messages is one; older messages that are missing from a request are one where more than a
    quarter of the text went at once, and else the window of an app, which moves at each request.
    """
    histories = sent_histories(conversation)
    if histories is None:
        return _infer_cuts(conversation)
    found, contexts = list[Compaction](), _contexts(conversation)
    for now, (before, after) in zip(histories, _histories_around(histories), strict=True):
        request = conversation.columns.requests.searchsorted(now.size).item()
        dropped = np.flatnonzero(before & ~after)
        if request >= len(contexts) or not (len(dropped) or now.cut):
            continue
        summarized = now.summary is not None or any(map(is_summary, now.sent)) or bool(now.summarized)
        if now.cut is None and not summarized and not _is_large(conversation, before, dropped):
            continue
        cut = now.cut or RecordedCut(inferred=True)
        found.append(
            Compaction(
                request,
                cut.trigger,
                cut.before if cut.before is not None else (contexts[request - 1] or None if request else None),
                contexts[request] or cut.after,
                cut.after,
                tuple(dropped.tolist()),
                now.summary,
                cut.inferred,
                cut.by,
                cut.usage,
                cut.model,
            )
        )
    return tuple(found)


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
    """The requests that were sent less than all before them, by history length: bool[size], the messages they held."""

    def find() -> dict[int, np.ndarray]:
        held = held_by_request(conversation, sent_histories(conversation) or ())
        return {
            len(mask): mask for mask, history in held if history.size and not (mask.all() and not history.shortened)
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


def _histories_around(histories: Sequence[SentHistory]) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Per entry: bool[size], what a request under the one before would have sent there, and what the first does."""
    for before, now in pairwise([SentHistory(0), *histories]):
        yield _held_messages(before, now.size), _held_messages(now, now.size)


def is_summary(sent: Range | Message) -> bool:
    """Tell whether it is a message that a program put in the place of others."""
    return isinstance(sent, Message) and bool(sent.metadata.get("compact_summary"))


def summaries_in(conversation: ReadMessages) -> frozenset[int]:
    """The messages that a program put in the place of others."""
    return conversation.remember("summaries", lambda: frozenset(i for i, m in enumerate(conversation) if is_summary(m)))


def _is_large(conversation: ReadMessages, before: np.ndarray, dropped: np.ndarray) -> bool:
    """Whether more than a quarter of the text went at once."""
    sizes = _text_sizes(conversation)
    return bool(sizes[dropped].sum() > (1 - FALL) * sizes[: len(before)][before].sum() and len(dropped) > 2)


def _text_sizes(conversation: ReadMessages) -> np.ndarray:
    """int64[messages]: characters of each, its calls included."""

    def count() -> np.ndarray:
        sizes = (len(m.content) + sum(len(c.arguments) for c in m.tool_calls) for m in conversation)
        return np.fromiter(sizes, np.int64, len(conversation))

    return conversation.remember("text sizes", count)


def _contexts(conversation: ReadMessages) -> list[int]:
    """The input tokens that the provider reported, per request; 0 where none are."""
    found = list[int]()
    for size in conversation.columns.requests.tolist():
        usage = None
        for i in range(size, len(conversation)):
            if conversation[i].role != "assistant":
                break
            usage = usage_of(conversation[i])
            if usage and usage.input + usage.cache_reads + usage.cache_writes:
                break
        found.append(usage.input + usage.cache_reads + usage.cache_writes if usage else 0)
    return found


def _infer_cuts(conversation: ReadMessages) -> tuple[Compaction, ...]:
    """Cuts that only the reported contexts show: which messages went isn't known."""
    known = [(request, tokens) for request, tokens in enumerate(_contexts(conversation)) if tokens]
    found, largest = list[Compaction](), 0
    for k, (request, tokens) in enumerate(known):
        falls = largest >= SMALLEST and tokens < FALL * largest
        beside = k + 1 < len(known) and known[k + 1][1] >= BACK * largest
        if falls and not beside:
            found.append(Compaction(request, None, known[k - 1][1], tokens, None, (), None, True))
        largest = tokens if falls and not beside else max(largest, tokens)
    return tuple(found)


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
        "metadata": {"compact_summary": True} if message.metadata.get("compact_summary") else {},
    }
    return {name: value for name, value in record.items() if name in ("role", "content") or value}


def _fits(one: SentHistory, size: int) -> bool:
    """Whether all that the entry names is in a conversation of that many messages, and nothing twice."""
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
            metadata={"compact_summary": True} if (given.get("metadata") or {}).get("compact_summary") else {},
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


def ranges_of(indices: Iterable[int]) -> tuple[Range, ...]:
    """Ascending indices as ranges."""
    found = list[Range]()
    for i in indices:
        if found and found[-1][1] == i:
            found[-1] = found[-1][0], i + 1
        else:
            found.append((i, i + 1))
    return tuple(found)
