"""`sqlite`: conversations in an SQLite file or in memory; behaves like the memory store and outlives the process.

One connection behind a lock serialises threads; several processes may share a file. Texts are bound as bytes and cast,
because a lone surrogate (an emoji that a JavaScript channel cut in two) is text to Python but not to SQLite.
"""

from __future__ import annotations

import json
import os
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any

from pydantic import Field

from historylab.errors import StoreError
from historylab.registry import register
from historylab.stores.base import (
    CONVERSATION_ID,
    SEARCH_LIMIT,
    SEARCH_TOKENS,
    StoredMessage,
    check_seconds,
    check_state_keys,
    check_text,
    prepare_message,
    select_matches,
    select_recent,
)

SCHEMA = """
CREATE TABLE IF NOT EXISTS stored_messages (
  arrival INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL,
  conversation_id TEXT NOT NULL,
  participant_kind TEXT NOT NULL,
  participant_id TEXT NOT NULL,
  participant_display_name TEXT,
  content TEXT NOT NULL,
  timestamp TEXT NOT NULL,
  scope TEXT NOT NULL,
  metadata TEXT,
  instant REAL NOT NULL,
  UNIQUE (conversation_id, id)
);
CREATE INDEX IF NOT EXISTS idx_conv ON stored_messages (conversation_id, instant, arrival);
CREATE TABLE IF NOT EXISTS stored_state (key TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL, written REAL NOT NULL);
"""
COLUMNS = """id, conversation_id, participant_kind, participant_id, participant_display_name,
content, timestamp, scope, metadata"""
TEXT = "CAST(? AS TEXT)"
INSERT = f"""INSERT INTO stored_messages ({COLUMNS}, instant) VALUES ({", ".join([TEXT] * 9)}, ?)
ON CONFLICT (conversation_id, id) DO NOTHING"""
NEWEST_FIRST = f"""SELECT instant, {COLUMNS} FROM stored_messages WHERE conversation_id = {TEXT}
ORDER BY instant DESC, arrival DESC"""
DELETE_OVER_CAP = f"""DELETE FROM stored_messages WHERE arrival IN (SELECT arrival FROM stored_messages
WHERE conversation_id = {TEXT} ORDER BY instant DESC, arrival DESC LIMIT -1 OFFSET ?)"""
READ_STATE = f"SELECT value FROM stored_state WHERE key = {TEXT}"
WRITE_STATE = f"INSERT INTO stored_state (key, value, written) VALUES ({TEXT}, {TEXT}, ?) ON CONFLICT (key) DO NOTHING"
SECONDS_TO_WAIT = 30  # for another process that is writing


