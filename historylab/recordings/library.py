"""The library: every conversation there is to choose from, recorded or held by a session, in one list.

A recording may hold many thousands. So of a conversation only its key and its time are known at first (`Listed`); what
a list says of it (`Entry`) is read when it is shown, and what it says itself when something is searched.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import suppress

from historylab.conversation.conversation import Conversation
from historylab.recordings.entries import Entry, HeldShelf, Listed, Source, clean_tags
from historylab.recordings.recorded_shelf import RecordedShelf, is_recorded
from historylab.recordings.search import Match, MessageIndex


class Library:
    """Both shelves as one. A key that is gone by now is a KeyError."""

    def __init__(self, held: HeldShelf, recorded: RecordedShelf | None = None):
        self.held, self.recorded = held, recorded

    def listing(self) -> list[Listed]:
        """All conversations, the newest first."""
        recorded = self.recorded.listing() if self.recorded else []
        return sorted([*self.held.listing(), *recorded], key=lambda one: -one.at)

    def entry(self, key: str) -> Entry:
        return self._shelf(key).entry(key)

    def conversation(self, key: str) -> Conversation:
        """The conversation. Raises HistoryLabError for one that can't be read."""
        return self._shelf(key).conversation(key)

    def known_tags(self) -> list[str]:
        """All tags of what was read, by name."""
        recorded = self.recorded.known_tags() if self.recorded else []
        both = clean_tags([*(tag for one in self.held.held.values() for tag in one.tags), *recorded], most=None)
        return sorted(both, key=str.casefold)

    def unread(self) -> list[str]:
        """Keys of what must be read before everything is found."""
        return self.recorded.unread() if self.recorded else []

    def read(self, key: str) -> None:
        """Read one of those, if it is still there."""
        with suppress(KeyError):
            if self.recorded:
                self.recorded.read(key)

    def index(self) -> MessageIndex:
        """All messages that were read, those of the session in a copy."""
        shared = self.recorded.index if self.recorded else MessageIndex()
        index = shared.apart()
        for key, one in self.held.held.items():
            index.put(key, one.conversation)
        return index

    def find(
        self,
        words: str,
        index: Callable[[], MessageIndex],
        *,
        source: Source | None = None,
        tags: Collection[str] = (),
    ) -> list[Match]:
        """The conversations of that source that have all these tags: by words the best first, else the newest.

        `index` is asked for where there are words. Tags are those of what was read: `unread` comes first.
        """
        kept = {one.key: one for one in self.listing() if source in (None, one.source)}
        if tags:
            wanted = {tag.casefold() for tag in tags}
            kept = {key: one for key, one in kept.items() if wanted <= self._tags(key)}
        if not words.strip():
            return [Match(key) for key in kept]
        return [match for match in index().search(words) if match.key in kept]

    def _tags(self, key: str) -> set[str]:
        with suppress(KeyError):
            return {tag.casefold() for tag in self.entry(key).tags}
        return set()

    def _shelf(self, key: str) -> HeldShelf | RecordedShelf:
        if is_recorded(key) and self.recorded is None:
            raise KeyError(key)
        return self.recorded if self.recorded and is_recorded(key) else self.held
