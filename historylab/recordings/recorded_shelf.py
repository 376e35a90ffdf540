"""The conversations of a recording: read from its store when they are shown, all of them once something is searched.

One for all sessions of a server. What is known of a conversation holds until the store has newer lines of it.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import replace

from historylab.conversation.conversation import Conversation
from historylab.errors import HistoryLabError, StoreError
from historylab.formats.traces.recorded_lines import TAGS
from historylab.recordings.entries import Entry, Listed, clean_tags, entry_of
from historylab.recordings.exchange import make_line
from historylab.recordings.search import MessageIndex
from historylab.recordings.watch import OF_NONE, Watch
from historylab.stores.base import Record, RecordedConversation

PREFIX = "recorded:"


class RecordedShelf:
    """Keys are `recorded:ID`. Safe under threads. What the store can't do is its StoreError."""

    def __init__(self, watch: Watch):
        self.index = MessageIndex()
        self._watch = watch
        self._listed: dict[str, RecordedConversation] = {}
        self._known: dict[str, tuple[int, Entry]] = {}  # with the number of the newest line it was made of
        self._lock = threading.RLock()

    def listing(self) -> list[Listed]:
        return [Listed(key, "recorded", one.last_at) for key, one in self._listed.items()]

    def refresh(self) -> None:
        """See which conversations the store has now, and forget the others."""
        self._watch.poll()
        listed = self._watch.store.recorded_conversations()
        found = {PREFIX + one.conversation: one for one in listed if one.conversation != OF_NONE}
        with self._lock:
            self._listed = found
            gone = self._known.keys() - found.keys()
            self._known = {key: known for key, known in self._known.items() if key not in gone}
            self.index.drop(gone)

    def unread(self) -> list[str]:
        """The keys of those of which the newest lines are not searched yet."""
        with self._lock:
            return [key for key in self._listed if not self._is_known(key) or key not in self.index]

    def entry(self, key: str) -> Entry:
        with self._lock:
            if not self._is_known(key):
                self.read(key)
            return self._known[key][1]

    def conversation(self, key: str) -> Conversation:
        """The conversation. Raises HistoryLabError where its lines say none."""
        return self._watch.conversations(name_of(key))[0]

    def read(self, key: str) -> None:
        """Read what is known and searched of a conversation, unless that is done."""
        with self._lock:
            if self._is_known(key) and key in self.index:
                return
            if self.index.is_mostly_stale:
                self.index = MessageIndex()
            number, id = self._listed[key].last_number, name_of(key)
            known = self._watch.find(id)
            if known is None:
                raise KeyError(key)
            try:
                conversation = self.conversation(key)
            except StoreError:
                raise
            except HistoryLabError as problem:
                title = known.title or id
                entry = Entry(key, "recorded", known.app, title, tags=known.tags, problem=str(problem))
                self.index.put(key, ())
            else:
                entry = entry_of(conversation, key, "recorded", known.app, known.tags, known.title)
                entry = replace(entry, ambiguous=known.ambiguous)
                self.index.put(key, conversation)
            self._known[key] = number, entry

    def known_tags(self) -> list[str]:
        """The tags of all that was read."""
        with self._lock:
            return [tag for _, entry in self._known.values() for tag in entry.tags]

    def tag(self, key: str, tags: Iterable[str]) -> None:
        """Have these be the tags of a conversation; when it last changed, and so how long it is kept, stays."""
        listed = self._listed[key]
        line = make_line(TAGS, tags=list(clean_tags(tags)))
        self._watch.store.append_records([Record(listed.conversation, listed.last_at, line)])
        self.refresh()

    def delete(self, keys: Iterable[str]) -> int:
        """Delete these from the store for good, with the summaries of them. Returns how many lines went."""
        names = [name_of(key) for key in keys]
        state = [key for name in names for key in self._watch.state_of(name)]
        count = self._watch.store.delete_conversations(names, state=state)
        self.refresh()
        return count

    def count_lines(self, keys: Iterable[str]) -> int:
        """How many lines the store has of these."""
        return sum(self._listed[key].records for key in keys if key in self._listed)

    def lines(self, key: str) -> bytes:
        """The recording's lines of a conversation, as it has them."""
        return self._watch.file(name_of(key))

    def _is_known(self, key: str) -> bool:
        return key in self._known and self._known[key][0] == self._listed[key].last_number


def is_recorded(key: str) -> bool:
    """Whether the key is one of a recording's."""
    return key.startswith(PREFIX)


def name_of(key: str) -> str:
    """What the recording calls the conversation of that key."""
    return key.removeprefix(PREFIX)
