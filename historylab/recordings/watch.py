"""A recording that is watched: its conversations as a list shows them, kept up to date from new lines alone.

All viewers share one. Nothing of a conversation is read before it is shown; then its lines are read once.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from historylab.conversation.exchange import Exchange
from historylab.conversation.injected import without_frames
from historylab.conversation.recorded import decision_metadata
from historylab.conversation.usage import MODEL
from historylab.formats.base import Report
from historylab.formats.load import Conversations, as_loaded, collection_paused
from historylab.formats.messages.fields import as_list, list_in, object_in, text_in
from historylab.formats.titles import opening, printable
from historylab.formats.traces.historylab_requests import RecordingReader
from historylab.formats.traces.recorded_lines import (
    CHECKPOINT,
    KIND,
    PROXY,
    REQUEST,
    TAGS,
    TITLE,
    holder_of,
    parse_line,
    read_exchange,
)
from historylab.recordings.entries import FIRST_WORDS, clean_tags
from historylab.recordings.exchange import line_time
from historylab.registry import member
from historylab.stores.base import Record, RecordStore

FORMAT = "historylab_requests"
OF_NONE = ""
"""The conversation of the lines that belong to none, such as a proxy's."""


@dataclass(slots=True)
class WatchedConversation:
    """A conversation as a list shows it: its requests so far without texts, and times and number of the newest line.

    `reader` has read all its lines, while the conversation is followed as it grows.
    """

    id: str
    last_started: float = 0
    last_at: float = 0
    last_number: int = 0
    title: str = ""
    requests: list[Exchange] = field(default_factory=list)
    tags: tuple[str, ...] = ()
    checkpoints: int = 0
    of_newest: Mapping[str, Any] = field(default_factory=dict)  # what was decided about its newest request
    reader: RecordingReader | None = field(default=None, repr=False)

    @property
    def app(self) -> str:
        return next((request.app for request in reversed(self.requests) if request.app), "")

    @property
    def ambiguous(self) -> bool:
        """True if it may be of several people."""
        return any(request.ambiguous for request in self.requests)

    @property
    def models(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for request in self.requests if (name := request.about.get(MODEL))))


@dataclass(frozen=True, slots=True)
class ProxyStart:
    """A proxy as it started, or read its settings file again, in seconds since 1970; `upstream` is scheme and host."""

    at: float
    mode: str
    settings: Mapping[str, Any]
    settings_file: str
    upstream: str


class Watch:
    """The conversations of a store. Safe under threads; what the store can't do is its StoreError."""

    def __init__(self, store: RecordStore):
        self.store = store
        self.proxy: ProxyStart | None = None
        self._last: int | None = None  # the number of the newest record seen; None before the first look
        self._known: dict[str, WatchedConversation] = {}
        self._read: dict[str, tuple[int, Conversations]] = {}
        self._growing: list[str] = []  # those with a reader, the one shown last at the end
        self._lock = threading.Lock()

    def poll(self) -> int:
        """Read the lines that are new. Returns the number of the newest there is, 0 of none."""
        with self._lock:
            return self._poll()

    def _poll(self) -> int:
        last = self._begin()
        new = self.store.read_records(after=last)
        self._take(new)
        self._last = new[-1].number if new else last
        return self._last

    def _begin(self) -> int:
        """The number of the newest line seen. What is on file at first is looked at when it is shown, not before."""
        if self._last is None:
            listed = self.store.recorded_conversations()
            self._take(self.store.read_records(conversation=OF_NONE))
            self._last = max((one.last_number for one in listed), default=0)
        return self._last

    def _take(self, records: Iterable[Record]) -> None:
        for record in records:
            if record.conversation == OF_NONE:
                self.proxy = _proxy(record) or self.proxy
            elif known := self._known.get(record.conversation):
                _add_line(known, record)

    def newest_proxy(self) -> ProxyStart | None:
        """The proxy that writes now, as it started or read its settings last; None if none ever wrote."""
        self.poll()
        return self.proxy

    def newest(self, most: int) -> list[WatchedConversation]:
        """The conversations with the newest lines, as many of them, the newest first."""
        with self._lock:
            self._poll()
            listed = [one.conversation for one in self.store.recorded_conversations() if one.conversation != OF_NONE]
            for gone in self._known.keys() - set(listed):
                del self._known[gone]
                self._read.pop(gone, None)
            return [found for id in listed[:most] if (found := self._look_up(id))]

    def _look_up(self, id: str, *, to_read: bool = False) -> WatchedConversation | None:
        """A conversation by its lines, with a reader if it is `to_read`; None if it has none."""
        self._begin()
        known = self._known.get(id)
        if known and (known.reader or not to_read):
            return known
        records = self.store.read_records(conversation=id)
        if not records:
            return known
        self._known[id] = known = WatchedConversation(id, reader=RecordingReader() if to_read else None)
        for record in records:
            _add_line(known, record)
        return known

    def find(self, id: str) -> WatchedConversation | None:
        """That conversation; None if the recording has none of that name."""
        with self._lock:
            return self._look_up(id)

    def conversations(self, id: str) -> Conversations:
        """The conversation up to the newest line seen, as any file of it is read, with what the reading has to say.

        Of a conversation that grows only the new lines are read.
        Raises LoadError where none of it can be read.
        """
        with self._lock:
            known, read = self._look_up(id), self._read.get(id)
            if read is None or known is None or read[0] != known.last_number:
                self._read.pop(id, None)
                self._read[id] = read = self._read_on(id)
                if len(self._read) > MOST_READ:
                    del self._read[next(iter(self._read))]
            return read[1]

    def _read_on(self, id: str) -> tuple[int, Conversations]:
        """The number of the newest line, and the conversation that all lines make."""
        known = self._look_up(id, to_read=True) or WatchedConversation(id, reader=RecordingReader())
        assert known.reader is not None
        self._growing = [*(other for other in self._growing if other != id), id]
        for other in self._growing[:-MOST_GROWING]:
            if old := self._known.get(other):
                old.reader = None
        self._growing = self._growing[-MOST_GROWING:]
        chosen = member("format", FORMAT)
        report = Report(format=chosen.title, member=chosen.name)
        with collection_paused():
            return known.last_number, as_loaded(known.reader.conversations(report), report)

    def state_of(self, id: str) -> list[str]:
        """The keys in the store's state that its requests read or wrote."""
        lines = (parse_line(record.text) for record in self.store.read_records(conversation=id))
        return list(dict.fromkeys(key for line in lines for key in object_in(line, "state")))

    def file(self, id: str) -> bytes:
        """Its lines, as a file holds them."""
        records = self.store.read_records(conversation=id)
        return "".join(f"{record.text}\n" for record in records).encode("utf-8", "surrogatepass")


