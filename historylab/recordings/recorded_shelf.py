"""The conversations of a recording: read from its store when they are shown, all of them once something is searched.

One for all sessions of a server. What is known of a conversation holds until the store has newer lines of it.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.errors import LoadError
from historylab.formats.load import Conversations, load
from historylab.formats.traces.recorded_lines import KIND, REQUEST, TAGS, TITLE, parse_line
from historylab.recordings.entries import Entry, Listed, clean_tags, entry_of
from historylab.recordings.lines import make_line
from historylab.recordings.search import MessageIndex
from historylab.stores.base import Record, RecordedConversation, RecordStore

FORMAT = "historylab_requests"
PREFIX = "recorded:"
MOST_READ = 100  # conversations kept as they were read


@dataclass(frozen=True, slots=True)
class _Known:
    """An entry, and the number of the newest line it was made of."""

    entry: Entry
    number: int


class RecordedShelf:
    """Keys are `recorded:ID`. Safe under threads. What the store can't do is its StoreError."""

    def __init__(self, store: RecordStore):
        self.index = MessageIndex()
        self._store = store
        self._listed: dict[str, RecordedConversation] = {}
        self._known: dict[str, _Known] = {}
        self._read: OrderedDict[str, tuple[int, Conversations]] = OrderedDict()
        self._lock = threading.RLock()

    def listed(self) -> list[Listed]:
        return [Listed(key, "recorded", one.last_at) for key, one in self._listed.items()]

    def refresh(self) -> None:
        """See which conversations the store has now, and forget the others."""
        found = {PREFIX + one.conversation: one for one in self._store.recorded_conversations() if one.conversation}
        with self._lock:
            self._listed = found
            self._forget(self._known.keys() - found.keys())

    def unread(self) -> list[str]:
        """The keys of those of which the newest lines are not searched yet."""
        with self._lock:
            return [key for key, one in self._listed.items() if not self._is_known(key, one) or key not in self.index]

    def entry(self, key: str) -> Entry:
        with self._lock:
            if not self._is_known(key, self._listed[key]):
                self.read(key)
            return self._known[key].entry

    def conversation(self, key: str) -> Conversation:
        """The conversation. Raises LoadError where its lines say none."""
        with self._lock:
            number, found = self._read.get(key, (0, None))
            if found is None or number != self._listed[key].last_number:
                _, found = self._load(key)
            return found[0]

    def read(self, key: str) -> None:
        """Read what is known and searched of a conversation."""
        with self._lock:
            if self.index.is_mostly_stale:
                self.index = MessageIndex()
            listed = self._listed[key]
            try:
                lines, found = self._load(key)
            except LoadError as problem:
                entry = Entry(key, "recorded", "", listed.conversation, problem=str(problem))
                self.index.put(key, ())
            else:
                app = next((text for line in reversed(lines) if (text := _text(line, REQUEST, "app"))), "")
                title = next((text for line in reversed(lines) if (text := _text(line, TITLE, "title"))), "")
                entry = entry_of(found[0], key, "recorded", app, _tags(lines), title)
                self.index.put(key, found[0])
            self._known[key] = _Known(entry, listed.last_number)

    def tag(self, key: str, tags: Iterable[str]) -> None:
        """Have these be the tags of a conversation; when it last changed, and so how long it is kept, stays."""
        listed = self._listed[key]
        line = make_line(TAGS, tags=list(clean_tags(tags)))
        self._store.append_records([Record(listed.conversation, listed.last_at, line)])
        self.refresh()

    def delete(self, keys: Iterable[str]) -> int:
        """Delete these conversations from the store for good. Returns how many lines went."""
        gone = [key.removeprefix(PREFIX) for key in keys]
        count = self._store.delete_conversations(gone)
        self.refresh()
        return count

    def count_lines(self, keys: Iterable[str]) -> int:
        """How many lines the store has of these."""
        return sum(self._listed[key].records for key in keys if key in self._listed)

    def lines(self, key: str) -> str:
        """The recording's lines of a conversation, as it has them."""
        return "".join(f"{record.text}\n" for record in self._records(key))

    def _records(self, key: str) -> list[Record]:
        return self._store.read_records(conversation=key.removeprefix(PREFIX))

    def _load(self, key: str) -> tuple[list[dict[str, Any]], Conversations]:
        number, records = self._listed[key].last_number, self._records(key)
        text = "\n".join(record.text for record in records)
        found = load(text.encode("utf-8", "surrogatepass"), FORMAT, name=f"{key.removeprefix(PREFIX)}.jsonl")
        self._read[key] = number, found
        self._read.move_to_end(key)
        while len(self._read) > MOST_READ:
            self._read.popitem(last=False)
        return [parse_line(record.text) for record in records], found

    def _is_known(self, key: str, listed: RecordedConversation) -> bool:
        known = self._known.get(key)
        return known is not None and known.number == listed.last_number

    def _forget(self, keys: Iterable[str]) -> None:
        gone = list(keys)
        for key in gone:
            del self._known[key]
            self._read.pop(key, None)
        self.index.drop(gone)


def _text(line: dict[str, Any], kind: str, field: str) -> str:
    found = line.get(field) if line.get(KIND) == kind else ""
    return found if isinstance(found, str) else ""


def _tags(lines: Sequence[dict[str, Any]]) -> tuple[str, ...]:
    newest = next((line.get("tags") for line in reversed(lines) if line.get(KIND) == TAGS), ())
    return clean_tags(newest if isinstance(newest, list) else ())


def is_recorded(key: str) -> bool:
    """Whether the key is one of a recording's."""
    return key.startswith(PREFIX)
