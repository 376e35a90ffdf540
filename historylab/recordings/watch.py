"""A recording that is watched: what a list says of its conversations, kept by reading only the lines that are new.

One for all who watch it. Of a conversation nothing is read before it is shown; then its lines are looked at once.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from historylab.conversation.recorded import decision_metadata
from historylab.formats.base import Report
from historylab.formats.load import Conversations, as_loaded, collection_paused
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
from historylab.registry import member
from historylab.stores.base import Record, RecordStore

FORMAT = "historylab_requests"
OF_NONE = ""
"""The conversation of the lines that belong to none, such as a proxy's."""
ERROR = 400  # from this status on


@dataclass(frozen=True, slots=True)
class SentRequest:
    """What a line says of its request beside the messages: `at` is when it ended, in seconds since 1970."""

    at: float
    app: str
    model: str
    mode: str
    status: int
    error: str
    untrimmed: str

    @property
    def failure(self) -> str:
        """What went wrong; "" if nothing did."""
        return self.error or (f"status {self.status}" if self.status >= ERROR else "")


@dataclass(slots=True)
class WatchedConversation:
    """What is known of a conversation: its requests so far, when the newest line's began and ended, and its number."""

    id: str
    last_started: float = 0
    last_at: float = 0
    last_number: int = 0
    title: str = ""
    requests: list[SentRequest] = field(default_factory=list)
    tags: tuple[str, ...] = ()
    checkpoints: int = 0
    of_newest: Mapping[str, Any] = field(default_factory=dict)  # what was decided about its newest request

    @property
    def app(self) -> str:
        return next((request.app for request in reversed(self.requests) if request.app), "")

    @property
    def models(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(request.model for request in self.requests if request.model))


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
        self._readers: dict[str, tuple[int, RecordingReader]] = {}
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
                _look_at(known, record)

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
                self._readers.pop(gone, None)
            return [found for id in listed[:most] if (found := self._look_up(id))]

    def _look_up(self, id: str) -> WatchedConversation | None:
        """What is known of a conversation, from its lines if it was not looked at before; None if it has none."""
        self._begin()
        if id not in self._known and (records := self.store.read_records(conversation=id)):
            found = WatchedConversation(id)
            for record in records:
                _look_at(found, record)
            self._known[id] = found
        return self._known.get(id)

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
        """The number of the newest line, and what all of them say."""
        last, reader = self._readers.pop(id, (0, None))
        reader = reader or RecordingReader()
        for record in self.store.read_records(conversation=id, after=last):
            reader.add(f"record {record.number}", id, parse_line(record.text))
            last = record.number
        self._readers[id] = last, reader
        if len(self._readers) > MOST_GROWING:
            del self._readers[next(iter(self._readers))]
        chosen = member("format", FORMAT)
        report = Report(format=chosen.title, member=chosen.name)
        with collection_paused():
            return last, as_loaded(reader.conversations(report), report)

    def state_of(self, id: str) -> list[str]:
        """The keys of what its requests read of the store's state, or wrote there."""
        lines = map(parse_line, (record.text for record in self.store.read_records(conversation=id)))
        return list(dict.fromkeys(key for line in lines for key in _object(line, "state")))

    def file(self, id: str) -> bytes:
        """Its lines, as a file holds them."""
        records = self.store.read_records(conversation=id)
        return "".join(f"{record.text}\n" for record in records).encode("utf-8", "surrogatepass")


MOST_READ, MOST_GROWING = 100, 4  # conversations kept as they were read; and so that they can be read on


def _look_at(known: WatchedConversation, record: Record) -> None:
    if record.number <= known.last_number:
        return  # it was among the lines when the conversation was looked up
    line = parse_line(record.text)
    seconds = found if isinstance(found := line.get("seconds"), int | float) else 0
    known.last_started, known.last_at, known.last_number = record.at, record.at + seconds, record.number
    if line.get(KIND) == TITLE:
        known.title = printable(_text(line, "title"))
    elif line.get(KIND) == CHECKPOINT:
        known.checkpoints += 1
    elif line.get(KIND) == TAGS:
        tags = line.get("tags")
        known.tags = clean_tags(tags if isinstance(tags, list) else ())
    elif line.get(KIND) == REQUEST:
        body = _object(line, "request")
        known.title = known.title or printable(_first_words(body))
        known.of_newest = decision_metadata(read_exchange(line, known.id)) if line.get("plan") else {}
        known.requests.append(
            SentRequest(
                known.last_at,
                _text(line, "app"),
                _text(_object(line, "response"), "model") or _text(body, "model"),
                _text(line, "mode"),
                status if type(status := line.get("status")) is int else 0,
                _text(line, "error"),
                _text(line, "untrimmed"),
            )
        )


def _proxy(record: Record) -> ProxyStart | None:
    line = parse_line(record.text)
    if line.get(KIND) != PROXY:
        return None
    settings, file = _object(line, "settings"), _text(line, "settings_file")
    return ProxyStart(record.at, _text(line, "mode"), settings, file, _text(line, "upstream"))


def _first_words(body: Mapping[str, Any]) -> str:
    """What a user said first, as far as a title needs it."""
    messages = body.get(holder_of(body))
    for message in messages if isinstance(messages, list) else ():
        said = message.get("content") if isinstance(message, dict) and message.get("role") == "user" else None
        parts = [said] if isinstance(said, str) else said if isinstance(said, list) else []
        texts = (
            part if isinstance(part, str) else _text(part, "text") for part in parts if isinstance(part, str | dict)
        )
        if words := opening(" ".join(texts), FIRST_WORDS):
            return words
    return ""


def _text(given: Mapping[str, Any], name: str) -> str:
    found = given.get(name)
    return found if isinstance(found, str) else ""


def _object(given: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = given.get(name)
    return found if isinstance(found, dict) else {}
