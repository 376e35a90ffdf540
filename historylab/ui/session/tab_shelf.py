"""The states of tabs by a token that only their browser has: held while a tab is connected, and KEPT seconds longer.

In memory alone. What tabs left behind has the bounds of uploads: of more than those, the oldest go.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from threading import RLock
from time import monotonic

from historylab.formats.load import Conversations
from historylab.ui.session.given_files import MOST_TOGETHER
from historylab.ui.session.tab import TabState
from historylab.ui.session.upload_budget import MOST_MESSAGES

KEPT = 15 * 60
"""Seconds that a tab's state is held after the tab has gone."""

COMES_BACK = (
    *("opened", "library", "recorded", "recorded_dismissed"),
    *("request", "message", "stars", "questions", "proposed"),
)
"""Fields of a tab's state."""


@dataclass
class HeldTab:
    """A tab's state, and when the tab was left; None while it is connected."""

    state: TabState
    left: float | None = None


class TabShelf:
    """All of them; several threads may use it. `clock` tells seconds."""

    def __init__(self, clock: Callable[[], float] = monotonic):
        self._clock = clock
        self._lock = RLock()
        self._held: dict[str, HeldTab] = {}

    def __len__(self) -> int:
        return len(self._held)

    def hold(self, token: str, state: TabState) -> None:
        """Hold the state of a tab that is connected."""
        with self._lock:
            self._held[token] = HeldTab(state)
            self.sweep()

    def leave(self, token: str) -> None:
        """Count the time from now on: the tab with this token has gone."""
        with self._lock:
            if held := self._held.pop(token, None):
                self._held[token] = HeldTab(_what_comes_back(held.state), self._clock())  # the newest last
            self.sweep()

    def take(self, token: str) -> TabState | None:
        """Take what a tab with that token gets back: once, unless the tab it duplicates is still there."""
        with self._lock:
            self.sweep()
            held = self._held.get(token)
            if held is not None and held.left is not None:
                del self._held[token]
            return _what_comes_back(held.state) if held else None

    def drop(self, conversations: Conversations) -> None:
        """Hold no tab that these are open in."""
        with self._lock:
            for token, held in list(self._held.items()):
                if any(conversations is one for one in _conversations_of(held.state)):
                    del self._held[token]

    def sweep(self) -> None:
        """Let go of what its time is over for, and of the oldest where there is too much."""
        with self._lock:
            now = self._clock()
            left = {token: held for token, held in self._held.items() if held.left is not None}
            for token, held in left.items():
                if now - (held.left or 0) >= KEPT:
                    del self._held[token]
            sizes = {token: _size_of(held.state) for token, held in left.items() if token in self._held}
            while sizes and _is_too_much([*sizes.values()]):
                oldest = next(iter(sizes))
                del self._held[oldest], sizes[oldest]


def _what_comes_back(state: TabState) -> TabState:
    """Of the state of a tab that has gone what it gets back: no key that was typed, and no file of a corpus.

    A tab that comes online again has all of it: to Streamlit that is the same session.
    """
    held = {name: getattr(state, name) for name in COMES_BACK}
    return TabState(**held, chat=state.chat if state.chat.running else state.chat.without_server())


def _is_too_much(sizes: list[tuple[int, int]]) -> bool:
    messages, characters = map(sum, zip(*sizes, strict=True))
    return messages > MOST_MESSAGES or characters > MOST_TOGETHER


def _conversations_of(state: TabState) -> list[Conversations]:
    """The files a tab holds, each once."""
    held = [one.opened for one in state.library.held]
    return list({id(one): one for one in (file.conversations for file in [*held, state.opened] if file)}.values())


def _size_of(state: TabState) -> tuple[int, int]:
    """Messages, and the characters of their texts and the bytes of the files that came with them."""
    said = [message for file in _conversations_of(state) for conversation in file for message in conversation]
    given = [file.given.data for file in state.opened.files] if state.opened else []
    data = sum(len(one) for one in given if isinstance(one, bytes))
    return len(said), sum(len(message.content) for message in said) + data