LONGEST = 10**8  # seconds that a request may have taken
MOST_READ, MOST_GROWING = 100, 4  # conversations kept as they were read; and so that they can be read on


def _add_line(known: WatchedConversation, record: Record) -> None:
    """Take one more line of a conversation, unless it was among those it was looked up with."""
    if record.number <= known.last_number:
        return
    line, where = parse_line(record.text), f"record {record.number}"
    seconds = found if isinstance(found := line.get("seconds"), int | float) and 0 <= found <= LONGEST else 0
    known.last_started, known.last_at, known.last_number = record.at, record.at + seconds, record.number
    exchange = read_exchange(line, known.id, where) if line.get(KIND) == REQUEST else None
    if exchange:
        known.title = known.title or printable(_first_words(exchange.body))
        known.of_newest = decision_metadata(exchange) if exchange.plan else {}
        known.requests.append(_without_texts(exchange, known.last_at))
    elif line.get(KIND) == TITLE:
        known.title = printable(text_in(line, "title") or "")
    elif line.get(KIND) == CHECKPOINT:
        known.checkpoints += 1
    elif line.get(KIND) == TAGS:
        known.tags = clean_tags(list_in(line, "tags"))
    if known.reader:
        known.reader.add(where, known.id, line, exchange)


def _without_texts(exchange: Exchange, ended: float) -> Exchange:
    """The exchange as a list shows it, which ended then, in seconds since 1970."""
    model = text_in(exchange.response, "model") or text_in(exchange.body, "model")
    return Exchange(
        ended=line_time(ended),
        about={MODEL: model} if model else {},
        id=exchange.id,
        app=exchange.app,
        mode=exchange.mode,
        untrimmed=exchange.untrimmed,
        because=exchange.because,
        ambiguous=exchange.ambiguous,
        status=exchange.status,
        error=exchange.error,
        redacted=exchange.redacted,
    )


def _proxy(record: Record) -> ProxyStart | None:
    line = parse_line(record.text)
    if line.get(KIND) != PROXY:
        return None
    mode, file, upstream = (text_in(line, name) or "" for name in ("mode", "settings_file", "upstream"))
    return ProxyStart(record.at, mode, object_in(line, "settings"), file, upstream)


def _first_words(body: Mapping[str, Any]) -> str:
    """The first words of a user, as many as a title needs."""
    for message in list_in(body, holder_of(body)):
        said = message.get("content") if isinstance(message, dict) and message.get("role") == "user" else None
        parts = [said] if isinstance(said, str) else as_list(said)
        texts = (text_in(part, "text") or "" if isinstance(part, dict) else part for part in parts)
        said = without_frames("\n".join(text for text in texts if isinstance(text, str)))
        if words := opening(said, FIRST_WORDS):
            return words
    return ""
