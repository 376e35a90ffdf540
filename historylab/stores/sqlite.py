"""`sqlite`: conversations in an SQLite file or in memory; behaves like the memory store and outlives the process.

One connection behind a lock serialises threads; several processes may share a file. Texts are bound as bytes and cast,
because a lone surrogate (an emoji that a JavaScript channel cut in two) is text to Python but not to SQLite.
"""

from __future__ import annotations

import json
import os
import sqlite3
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any

from pydantic import Field

from historylab.errors import StoreError
from historylab.registry import register
from historylab.stores.base import (
    SEARCH_LIMIT,
    SEARCH_TOKENS,
    Participant,
    StoredMessage,
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
        except sqlite3.Error as problem:
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
        pairs = [(_bytes(conversation_id), _bytes(id)) for id in ids]
        with self._transaction() as connection:
            connection.executemany(f"DELETE FROM stored_messages WHERE conversation_id = {TEXT} AND id = {TEXT}", pairs)

    def clear_conversation(self, conversation_id: str) -> None:
        with self._transaction() as connection:
            connection.execute(
                f"DELETE FROM stored_messages WHERE conversation_id = {TEXT}", (_bytes(conversation_id),)
            )

    @property
    def conversation_count(self) -> int:
        with self._transaction() as connection:
            (count,) = connection.execute("SELECT count(DISTINCT conversation_id) FROM stored_messages").fetchone()
            return int(count)

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
            except sqlite3.Error as problem:
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
    for when, *row in connection.execute(NEWEST_FIRST, (_bytes(conversation_id),)):
        yield when, _message(*row)


def _message(
    id: str,
    conversation_id: str,
    kind: str,
    participant_id: str,
    display_name: str | None,
    content: str,
    timestamp: str,
    scope: str,
    metadata: str | None,
) -> StoredMessage:
    participant = Participant(kind, participant_id, display_name)
    read: Any = None if metadata is None else json.loads(metadata)
    return StoredMessage(id, conversation_id, participant, content, timestamp, scope, read)


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else text.encode("utf-8", "surrogatepass")
