"""The chats that a trimmer remembers, and which of them a request goes on."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from historylab.planning.chat import Chat
from historylab.planning.kept import KeptTimes
from historylab.planning.known_chat import KnownChat, Reader, same_beginning
from historylab.planning.strategies.base import Instruments
from historylab.settings.effect import reads_times
from historylab.settings.model import Settings
from historylab.stores.base import StateStore

MOST_CHATS = 1_000
MOST_ITEMS = 200_000
"""Items remembered in all: the chats used least recently are forgotten first."""
MOST_ALIKE = 50
"""Chats of the same beginning that are looked at, those used last first."""


class Chats:
    """Chats by their first item after the leading ones. One plans in one thread at a time."""

    def __init__(self, settings: Settings, instruments: Instruments, store: StateStore):
        self._settings, self._instruments, self._store = settings, instruments, store
        self._chats: OrderedDict[int, _Remembered] = OrderedDict()  # by id, the one used last at the end
        self._alike: dict[Hashable, OrderedDict[int, KnownChat]] = {}
        self._items = 0
        self._lock = threading.Lock()

    @contextmanager
    def going_on(self, leading: list[Any], items: list[Any], reader: Reader) -> Iterator[KnownChat]:
        """The chat brought up to these items, for as long as no other thread may plan it."""
        start = (type(reader), hash(tuple(reader.read(items[:1], len(leading))[0][1])) if items else 0)
        with self._lock:
            known = self._nearest(start, items)
        known = known or self._begun()
        with known.lock:
            chat = known.go_on(leading, items, reader)
            if chat is known:
                self._remember(start, chat)
                yield chat
                return
        with chat.lock:  # nobody else knows it yet
            self._remember(start, chat)
            yield chat

    def clear(self) -> None:
        """Forget all of them."""
        with self._lock:
            self._chats.clear()
            self._alike.clear()
            self._items = 0

    def _begun(self) -> KnownChat:
        times = KeptTimes(self._store) if reads_times(self._settings) else None
        return KnownChat(Chat(self._settings, self._instruments), self._settings.summary_heading, times)

    def _nearest(self, start: Hashable, items: list[Any]) -> KnownChat | None:
        """The chat that has most in common with the items; of several the one that has least beside."""
        alike = list(reversed(self._alike.get(start, {}).values()))[:MOST_ALIKE]
        if len(alike) == 1:
            return alike[0]
        return max(alike, key=lambda chat: (same_beginning(chat.items, items), -len(chat.items)), default=None)

    def _remember(self, start: Hashable, chat: KnownChat) -> None:
        with self._lock:
            known = self._chats.pop(id(chat), None)
            self._chats[id(chat)] = _Remembered(chat, start, len(chat.items))
            self._items += len(chat.items) - (known.items if known else 0)
            alike = self._alike.setdefault(start, OrderedDict())
            alike[id(chat)] = chat
            alike.move_to_end(id(chat))
            while len(self._chats) > 1 and (len(self._chats) > MOST_CHATS or self._items > MOST_ITEMS):
                self._forget_oldest()

    def _forget_oldest(self) -> None:
        _, oldest = self._chats.popitem(last=False)
        self._items -= oldest.items
        alike = self._alike[oldest.start]
        del alike[id(oldest.chat)]
        if not alike:
            del self._alike[oldest.start]


class _Remembered(NamedTuple):
    chat: KnownChat
    start: Hashable
    items: int
