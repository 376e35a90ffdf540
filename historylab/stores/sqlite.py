"""`sqlite`: state and records in an SQLite file or in memory; behaves like the memory store, and lasts."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping

from historylab.registry import register
from historylab.stores.base import CONVERSATION_ID, NO_STATE, Record, RecordedConversation, check_text
from historylab.stores.checks import (
    check_conversations,
    check_records,
    check_seconds,
    check_state,
    check_state_keys,
)
from historylab.stores.rows import record_of, recorded_conversation_of, state_of
from historylab.stores.sqlite_file import TEXT, SQLiteFile, as_bytes

READ_STATE = f"SELECT value FROM stored_state WHERE key = {TEXT}"
WRITE_STATE = f"INSERT INTO stored_state (key, value, written) VALUES ({TEXT}, {TEXT}, ?) ON CONFLICT (key) DO NOTHING"
APPEND_RECORD = f"INSERT INTO stored_records (conversation, at, line) VALUES ({TEXT}, ?, {TEXT})"
READ_RECORDS = "SELECT number, conversation, at, line FROM stored_records WHERE number > ?"
RECORDED = """SELECT conversation, count(*), min(at), max(at), max(number) AS newest FROM stored_records
WHERE conversation <> '' GROUP BY conversation ORDER BY newest DESC"""
OLD_RECORDS = """DELETE FROM stored_records WHERE CASE conversation WHEN '' THEN at <= ?1 ELSE conversation IN
(SELECT conversation FROM stored_records GROUP BY conversation HAVING max(at) <= ?1) END"""


@register("store", "sqlite")
class SQLiteStore:
    """In an SQLite file, or in memory without a path. Safe under threads; `close()` it when done."""

    def __init__(self, path: str | os.PathLike[str] = ":memory:"):
        self._file = SQLiteFile(path)

    @property
    def replaced(self) -> int:
        """The number of times another file stood in the place of the one that was open."""
        with self._file.connection():  # which looks
            return self._file.replaced

    def read_state(self, keys: Iterable[str]) -> dict[str, str]:
        wanted = check_state_keys(keys)
        with self._file.connection() as connection:
            found = {key: connection.execute(READ_STATE, (as_bytes(key),)).fetchone() for key in wanted}
        return {key: state_of(key, row[0]) for key, row in found.items() if row is not None}

    def write_state(self, key: str, value: str) -> str:
        return self.write_states({key: value})[key]

    def write_states(self, values: Mapping[str, str]) -> dict[str, str]:
        rows = _rows_of_state(values)
        with self._file.transaction() as connection:
            connection.executemany(WRITE_STATE, rows.values())
            found = {key: connection.execute(READ_STATE, row[:1]).fetchone() for key, row in rows.items()}
            return {key: state_of(key, row and row[0]) for key, row in found.items()}  # no row: a damaged index

    def delete_state(self, older_than: float) -> int:
        latest = time.time() - check_seconds(older_than)
        with self._file.deletion() as connection:
            return connection.execute("DELETE FROM stored_state WHERE written <= ?", (latest,)).rowcount

    def append_records(self, records: Iterable[Record], state: Mapping[str, str] = NO_STATE) -> int:
        rows = [(as_bytes(record.conversation), record.at, as_bytes(record.text)) for record in check_records(records)]
        number, beside = 0, _rows_of_state(state)
        with self._file.transaction() as connection:
            connection.executemany(WRITE_STATE, beside.values())
            for row in rows:
                number = connection.execute(APPEND_RECORD, row).lastrowid or 0
        return number

    def read_records(
        self, *, after: int = 0, conversation: str | None = None, limit: int | None = None
    ) -> list[Record]:
        of_one = [] if conversation is None else [as_bytes(check_text(CONVERSATION_ID, conversation))]
        query = f"{READ_RECORDS} {f'AND conversation = {TEXT} ' * len(of_one)}ORDER BY number LIMIT ?"
        with self._file.connection() as connection:
            rows = connection.execute(query, (after, *of_one, -1 if limit is None else max(0, limit)))
            return [record_of(*row) for row in rows]

    def recorded_conversations(self) -> list[RecordedConversation]:
        with self._file.connection() as connection:
            return [recorded_conversation_of(*row) for row in connection.execute(RECORDED)]

    def delete_conversations(self, conversations: Iterable[str], *, state: Iterable[str] = ()) -> int:
        ids = [(as_bytes(id),) for id in check_conversations(conversations)]
        keys = [(as_bytes(key),) for key in check_state_keys(state)]
        with self._file.deletion() as connection:
            connection.executemany(f"DELETE FROM stored_state WHERE key = {TEXT}", keys)
            gone = connection.executemany(f"DELETE FROM stored_records WHERE conversation = {TEXT}", ids)
            return max(0, gone.rowcount)

    def delete_records(self, older_than: float) -> int:
        latest = time.time() - check_seconds(older_than)
        with self._file.deletion() as connection:
            return connection.execute(OLD_RECORDS, (latest,)).rowcount

    def close(self) -> None:
        """Close the file; the store cannot be used afterwards."""
        self._file.close()


def _rows_of_state(values: Mapping[str, str]) -> dict[str, tuple[bytes, bytes, float]]:
    """The rows to write, by their keys."""
    now = time.time()
    return {key: (as_bytes(key), as_bytes(value), now) for key, value in check_state(values).items()}
