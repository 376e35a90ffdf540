"""A chat and the caller's objects that it was read from: what of a request is known, and what is new.

Objects that come back are compared by identity, others by value, and what differs by what it says: a cache marker that
moved is no edit.
"""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections.abc import Sequence
from typing import Any, Protocol

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.planning.chat import Chat, same_messages
from historylab.planning.kept import KeptTimes
from historylab.planning.strategies.returned import read_summary

Groups = Sequence[tuple[int, Sequence[Message]]]
"""Items that are read apart from all others: how many they are, and their messages."""


class Reader(Protocol):
    """Reads the items of one API's requests."""

    def read(self, items: Sequence[Any], at: int) -> Groups:
        """The messages of items, in groups. Raises LoadError for what is none, counted from `at`."""
        ...


class KnownChat:
    """A chat, its leading items (system messages, which may be others at every request) and its other items."""

    def __init__(self, chat: Chat, wording: str, times: KeptTimes | None = None):
        self.chat, self.lock = chat, threading.Lock()
        self._times = times  # where a plan depends on them
        self.items: list[Any] = []  # as they were given last
        self._read: list[Any] = []  # those they were read from, of the same value
        self._places: dict[int, int] = {}  # of these, by their ids
        self._ends: list[tuple[int, int]] = []  # after each group: its items and its messages, with all before
        self._led: list[tuple[Any, Any]] = []  # the leading items: as they were read, and as they were given last
        self._systems = 0  # messages that these are
        self._wording = wording  # of a summary's heading

    def go_on(self, leading: list[Any], items: list[Any], reader: Reader) -> KnownChat:
        """The chat brought up to these items: itself if they go on from its own, else one that shares its beginning."""
        same = same_beginning(self.items, items)
        extends = same == len(self.items)
        groups = bisect_right(self._ends, same, key=lambda end: end[0])
        if extends and groups:
            groups -= 1  # the newest may go on in what is new
        begins, said = self._ends[groups - 1] if groups else (0, 0)
        read = reader.read(items[begins:], len(leading) + begins)
        new = [message for _, messages in read for message in messages]
        times = self._times and self._times.first(said)
        new = times.given(new) if times else new
        known = self.chat.conversation[self._systems + said :]
        equal = same_messages(known, new)
        chat = self if extends or equal == len(known) else self._fork()
        kept = said + (equal if extends else 0)  # the others have the caller's new objects
        chat._times = times
        chat._know(items, same if extends else begins, groups, read)
        conversation, same_leading = chat._led_by(leading, reader)
        if chat._systems + kept < len(conversation):
            conversation = conversation.beginning(chat._systems + kept)
        conversation = conversation.followed_by(new[kept - said :])
        chat.chat.go_on(conversation, chat._systems + said + equal if same_leading else 0)
        return chat

    def own(self, item: Any) -> Any:
        """The caller's object as it was given last, for the one it was read from; a new one is itself."""
        place = self._places.get(id(item))
        if place is not None:
            return self.items[place]
        return next((given for read, given in self._led if read is item), item)

    def _know(self, items: list[Any], since: int, groups: int, read: Groups) -> None:
        """Keep the items, of which those from `since` on were read now, and the groups read, after so many others."""
        for item in self._read[since:]:
            self._places.pop(id(item), None)
        self._read[since:] = items[since:]
        self._places.update((id(item), place) for place, item in enumerate(self._read[since:], since))
        del self._ends[groups:]
        at, said = self._ends[-1] if groups else (0, 0)
        for count, messages in read:
            at, said = at + count, said + len(messages)
            self._ends.append((at, said))
        self.items = items

    def _led_by(self, leading: list[Any], reader: Reader) -> tuple[Conversation, bool]:
        """The conversation with these items before all others, and whether what was cut and summarised is kept.

        It is where there are as many of them as before, but for summaries of ours that came back.
        """
        conversation, led = self.chat.conversation, self._led
        if len(leading) == len(led) and _equal([given for _, given in led], leading):
            self._led = [(read, new) for (read, _), new in zip(led, leading, strict=True)]
            return conversation, True
        systems = [message for _, messages in reader.read(leading, 0) for message in messages]
        changed = conversation.with_leading(systems, replacing=self._systems)
        returned = any(read_summary(m, self._wording) for m in (*conversation[: self._systems], *systems))
        same = len(systems) == self._systems and not returned
        self._systems, self._led = len(systems), [(item, item) for item in leading]
        return changed, same

    def _fork(self) -> KnownChat:
        other = KnownChat(self.chat.fork(), self._wording)
        other.items, other._read, other._ends = self.items, list(self._read), list(self._ends)
        other._places, other._systems, other._led = dict(self._places), self._systems, self._led
        return other


def same_beginning(one: Sequence[Any], other: Sequence[Any]) -> int:
    """The number of items at the beginning that are equal in both."""
    least = min(len(one), len(other))
    if _equal(one[:least], other[:least]):
        return least
    low, step = 0, 1
    while low + step < least and _equal(one[low : low + step], other[low : low + step]):
        low, step = low + step, 2 * step
    while step > 1:  # within these is the first that differs
        step //= 2
        if _equal(one[low : low + step], other[low : low + step]):
            low += step
    return low


def _equal(one: Sequence[Any], other: Sequence[Any]) -> bool:
    try:
        return bool(one == other)
    except Exception:  # a caller's object that can't be compared: only itself is equal to it
        return all(a is b for a, b in zip(one, other, strict=True))
