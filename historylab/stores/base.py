"""The contracts of stores: conversations with filters and search, the state that a Trimmer keeps beside them, records.

Order and filters compare instants ("+02:00" and fractions of a second included); equal instants keep their order of
arrival. Timestamps are returned exactly as they were given.

Every store keeps the same texts. Any text without a NUL character, which PostgreSQL has no place for, is returned as it
was given: of any length, half an emoji (a lone surrogate, as JavaScript cuts them) included. What cannot be kept is a
StoreError that names it, and nothing is left of it. What a store has acknowledged, by returning from a method, outlives
the process, except in the memory store.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Protocol

from historylab.conversation.message import instant
from historylab.errors import StoreError
from historylab.registry import member

SEARCH_LIMIT = 10
SEARCH_TOKENS = 2000
CONVERSATION_ID = "a conversation's id"  # as errors call it


@dataclass(frozen=True, slots=True)
class Participant:
    """The author of a message: `kind` is user, agent or system (any other counts as user)."""

    kind: str
    id: str
    display_name: str | None = None

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Participant:
        """From the published JSON. Raises StoreError if a key is missing or not text."""
        return cls(_text(given, "kind"), _text(given, "id"), _text(given, "displayName", optional=True))

    def to_dict(self) -> dict[str, Any]:
        shown = {} if self.display_name is None else {"displayName": self.display_name}
        return {"kind": self.kind, "id": self.id, **shown}

    @property
    def name(self) -> str:
        """The display name, or the id if there is none; an empty display name stays empty."""
        return self.id if self.display_name is None else self.display_name


@dataclass(frozen=True, slots=True)
class StoredMessage:
    """One message of a conversation. `timestamp` is ISO 8601; `scope` is channel, dm or thread; `metadata` is JSON."""

    id: str
    conversation_id: str
    participant: Participant
    content: str
    timestamp: str
    scope: str
    metadata: dict[str, Any] | None = field(default=None, hash=False)

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> StoredMessage:
        """From the published JSON. Raises StoreError if a key is missing or of the wrong type."""
        texts = (_text(given, key) for key in ("id", "conversationId", "content", "timestamp", "scope"))
        participant, metadata = given.get("participant"), given.get("metadata")
        if not isinstance(participant, Mapping) or not isinstance(metadata, Mapping | None):
            wrong = "metadata" if isinstance(participant, Mapping) else "participant"
            raise StoreError(f"a stored message's {wrong!r} is an object, not {given.get(wrong)!r:.60}")
        id, conversation_id, content, timestamp, scope = texts
        return cls(
            id,
            conversation_id,
            Participant.from_dict(participant),
            content,
            timestamp,
            scope,
            None if metadata is None else dict(metadata),
        )

    def to_dict(self) -> dict[str, Any]:
        """The published JSON, in camelCase; absent fields stay absent."""
        return {
            "id": self.id,
            "conversationId": self.conversation_id,
            "participant": self.participant.to_dict(),
            "content": self.content,
            "timestamp": self.timestamp,
            "scope": self.scope,
            **({} if self.metadata is None else {"metadata": self.metadata}),
        }

    @property
    def is_summary(self) -> bool:
        """Whether it is a summary of earlier messages, which are no longer stored."""
        return bool((self.metadata or {}).get("isSummary"))


class ConversationStore(Protocol):
    """Keeps messages per conversation. A message is never returned for another conversation's id."""

    def append(self, message: StoredMessage) -> None:
        """Store a message; ignored while the conversation has one of that id."""

    def get(
        self,
        conversation_id: str,
        *,
        scope: str | None = None,
        since_timestamp: str | None = None,
        limit: int | None = None,
        participant_ids: Iterable[str] | None = None,
    ) -> list[StoredMessage]:
        """The newest `limit` messages that pass the filters (scope, earliest instant, participants), oldest first."""

    def search(
        self, conversation_id: str, query: str, *, limit: int = SEARCH_LIMIT, token_cap: int = SEARCH_TOKENS
    ) -> list[StoredMessage]:
        """Messages whose text contains `query` literally, ignoring case; newest first. An empty query matches all.

        The first match is always returned; the list ends before the match that would exceed `token_cap`.
        """

    def delete_messages(self, conversation_id: str, ids: Iterable[str]) -> None:
        """Delete the messages with these ids; unknown ids are ignored."""

    def clear_conversation(self, conversation_id: str) -> None:
        """Delete the whole conversation."""

    @property
    def conversation_count(self) -> int:
        """The number of conversations with messages."""


class StateStore(Protocol):
    """Keeps short texts by key, such as a conversation's summaries; several processes may share one.

    A value is written once: whoever comes later is told what stands, so that all processes send the same.
    """

    def read_state(self, keys: Iterable[str]) -> dict[str, str]:
        """The values of those keys that are known."""
        ...

    def write_state(self, key: str, value: str) -> str:
        """Store a value unless the key has one. Returns the one that stands: the first, whichever process wrote it."""
        ...

    def write_states(self, values: Mapping[str, str]) -> dict[str, str]:
        """`write_state` for several keys at once, all of them or none: what stands for each."""
        ...

    def delete_state(self, older_than: float) -> int:
        """Delete what was written that many seconds ago or earlier; 0 deletes all. Returns how many values went.

        Give more than the longest chat lasts: one that goes on without its summaries has them written again.
        """
        ...


@dataclass(frozen=True, slots=True)
class Record:
    """A line of a recording: a JSON object as text, of a conversation ("": of none), at a time (seconds since 1970).

    `number` is the store's: it ascends in the order in which records are kept.
    """

    conversation: str
    at: float
    text: str
    number: int = 0