@register("store", "sqlite")
class SQLiteConversationStore:
    """In an SQLite file, or in memory without a path. Safe under threads; `close()` it when done."""

    def __init__(
        self,
        path: str | os.PathLike[str] = ":memory:",
        *,
        max_messages_per_conversation: Annotated[
            Annotated[int, Field(ge=0)] | None, Field(description="messages kept of each conversation; empty keeps all")
        ] = None,
    ):
        self._path, self._most_messages = path, max_messages_per_conversation
        self._lock = threading.RLock()
        try:
            self._connection = sqlite3.connect(path, timeout=SECONDS_TO_WAIT, check_same_thread=False)
            self._connection.text_factory = lambda raw: raw.decode("utf-8", "surrogatepass")
            self._connection.executescript(SCHEMA)
        except (sqlite3.Error, ValueError) as problem:  # a ValueError: a path with a NUL, which no file has
            raise StoreError(f"{str(path)!r} cannot be opened as a conversation store: {problem}") from problem

    def append(self, message: StoredMessage) -> None:
        when, message = prepare_message(message)
        with self._transaction() as connection:
            connection.execute(INSERT, (*map(_bytes, _row(message)), when))
            if self._most_messages is not None:
                most = max(0, self._most_messages)
                connection.execute(DELETE_OVER_CAP, (_bytes(message.conversation_id), most))

    def get(
        self,
        conversation_id: str,
        *,
        scope: str | None = None,
        since_timestamp: str | None = None,
        limit: int | None = None,
        participant_ids: Iterable[str] | None = None,
    ) -> list[StoredMessage]:
        with self._transaction() as connection:
            return select_recent(_read(connection, conversation_id), scope, since_timestamp, limit, participant_ids)

    def search(
        self, conversation_id: str, query: str, *, limit: int = SEARCH_LIMIT, token_cap: int = SEARCH_TOKENS
    ) -> list[StoredMessage]:
        with self._transaction() as connection:
            return select_matches(
                (message for _, message in _read(connection, conversation_id)), query, limit, token_cap
            )

    def delete_messages(self, conversation_id: str, ids: Iterable[str]) -> None:
        room = _id_bytes(conversation_id)
        pairs = [(room, _bytes(check_text("a message's id", id))) for id in ids]
        with self._transaction() as connection:
            connection.executemany(f"DELETE FROM stored_messages WHERE conversation_id = {TEXT} AND id = {TEXT}", pairs)

    def clear_conversation(self, conversation_id: str) -> None:
        with self._transaction() as connection:
            connection.execute(
                f"DELETE FROM stored_messages WHERE conversation_id = {TEXT}", (_id_bytes(conversation_id),)
            )

    @property
    def conversation_count(self) -> int:
        with self._transaction() as connection:
            (count,) = connection.execute("SELECT count(DISTINCT conversation_id) FROM stored_messages").fetchone()
            return int(count)

    def read_state(self, keys: Iterable[str]) -> dict[str, str]:
        wanted = check_state_keys(keys)
        with self._transaction() as connection:
            found = {key: connection.execute(READ_STATE, (_bytes(key),)).fetchone() for key in wanted}
        return {key: _state(key, row[0]) for key, row in found.items() if row is not None}

    def write_state(self, key: str, value: str) -> str:
        row = _bytes(check_text("a key of state", key)), _bytes(check_text("a value of state", value)), time.time()
        with self._transaction() as connection:
            connection.execute(WRITE_STATE, row)
            return _state(key, connection.execute(READ_STATE, row[:1]).fetchone()[0])

    def delete_state(self, older_than: float) -> int:
        latest = time.time() - check_seconds(older_than)
        with self._transaction() as connection:
            return connection.execute("DELETE FROM stored_state WHERE written <= ?", (latest,)).rowcount

    def close(self) -> None:
        """Close the file; the store cannot be used afterwards."""
        with self._lock:
            self._connection.close()

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                with self._connection:
                    yield self._connection
            except (sqlite3.Error, UnicodeDecodeError) as problem:
                raise StoreError(f"the conversation store in {str(self._path)!r} failed: {problem}") from problem


def _row(message: StoredMessage) -> tuple[str | None, ...]:
    who = message.participant
    metadata = None if message.metadata is None else json.dumps(message.metadata)
    return (
        message.id,
        message.conversation_id,
        who.kind,
        who.id,
        who.display_name,
        message.content,
        message.timestamp,
        message.scope,
        metadata,
    )


def _read(connection: sqlite3.Connection, conversation_id: str) -> Iterator[tuple[float, StoredMessage]]:
    """A conversation's rows. Raises StoreError for one that this store cannot have written: the file was damaged."""
    for when, *row in connection.execute(NEWEST_FIRST, (_id_bytes(conversation_id),)):
        try:
            if not isinstance(when, int | float):
                raise StoreError(f"its instant is a number, not {when!r:.60}")
            yield when, _message(*row)
        except (StoreError, ValueError, RecursionError) as problem:  # a ValueError: metadata that is not JSON
            raise StoreError(f"message {row[0]!r:.60} of {conversation_id!r:.60} is damaged: {problem}") from None


def _message(
    id: Any,
    conversation_id: Any,
    kind: Any,
    participant_id: Any,
    display_name: Any,
    content: Any,
    timestamp: Any,
    scope: Any,
    metadata: Any,
) -> StoredMessage:
    """The message of one row; a file that others may write holds anything."""
    if metadata is not None:
        metadata = json.loads(check_text("its metadata", metadata))
    return StoredMessage.from_dict(
        {
            "id": id,
            "conversationId": conversation_id,
            "participant": {"kind": kind, "id": participant_id, "displayName": display_name},
            "content": content,
            "timestamp": timestamp,
            "scope": scope,
            "metadata": metadata,
        }
    )


def _state(key: str, value: Any) -> str:
    return check_text(f"the value of the state {key!r:.60} (it is damaged)", value)


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else text.encode("utf-8", "surrogatepass")


def _id_bytes(conversation_id: str) -> bytes | None:
    return _bytes(check_text(CONVERSATION_ID, conversation_id))
