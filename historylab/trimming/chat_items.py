"""A chat and the caller's objects that it was read from: what of a request is known, and what is new.

Objects that come back are compared by identity, others by value, and what differs by what it says: a cache marker that
moved is no edit.
"""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.lineage import equal_lists, same_beginning
from historylab.conversation.message import Message
from historylab.errors import LoadError
from historylab.formats.requests import Form, Group, Request, open_request
from historylab.formats.requests.items import items_in
from historylab.planning.stored_state import KeptTimes
from historylab.planning.strategies.returned import read_summary
from historylab.trimming.chat import Chat

MOST_DIFFERING = 16
"""Items that are others though they say the same; beyond, what follows is read as if it had been edited."""


class KnownChat:
    """A chat and its items: the leading ones (instructions, a memory) and the others, by which it is known again."""

    def __init__(self, chat: Chat, wording: str, times: KeptTimes | None = None):
        self.chat, self.lock = chat, threading.Lock()
        self._wording, self._times = wording, times  # of a summary's heading; where a plan depends on them
        self.items: list[Any] = []  # as they were read, the leading ones first
        self.places: dict[int, int] = {}  # of an item that was read, by its id: where an equal one is given now
        self._led = 0  # leading items
        self._ends: list[tuple[int, int]] = []  # after each group of the others: items and messages so far
        self._systems: list[Message] = []  # what the leading items and a body's own field say
        self._form: Form | None = None
        self._sure = False  # whose form it is

    @property
    def size(self) -> int:
        """How many items it has after the leading ones."""
        return len(self.items) - self._led

    def as_known(self, items: Sequence[Any]) -> list[Any]:
        """The items of its latest request, those after the leading ones as the objects it knows them by."""
        return [*items[: self._led], *self.items[self._led :]]

    def same_items(self, items: list[Any], leading: int, since: int = 0) -> int:
        """How many items after the leading ones are as they were; the first `since` of them are."""
        known = self.items[self._led + since : self._led + len(items) - leading]
        return since + same_beginning(known, items[leading + since : leading + since + len(known)])

    def _begins(self, items: list[Any], leading: int) -> bool:
        """Whether all items after the leading ones are as they were, and others may follow.

        Whole lists are compared fastest, and slices would be copies: ours has the other's ends meanwhile.
        """
        known, size = self.items, len(self.items)
        if leading != self._led or len(items) < size:
            return False
        led = known[:leading]
        try:
            known[:leading] = items[:leading]
            known += items[size:]
            return equal_lists(known, items)
        finally:
            del known[size:]
            known[:leading] = led

    def go_on(self, given: Any, format: str | None, leading: int) -> tuple[KnownChat, Request]:
        """The chat brought up to a request: itself if that goes on from its own, else one that shares its beginning."""
        same = self._count_same(items_in(given, format), leading)
        known_form = self._form if self._sure else None
        request = open_request(given, format, known_form, leading + same, self._is_summary)
        same = same if request.form is self._form else 0
        extends = same == self.size
        groups = max(0, self._groups_in(same) - 1)  # the last that is as it was may go on in what is new
        begins, said = self._end_of(groups)
        systems = [*request.systems, *(m for k in range(leading) for m in request.form.at(request.items, k))]
        read = list(request.form.groups(request.items, leading + begins))
        new = [message for _, messages in read for message in messages]
        times = self._times and self._times.beginning(said)
        new = times.stamp(new) if times else new
        known = self.chat.conversation[len(self._systems) + said :]
        equal = same_beginning(known, new)
        chat = self if extends or equal == len(known) else self._fork()
        grew = [end for end, _ in self._ends[groups : groups + 1]] != [begins + count for count, _ in read[:1]]
        goes_on = extends and not grew
        kept = equal if goes_on else 0  # the others are to have the caller's new objects
        conversation, led = chat._take_systems(request.form, systems, request.items[:leading])
        chat._form, chat._sure, chat._times = request.form, request.sure, times
        before = len(chat._systems) + said
        if before + kept < len(conversation):
            conversation = conversation.beginning(before + kept)
        chat.chat.go_on(conversation.followed_by(new[kept:]), before + equal if led else 0)
        chat._know(request.items, leading, same if goes_on else begins, groups, read)
        return chat, request

    def _groups_in(self, items: int) -> int:
        """The number of groups that are whole within the first items after the leading ones."""
        return bisect_right(self._ends, items, key=lambda end: end[0])

    def _end_of(self, groups: int) -> tuple[int, int]:
        """The numbers of items after the leading ones, and of their messages, that so many groups have."""
        return self._ends[groups - 1] if groups else (0, 0)

    def _count_same(self, items: list[Any], leading: int) -> int:
        """The number of items after the leading ones that say what they said.

        Those among them that are others nevertheless (a cache marker moved, a link was signed anew) are taken as they
        are now.
        """
        if self._begins(items, leading):
            return self.size
        sources: dict[int, Any] = {}
        same, least = self.same_items(items, leading), min(self.size, len(items) - leading)
        for _ in range(MOST_DIFFERING):
            if same >= least or not (found := self._read_again(items, leading, same)):
                break
            sources |= found
            same = self.same_items(items, leading, same + 1)
        if sources:
            self.chat.take_again(sources)
        return same

    def _read_again(self, items: list[Any], leading: int, place: int) -> dict[int, Any]:
        """The sources of the messages of an item as it is given now, which is kept; empty if it says something else."""
        group = self._groups_in(place)
        (begins, said), (stop, _) = self._end_of(group), self._ends[group]
        if self._form is None or leading + stop > len(items):
            return {}
        try:
            count, messages = self._form.group(items, leading + begins)
        except LoadError:
            return {}
        if begins + count != stop:
            return {}
        said += len(self._systems)
        known = self.chat.conversation[said : said + len(messages)]
        timed = [replace(m, timestamp=k.timestamp) for m, k in zip(messages, known, strict=False)]
        if tuple(timed) != known or len(messages) != self._ends[group][1] + len(self._systems) - said:
            return {}
        self._hold(items[leading + begins : leading + stop], self._led + begins, self._led + stop)
        return {said + k: message.source for k, message in enumerate(messages)}

    def _is_summary(self, text: str) -> bool:
        return read_summary(Message("system", text), self._wording) is not None

    def _hold(self, items: Sequence[Any], start: int, stop: int | None = None) -> None:
        """Keep these in place of the items from `start` up to `stop`, of an object that comes twice the first place."""
        for place, item in enumerate(self.items[start:stop], start):
            if self.places.get(id(item)) == place:
                del self.places[id(item)]
        self.items[start:stop] = items
        for place, item in enumerate(items, start):
            self.places.setdefault(id(item), place)

    def _take_systems(self, form: Form, systems: list[Message], items: Sequence[Any]) -> tuple[Conversation, bool]:
        """The conversation with these systems, of which `items` lead the list, and whether what was cut and summarised
        is kept.

        It is where as many system messages lead as before, unless a summary of ours is among those that changed.
        """
        conversation, leading = self.chat.conversation, len(items)
        if systems == self._systems and leading == self._led and form is self._form:
            return conversation, True
        changed = conversation.with_leading(systems, replacing=len(self._systems))
        returned = any(read_summary(m, self._wording) for m in (*self._systems, *systems))
        same = len(systems) == len(self._systems) and not returned
        if leading == self._led:
            self._hold(items, 0, leading)
        else:  # all others have moved
            self._hold([*items, *self.items[self._led :]], 0)
        self._led, self._systems = leading, systems
        return changed, same

    def _know(self, items: Sequence[Any], leading: int, since: int, groups: int, read: Sequence[Group]) -> None:
        """Keep what was given, of which the items from `since` on were read now, in groups after so many others."""
        self._hold(items[leading + since :], leading + since)
        del self._ends[groups:]
        at, said = self._end_of(groups)
        for count, messages in read:
            at, said = at + count, said + len(messages)
            self._ends.append((at, said))

    def _fork(self) -> KnownChat:
        other = copy(self)
        other.chat, other.lock = self.chat.fork(), threading.Lock()
        other.items, other.places, other._ends = list(self.items), dict(self.places), list(self._ends)
        return other
