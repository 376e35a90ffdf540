"""The chats that a trimmer remembers, and which of them a request goes on."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Any

from historylab.errors import LoadError
from historylab.formats.requests import Request
from historylab.formats.requests.items import count_leading, field_of, items_in
from historylab.planning.checkpoints import KeptPlans
from historylab.planning.pipeline import open_pipeline
from historylab.planning.stored_state import KeptTimes
from historylab.planning.strategies.base import Instruments
from historylab.settings.effect import reads_times
from historylab.settings.model import Settings
from historylab.trimming.chat import Chat
from historylab.trimming.chat_items import KnownChat

if TYPE_CHECKING:
    from historylab.stores.base import StateStore

MOST_CHATS = 1_000
MOST_ITEMS = 200_000
"""Items remembered in all: the chats used least recently are forgotten first."""
MOST_ALIKE = 50
"""Chats of the same beginning that are looked at, those used last first."""
FEW_ITEMS = 64
"""So many more in common are no reason to leave a chat that a request goes on from."""


class Chats:
    """Chats by their first item after the leading ones. One plans in one thread at a time."""

    def __init__(self, settings: Settings, instruments: Instruments, store: StateStore):
        self._settings, self._instruments, self._store = settings, instruments, store
        pipeline = open_pipeline(settings)
        self._kept = KeptPlans(store, pipeline, instruments) if pipeline.carries else None
        self._chats: dict[KnownChat, tuple[str, int]] = {}  # its beginning and items; the one used last at the end
        self._alike: dict[str, dict[KnownChat, None]] = {}
        self._items = 0
        self._lock = threading.Lock()

    @contextmanager
    def chat_of(self, given: Any, format: str | None) -> Iterator[tuple[KnownChat, Request]]:
        """The chat brought up to a list or body, for as long as no other thread may plan it, and the request."""
        if isinstance(given, Iterable) and not isinstance(given, Mapping | list | tuple | str | bytes):
            given = list(given)
        items = items_in(given, format)
        leading = count_leading(items)
        start = _first_words(items[leading]) if leading < len(items) else ""
        with self._lock:
            known = self._find_nearest(start, items, leading)
        known = known or self._new_chat()
        with known.lock:
            try:
                chat, request = known.go_on(given, format, leading)
            except RecursionError:
                raise LoadError("a message of those given is nested too deeply to be read") from None
            if chat is known:
                self._remember(start, chat)
                yield chat, request
                return
        with chat.lock:  # nobody else knows it yet
            self._remember(start, chat)
            yield chat, request

    def clear(self) -> None:
        """Forget all of them."""
        with self._lock:
            self._chats.clear()
            self._alike.clear()
            self._items = 0

    def _new_chat(self) -> KnownChat:
        times = KeptTimes(self._store) if reads_times(self._settings) else None
        chat = Chat(self._settings, self._instruments, self._kept)
        return KnownChat(chat, self._settings.summary_heading, times)

    def _find_nearest(self, start: str, items: list[Any], leading: int) -> KnownChat | None:
        """The chat that has most in common with the items; of several the one that has least beside.

        One that the items go on from is taken though another has a few more in common: what was said before, and is
        said again, is then one chat and not a fork of the former at every request. Another thread may be going on with
        one of them meanwhile: any choice is right, this one is mostly the cheapest.
        """
        alike = list(islice(reversed(self._alike.get(start, {})), MOST_ALIKE))
        if len(alike) == 1:
            return alike[0]
        same = {chat: chat.same_items(items, leading) for chat in alike}
        continued = [chat for chat in alike if same[chat] == chat.size]
        nearest = max(alike, key=lambda chat: (same[chat], -len(chat.items)), default=None)
        longest = max(continued, key=same.__getitem__, default=nearest)
        return longest if nearest and longest and same[nearest] - same[longest] <= FEW_ITEMS else nearest

    def _remember(self, start: str, chat: KnownChat) -> None:
        with self._lock:
            self._forget(chat)
            self._chats[chat] = start, len(chat.items)
            self._items += len(chat.items)
            self._alike.setdefault(start, {})[chat] = None
            while len(self._chats) > 1 and (len(self._chats) > MOST_CHATS or self._items > MOST_ITEMS):
                self._forget(next(iter(self._chats)))

    def _forget(self, chat: KnownChat) -> None:
        start, items = self._chats.pop(chat, ("", 0))
        self._items -= items
        alike = self._alike.get(start, {})
        alike.pop(chat, None)
        if not alike:
            self._alike.pop(start, None)


def _first_words(item: Any) -> str:
    """A text by which chats are told apart: who speaks first, and how it begins, cache markers left out."""
    text = field_of(item, "content") or field_of(item, "parts")
    if isinstance(text, list | tuple):
        text = next((found for part in text if (found := field_of(part, "text"))), "")
    return f"{field_of(item, 'role')} {text[:200] if isinstance(text, str) else ''}"
