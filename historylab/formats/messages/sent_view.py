"""The history that a program sends, where its file says how the program changed it: by compactions, step by step."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any, TypeAlias

from historylab.conversation.message import MOST_TOKENS, Message
from historylab.conversation.sent import (
    Range,
    RecordedCut,
    SentHistory,
    as_summary,
    each_sent,
    is_summary,
    ranges_of,
    sent_metadata,
)

Sent: TypeAlias = int | Message
"""A message by its index, or one that is not in the conversation."""
UNREADABLE = as_summary(Message("system", "[a compaction that only the provider can read]"))
"""Stands for a compaction that is encrypted."""
NOT_READABLE = "only the provider can read what the compaction before it holds"


class SentView:
    """The view that requests have of messages that are only appended; `histories` has an entry per change, in order."""

    def __init__(self, histories: Iterable[SentHistory] = ()):
        self.histories = list(histories)

    def at(self, size: int) -> list[Sent]:
        """The messages that a request holds when there are so many, in the order sent."""
        last = self.histories[-1] if self.histories else SentHistory(0)
        return list(each_sent(last.up_to(size)))

    @property
    def metadata(self) -> dict[str, Any]:
        """The metadata of a conversation that was sent so; none where nothing changed."""
        return sent_metadata(self.histories) if self.histories else {}

    @property
    def shortened(self) -> Mapping[int, str]:
        """Messages that are sent with another text than their own."""
        return self.histories[-1].shortened if self.histories else {}

    def put(
        self,
        size: int,
        order: Sequence[Sent],
        cut: RecordedCut | None,
        *,
        summary: int | None = None,
        shortened: Mapping[int, str] | None = None,
    ) -> None:
        """From so many messages on `order` is sent, and what follows; the summary stands for what is gone.

        A summary that isn't in the conversation is a message in `order`, marked by `as_summary`. Texts that were
        `shortened` stay so if none are given. What one holds that only its provider can read isn't known. A
        change at the same place replaces the one before, and keeps its cut.
        """
        held = {each for each in order if not isinstance(each, Message)}
        made = summary is not None or any(map(is_summary, order))
        gone = [i for i in self.at(size) if not isinstance(i, Message) and i not in held and i != summary]
        texts = {i: text for i, text in (self.shortened if shortened is None else shortened).items() if i in held}
        why = NOT_READABLE if UNREADABLE in order else ""
        summed = ranges_of(sorted(gone)) if made else ()
        now = SentHistory(size, in_ranges(order), texts, summed, summary, cut, not why, why)
        if self.histories and self.histories[-1].size == size:
            last = self.histories.pop()
            stood = [i for each in last.summarized for i in range(*each)]
            now = replace(now, summarized=ranges_of(sorted({*gone, *stood})) if made else (), cut=cut or last.cut)
        if size > 0:
            self.histories.append(now)

    def take_back(self, size: int) -> SentView:
        """The view of a history that goes back to so many messages."""
        return SentView(each for each in self.histories if each.size <= size)

    def spread(self, counts: Iterable[int]) -> list[SentHistory]:
        """The entries of a conversation in which each of these became so many messages, or none."""
        starts = list(accumulate(counts, initial=0))
        found = (_spread(each, starts) for each in self.histories)
        return [each for each in found if each.size]


def token_count(value: Any) -> int | None:
    """The value, if it is a possible count of tokens."""
    return int(value) if type(value) in (int, float) and 0 <= value <= MOST_TOKENS else None


def cut_told(by: str, before: Any = None, after: Any = None, trigger: Any = None) -> RecordedCut:
    """A cut as a file tells of it; what is no count of tokens, and no word for why, isn't told."""
    return RecordedCut(trigger if isinstance(trigger, str) else None, token_count(before), token_count(after), by)


def in_ranges(order: Iterable[Sent]) -> tuple[Range | Message, ...]:
    """Messages in their order, runs of them as ranges."""
    found, run = list[Range | Message](), list[int]()
    for each in order:
        if isinstance(each, Message):
            found += [*ranges_of(run), each]
            run = []
        else:
            run.append(each)
    return (*found, *ranges_of(run))


