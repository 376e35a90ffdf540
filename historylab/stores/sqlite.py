"""`sqlite`: conversations, state and records in an SQLite file or in memory; behaves like the memory store, and lasts.

One connection behind a lock serialises threads; several processes may share a file on a local disk (WAL, which network
file systems don't keep). A commit is on disk before a method returns. The first use opens the file for good, so that a
server may make the store and fork: SQLite allows no connection to be carried into a fork. Texts are bound as bytes and
cast, because a lone surrogate (an emoji that a JavaScript channel cut in two) is text to Python but not to SQLite.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Annotated

from pydantic import Field

from historylab.errors import StoreError
from historylab.registry import register
from historylab.stores.base import (
    CONVERSATION_ID,
    SEARCH_LIMIT,
    SEARCH_TOKENS,
    Record,
    RecordedConversation,
    StoredMessage,
    check_text,
    prepare_message,
)
from historylab.stores.checks import (
    check_conversations,
    check_records,
    check_seconds,
    check_state,
    check_state_keys,
)
from historylab.stores.rows import COLUMNS, read_rows, record_of, recorded_conversation_of, row_of, state_of
from historylab.stores.selection import question_words, select_matches, select_recent, within_caps
from historylab.stores.sqlite_schema import knows_fts5, migrate

TEXT = "CAST(? AS TEXT)"
INSERT = f"""INSERT INTO stored_messages ({COLUMNS}, instant) VALUES ({", ".join([TEXT] * 9)}, ?)
ON CONFLICT (conversation_id, id) DO NOTHING"""
NEWEST_FIRST = f"""SELECT instant, {COLUMNS} FROM stored_messages WHERE conversation_id = {TEXT}
ORDER BY instant DESC, arrival DESC"""
BEST_FIRST = f"""SELECT instant, {COLUMNS} FROM stored_messages JOIN
(SELECT rowid AS found, bm25(stored_words, 0, 1) AS rank FROM stored_words (?)) ON arrival = found
WHERE conversation_id = {TEXT} ORDER BY rank, instant DESC, arrival DESC"""
DELETE_OVER_CAP = f"""DELETE FROM stored_messages WHERE arrival IN (SELECT arrival FROM stored_messages
WHERE conversation_id = {TEXT} ORDER BY instant DESC, arrival DESC LIMIT -1 OFFSET ?)"""
READ_STATE = f"SELECT value FROM stored_state WHERE key = {TEXT}"
WRITE_STATE = f"INSERT INTO stored_state (key, value, written) VALUES ({TEXT}, {TEXT}, ?) ON CONFLICT (key) DO NOTHING"
APPEND_RECORD = f"INSERT INTO stored_records (conversation, at, line) VALUES ({TEXT}, ?, {TEXT})"
READ_RECORDS = "SELECT number, conversation, at, line FROM stored_records WHERE number > ?"
RECORDED = """SELECT conversation, count(*), min(at), max(at), max(number) AS newest FROM stored_records
WHERE conversation <> '' GROUP BY conversation ORDER BY newest DESC"""
OLD_RECORDS = """DELETE FROM stored_records WHERE CASE conversation WHEN '' THEN at <= ?1 ELSE conversation IN
(SELECT conversation FROM stored_records GROUP BY conversation HAVING max(at) <= ?1) END"""
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
        in_memory = os.fspath(path) in (":memory:", "")
        self._path = path if in_memory else os.path.abspath(path)  # whatever the working directory is later
        self._most_messages = max_messages_per_conversation
        self._lock = threading.RLock()
        self._process, self._closed = os.getpid(), False
        self._connection: sqlite3.Connection | None = _opened(self._path)
        if not in_memory:  # what is wrong with the file has been said
            self._connection.close()
            self._connection = None

    def append(self, message: StoredMessage) -> None:
        when, message = prepare_message(message)
        with self._writing() as connection:
            connection.execute(INSERT, (*map(_bytes, row_of(message)), when))
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
        with self._reading(conversation_id, NEWEST_FIRST) as newest_first:
            return select_recent(newest_first, scope, since_timestamp, limit, participant_ids)

    def search(
        self, conversation_id: str, query: str, *, limit: int = SEARCH_LIMIT, token_cap: int = SEARCH_TOKENS
    ) -> list[StoredMessage]:
        with self._reading(conversation_id, NEWEST_FIRST) as newest_first:
            return select_matches((message for _, message in newest_first), query, limit, token_cap)

    def search_ranked(
        self, conversation_id: str, query: str, *, limit: int = SEARCH_LIMIT, token_cap: int = SEARCH_TOKENS
    ) -> list[StoredMessage]:
        words = " OR ".join(f'"{word}"' for word in question_words(query))
        with self._held() as connection:
            if not knows_fts5(connection):
                raise StoreError("ranked search needs an SQLite with FTS5, and this Python's was built without it")
        room = check_text(CONVERSATION_ID, conversation_id).encode("utf-8", "surrogatepass").hex()
        wanted = f'room : "c{room}" AND content : ({words})' if words else '""'  # which finds nothing
        with self._reading(conversation_id, BEST_FIRST, wanted) as best_first:
            return within_caps((message for _, message in best_first), limit, token_cap)

    def delete_messages(self, conversation_id: str, ids: Iterable[str]) -> None:
        room = _id_bytes(conversation_id)
        pairs = [(room, _bytes(check_text("a message's id", id))) for id in ids]
        with self._writing() as connection:
            connection.executemany(f"DELETE FROM stored_messages WHERE conversation_id = {TEXT} AND id = {TEXT}", pairs)

    def clear_conversation(self, conversation_id: str) -> None:
        room = _id_bytes(conversation_id)
        with self._writing() as connection:
            connection.execute(f"DELETE FROM stored_messages WHERE conversation_id = {TEXT}", (room,))

    @property
    def conversation_count(self) -> int:
        with self._held() as connection:
            count = "SELECT count(DISTINCT conversation_id) FROM stored_messages"
            return int(connection.execute(count).fetchone()[0])

    def read_state(self, keys: Iterable[str]) -> dict[str, str]:
        wanted = check_state_keys(keys)
        with self._held() as connection:
            found = {key: connection.execute(READ_STATE, (_bytes(key),)).fetchone() for key in wanted}
        return {key: state_of(key, row[0]) for key, row in found.items() if row is not None}

    def write_state(self, key: str, value: str) -> str:
        return self.write_states({key: value})[key]

    def write_states(self, values: Mapping[str, str]) -> dict[str, str]:
        now = time.time()
        rows = {key: (_bytes(key), _bytes(value), now) for key, value in check_state(values).items()}
        with self._writing() as connection:
            connection.executemany(WRITE_STATE, rows.values())
            found = {key: connection.execute(READ_STATE, row[:1]).fetchone() for key, row in rows.items()}
            return {key: state_of(key, row and row[0]) for key, row in found.items()}  # no row: a damaged index

    def delete_state(self, older_than: float) -> int:
        latest = time.time() - check_seconds(older_than)
        with self._deleting() as connection:
            return connection.execute("DELETE FROM stored_state WHERE written <= ?", (latest,)).rowcount

    def append_records(self, records: Iterable[Record]) -> int:
        rows = [(_bytes(record.conversation), record.at, _bytes(record.text)) for record in check_records(records)]
        number = 0
        with self._writing() as connection:
            for row in rows:
                number = connection.execute(APPEND_RECORD, row).lastrowid or 0
        return number

    def read_records(
        self, *, after: int = 0, conversation: str | None = None, limit: int | None = None
    ) -> list[Record]:
        of_one = [] if conversation is None else [_id_bytes(conversation)]
        query = f"{READ_RECORDS} {f'AND conversation = {TEXT} ' * len(of_one)}ORDER BY number LIMIT ?"
        with self._held() as connection:
            rows = connection.execute(query, (after, *of_one, -1 if limit is None else max(0, limit)))
            return [record_of(*row) for row in rows]

    def recorded_conversations(self) -> list[RecordedConversation]:
        with self._held() as connection:
            return [recorded_conversation_of(*row) for row in connection.execute(RECORDED)]

    def delete_conversations(self, conversations: Iterable[str], *, state: Iterable[str] = ()) -> int:
        ids = [(_bytes(id),) for id in check_conversations(conversations)]
        keys = [(_bytes(key),) for key in check_state_keys(state)]
        with self._deleting() as connection:
            connection.executemany(f"DELETE FROM stored_state WHERE key = {TEXT}", keys)
            gone = connection.executemany(f"DELETE FROM stored_records WHERE conversation = {TEXT}", ids)
            return max(0, gone.rowcount)

    def delete_records(self, older_than: float) -> int:
        latest = time.time() - check_seconds(older_than)
        with self._deleting() as connection:
            return connection.execute(OLD_RECORDS, (latest,)).rowcount

    def close(self) -> None:
        """Close the file; the store cannot be used afterwards."""
        with self._lock:
            self._closed = True
            if self._connection and self._process == os.getpid():
                self._connection.close()

    @contextmanager
    def _held(self) -> Iterator[sqlite3.Connection]:
        """The connection, for one thread at a time; what goes wrong with it is a StoreError."""
        with self._lock:
            if self._closed:
                raise StoreError(f"the conversation store in {str(self._path)!r} is closed")
            if self._connection is None:
                self._connection, self._process = _opened(self._path), os.getpid()
            if self._process != os.getpid():
                raise StoreError(
                    f"the store in {str(self._path)!r} was used before this process was forked; open its own"
                )
            try:
                yield self._connection
            except (sqlite3.Error, UnicodeDecodeError) as problem:  # the latter: an error that quotes what is damaged
                raise StoreError(f"the conversation store in {str(self._path)!r} failed: {problem}") from problem

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction: on disk when this is left without an exception, undone otherwise."""
        with self._held() as connection, connection:
            connection.execute("BEGIN IMMEDIATE")
            yield connection

    @contextmanager
    def _deleting(self) -> Iterator[sqlite3.Connection]:
        """One transaction, after which what went is in no file beside the database either."""
        with self._held() as connection:
            with connection:
                connection.execute("BEGIN IMMEDIATE")
                yield connection
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # while another reads it, the next one does it

    @contextmanager
    def _reading(
        self, conversation_id: str, query: str, *first: str
    ) -> Iterator[Iterator[tuple[float, StoredMessage]]]:
        """A conversation's messages with their instants, read as they are asked for."""
        room = _id_bytes(conversation_id)
        with self._held() as connection:
            yield read_rows(connection.execute(query, (*first, room)), conversation_id)


def _opened(path: str | os.PathLike[str]) -> sqlite3.Connection:
    """A connection that commits only where it is told to, to a file in today's schema."""
    try:
        connection = sqlite3.connect(path, timeout=SECONDS_TO_WAIT, isolation_level=None, check_same_thread=False)
        try:
            connection.text_factory = _text
            migrate(connection)
            with suppress(sqlite3.OperationalError):  # while others have it open, it stays as it is: slower, as safe
                connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA secure_delete = ON")  # what was deleted can't be read off the file
        except BaseException:
            connection.close()
            raise
    except (sqlite3.Error, StoreError, ValueError) as problem:  # a ValueError: a path with a NUL, which no file has
        raise StoreError(f"{str(path)!r} cannot be opened as a conversation store: {problem}") from problem
    return connection


def _text(raw: bytes) -> str | bytes:
    """As it was bound; bytes that are no text stay bytes, so that what reads the row can say which one is damaged."""
    try:
        return raw.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return raw


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else text.encode("utf-8", "surrogatepass")


def _id_bytes(conversation_id: str) -> bytes | None:
    return _bytes(check_text(CONVERSATION_ID, conversation_id))
