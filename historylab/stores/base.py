"""The contracts of stores: the state that a Trimmer keeps, and the records of what an app sent and was answered.

Every store keeps the same texts. Any text without a NUL character, which PostgreSQL has no place for, is returned as it
was given: of any length, half an emoji (a lone surrogate, as JavaScript cuts them) included. What cannot be kept is a
StoreError that names it, and nothing is left of it. What a store has acknowledged, by returning from a method, outlives
the process, except in the memory store.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from historylab.errors import StoreError
from historylab.registry import member

CONVERSATION_ID = "a conversation's id"  # as errors call it
NO_STATE: Mapping[str, str] = MappingProxyType({})


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
    """Keeps the lines of a recording; several processes may write one while others follow it.

    What a store has kept may be gone, without its being asked to delete it: see `replaced`.
    """

    @property
    def replaced(self) -> int:
        """Counts how often another store stood in the place of the open one, as its file was deleted or another put
        there, up to now."""
        ...

    def append_records(self, records: Iterable[Record], state: Mapping[str, str] = NO_STATE) -> int:
        """Keep these, whatever `number` they come with, and `state` where its keys have no value: all or none of it.

        Returns the number of the last, 0 for none.

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


class Store(StateStore, RecordStore, Protocol):
    """A store as `open_store` opens it: state and records.

    Safe under threads; an event loop calls it in one (`asyncio.to_thread`). Whatever fails is a StoreError.
    """

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
            return _open("memory")
        case "sqlite" if rest.startswith("/") and len(rest) > 1 and "?" not in rest:
            return _open("sqlite", rest[1:])
        case "postgresql" | "postgres":
            return _open("postgres", url)
    known = "give memory://, sqlite:///relative.db, sqlite:////absolute.db or postgresql://user:password@host/database"
    if scheme == url or not re.fullmatch(r"[\w+.-]{1,20}", scheme):
        raise StoreError(f"no store has this address, which has no scheme; {known}")
    if scheme.lower() == "sqlite":
        path = "what follows sqlite:// must be a slash and a path without ?"
        raise StoreError(f"no store has this address: {path}; {known}")
    raise StoreError(f"no store begins with {scheme}://; {known}")


def _open(name: str, *place: str) -> Store:
    store: Store = member("store", name).target(*place)
    return store


def check_text(what: str, value: Any) -> str:
    """The value. Raises StoreError if it is not text, or has a NUL in it, which not every store can keep."""
    if not isinstance(value, str):
        raise StoreError(f"{what} is text, not {value!r:.60}")
    if "\0" in value:
        raise StoreError(f"{what} holds a NUL character, which no store keeps: {value!r:.60}")
    return value