def history_at(histories: Sequence[SentHistory], size: int) -> SentHistory:
    """The history of a request of that length by the last entry up to it, without the cut, which is that entry's."""
    before = max((each for each in histories if each.size <= size), key=lambda each: each.size, default=SentHistory(0))
    return replace(before, size=size, sent=before.up_to(size), summarized=(), summary=None, cut=None)


def shorten_from(histories: Sequence[SentHistory], size: int, texts: Mapping[int, str]) -> list[SentHistory]:
    """The entries, where from so many messages on these are sent with other texts."""
    before = [each for each in histories if each.size < size]
    after = [replace(each, shortened={**texts, **each.shortened}) for each in histories if each.size >= size]
    if not after or after[0].size > size:
        now = history_at(before, size)
        after.insert(0, replace(now, shortened={**now.shortened, **texts}))
    return [*before, *after]


def _spread(one: SentHistory, starts: Sequence[int]) -> SentHistory:
    ranges = [each if isinstance(each, Message) else (starts[each[0]], starts[each[1]]) for each in one.sent]
    summed = [(starts[first], starts[stop]) for first, stop in one.summarized]
    there = {i for i in range(len(starts) - 1) if starts[i] < starts[i + 1]}
    return replace(
        one,
        size=starts[one.size],
        sent=tuple(each for each in ranges if isinstance(each, Message) or each[0] < each[1]),
        shortened={starts[i]: text for i, text in one.shortened.items() if i in there},
        summarized=tuple(each for each in summed if each[0] < each[1]),
        summary=starts[one.summary] if one.summary in there else None,
    )


def record_places(messages: Sequence[Message]) -> dict[str, range]:
    """Id of a record → the messages made of it: results, which have none, belong to the message before."""
    places, name = dict[str, range](), ""
    for i, message in enumerate(messages):
        name = message.id.partition("/")[0] if message.id else name
        places[name] = range(places[name].start if name in places else i, i + 1)
    return places


@dataclass(frozen=True, slots=True)
class FoundMessages:
    """The messages of a history among those of a conversation: each by its index, else itself; other texts apart."""

    order: list[Sent]
    shortened: dict[int, str]


def find_messages(history: Sequence[Message], messages: Sequence[Message]) -> FoundMessages:
    """Find the messages of a history by what they say, of equal ones the newest in order; else by an id, or a call's.

    The newest message is the surest, so it goes from the end back; what stands elsewhere than in order is found last.
    """
    places, named = defaultdict[Hashable, list[int]](list), dict[Hashable, int]()
    for i, message in enumerate(messages):
        places[_words(message)].append(i)
        named[_name(message)] = i
    bound, taken, at = len(messages), set[int](), dict[int, int]()
    for k in range(len(history) - 1, -1, -1):
        known = places.get(_words(history[k]), [])
        if before := bisect_left(known, bound):
            bound = at[k] = known[before - 1]
            taken.add(bound)
    shortened = dict[int, str]()
    for k, message in enumerate(history):
        if k in at:
            continue
        elsewhere = next((i for i in places.get(_words(message), ()) if i not in taken), None)
        if elsewhere is None and (name := _name(message)) and named.get(name) not in taken:
            elsewhere = named.get(name)
            shortened |= {} if elsewhere is None else {elsewhere: message.content}
        if elsewhere is not None:
            at[k] = elsewhere
            taken.add(elsewhere)
    return FoundMessages([at.get(k, message) for k, message in enumerate(history)], shortened)


def _name(message: Message) -> Hashable:
    """The id of a message, of a result that of its call; None without one."""
    name = message.tool_call_id if message.role == "tool" else message.id
    return (message.role, name) if name else None


def _words(message: Message) -> Hashable:
    calls = tuple((call.id, call.name, call.arguments) for call in message.tool_calls)
    return message.role, message.content, calls, message.tool_call_id, len(message.media)