class RecordedConversation(NamedTuple):
    """A conversation of a recording: how many records it has, from when to when, and the number of its newest."""

    conversation: str
    records: int
    first_at: float
    last_at: float
    last_number: int


class RecordStore(Protocol):
    """Keeps the lines of a recording; several processes may write one while others follow it."""

    def append_records(self, records: Iterable[Record]) -> int:
        """Keep these, all or none, whatever `number` they come with. Returns the number of the last, 0 for none.

        Whoever reads on after a number misses nothing: a number is seen only when all before it are.
        """
        ...

    def read_records(
        self, *, after: int = 0, conversation: str | None = None, limit: int | None = None
    ) -> list[Record]:
        """The first `limit` records with a higher number than `after`, by their numbers; of one conversation or all."""
        ...

    def recorded_conversations(self) -> list[RecordedConversation]:
        """Every conversation that has records, the one with the newest (by number) first; "" is none."""
        ...

    def delete_conversations(self, conversations: Iterable[str], *, state: Iterable[str] = ()) -> int:
        """Delete all records of these conversations, and the `state` under these keys; unknown ones are ignored.

        Returns how many records went.
        """
        ...

    def delete_records(self, older_than: float) -> int:
        """Delete every conversation whose newest record (by its time) is that many seconds old or older, and what of no
        conversation is. Returns how many records went."""
        ...


class Store(ConversationStore, StateStore, RecordStore, Protocol):
    """What `open_store` opens: conversations, state, records and ranked search.

    Safe under threads; an event loop calls it in one (`asyncio.to_thread`). Whatever fails is a StoreError.
    """

    def search_ranked(
        self, conversation_id: str, query: str, *, limit: int = SEARCH_LIMIT, token_cap: int = SEARCH_TOKENS
    ) -> list[StoredMessage]:
        """Messages that share words with `query`, the best first; caps as in `search`. Without words it finds none.

        Words are runs of letters and digits, whatever the case; the first 100 different ones of a query count, and
        nothing in it is an operator. How well a message ranks is the store's: rare words count more in memory and in
        SQLite (BM25), in PostgreSQL only how many are shared and how often (ts_rank).
        """
        ...

    def close(self) -> None:
        """Give up what is open: file or connections. The store cannot be used afterwards."""
        ...


def open_store(url: str) -> Store:
    """The store of that URL; close it when done.

        memory://                                gone with the process, bounded
        sqlite:///history.db                     a file, relative to the working directory
        sqlite:////var/lib/app/history.db        a file by its absolute path
        postgresql://user:password@host/database a PostgreSQL database (`pip install "historylab[postgres]"`)

    Raises StoreError for any other URL, a path that cannot be opened, or a missing driver. No error repeats a password.
    """
    scheme, _, rest = check_text("a store's URL", url).partition("://")
    match scheme.lower():
        case "memory" if not rest:
            return _opened("memory")
        case "sqlite" if rest.startswith("/") and len(rest) > 1 and "?" not in rest:
            return _opened("sqlite", rest[1:])
        case "postgresql" | "postgres":
            return _opened("postgres", url)
    known = "give memory://, sqlite:///relative.db, sqlite:////absolute.db or postgresql://user:password@host/database"
    if scheme == url or not re.fullmatch(r"[\w+.-]{1,20}", scheme):
        raise StoreError(f"no store has this address, which has no scheme; {known}")
    if scheme.lower() == "sqlite":
        path = "what follows sqlite:// must be a slash and a path without ?"
        raise StoreError(f"no store has this address: {path}; {known}")
    raise StoreError(f"no store begins with {scheme}://; {known}")


def _opened(name: str, *place: str) -> Store:
    store: Store = member("store", name).target(*place)
    return store


def check_text(what: str, value: Any) -> str:
    """The value. Raises StoreError if it is not text, or has a NUL in it, which not every store can keep."""
    if not isinstance(value, str):
        raise StoreError(f"{what} is text, not {value!r:.60}")
    if "\0" in value:
        raise StoreError(f"{what} holds a NUL character, which no store keeps: {value!r:.60}")
    return value


def prepare_message(message: StoredMessage) -> tuple[float, StoredMessage]:
    """The message's instant in seconds, and the message with its own copy of the metadata.

    Raises StoreError for a field that is not text or holds a NUL, a timestamp that cannot be read, or metadata that is
    not JSON.
    """
    message = StoredMessage.from_dict(message.to_dict())
    who = message.participant
    for text in (message.id, message.conversation_id, message.content, message.scope, who.kind, who.id, who.name):
        check_text(f"a field of message {message.id!r:.60}", text)
    return parse_instant(message.timestamp), with_own_metadata(message)


def with_own_metadata(message: StoredMessage) -> StoredMessage:
    """The same message, sharing no mutable state."""
    if message.metadata is None:
        return message
    try:
        return replace(message, metadata=json.loads(json.dumps(message.metadata)))
    except (TypeError, ValueError, RecursionError) as problem:
        raise StoreError(f"the metadata of message {message.id!r} is no JSON: {problem}") from None


def parse_instant(timestamp: str) -> float:
    """ISO 8601 text as seconds since 1970. Raises StoreError for any other text."""
    seconds = instant(timestamp) if isinstance(timestamp, str) else math.nan
    if math.isnan(seconds):
        raise StoreError(f"{timestamp!r:.60} is no time; give ISO 8601, such as 2026-01-31T12:00:00Z")
    return seconds


def _text(given: Mapping[str, Any], key: str, *, optional: bool = False) -> Any:
    value = given.get(key)
    if isinstance(value, str) or (optional and value is None):
        return value
    raise StoreError(f"a stored message's {key!r} is text, not {value!r:.60}; keys: {', '.join(map(str, given))}")
