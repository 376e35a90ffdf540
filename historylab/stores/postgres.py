"""`postgres`: state and records in a PostgreSQL database; like the memory store, for many machines.

psycopg 3 and its pool are imported when a store is made (`pip install "historylab[postgres]"`); the first use connects.
A read that loses its connection is asked once more on a new one. A write that does is a StoreError, unless nothing had
been sent: it may or may not have been kept. All but records may be written again, as what is already there is left.
"""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from historylab.registry import register
from historylab.stores.base import CONVERSATION_ID, NO_STATE, Record, RecordedConversation, check_text
from historylab.stores.checks import (
    check_conversations,
    check_records,
    check_seconds,
    check_state,
    check_state_keys,
)
from historylab.stores.postgres_connections import Connections
from historylab.stores.rows import record_of, recorded_conversation_of, state_of

if TYPE_CHECKING:
    import psycopg

READ_STATE = "SELECT key_hash, value FROM historylab_state WHERE key_hash = ANY(%s)"
WRITE_STATE = """INSERT INTO historylab_state (key_hash, key, value)
SELECT * FROM unnest(%s::bytea[], %s::text[], %s::text[]) ON CONFLICT (key_hash) DO NOTHING RETURNING key_hash, value"""
DELETE_STATE = "DELETE FROM historylab_state WHERE extract(epoch FROM clock_timestamp() - written) >= %s"
RECORDS_LOCK = 0x5265636F726473  # held while records are kept, so that their numbers are seen in their order
APPEND_RECORDS = """INSERT INTO historylab_records (conversation, room, at, line) SELECT * FROM
unnest(%s::text[], %s::bytea[], %s::float8[], %s::text[]) RETURNING number"""
READ_RECORDS = "SELECT number, conversation, at, line FROM historylab_records WHERE number > %s"
RECORDED = """SELECT min(conversation), count(*), min(at), max(at), max(number) FROM historylab_records
WHERE conversation <> '' GROUP BY room ORDER BY max(number) DESC"""
OLD_RECORDS = """DELETE FROM historylab_records WHERE CASE conversation WHEN '' THEN at <= %s ELSE room IN
(SELECT room FROM historylab_records GROUP BY room HAVING max(at) <= %s) END"""
ESCAPE = "\ufdd0"  # never a character of a text: Unicode leaves it to programs
UNKEPT = re.compile(f"[\ud800-\udfff{ESCAPE}]")
ESCAPED = re.compile(f"{ESCAPE}([0-9a-f]{{4}})?")


@register("store", "postgres")
class PostgresStore:
    """In a PostgreSQL database, shared by processes and machines. Safe under threads; `close()` it when done."""

    replaced = 0  # an empty table in the place of another fails or reads as empty

    def __init__(
        self,
        url: str = "postgresql://",
        *,
        max_connections: Annotated[int, Field(ge=1, description="connections open at a time, for as many threads")] = 8,
    ):
        self._connections = Connections(url, max_connections)

    def __repr__(self) -> str:
        return f"PostgresStore({self._connections.name!r})"

    def read_state(self, keys: Iterable[str]) -> dict[str, str]:
        wanted = {_digest(key): key for key in check_state_keys(keys)}
        rows = self._connections.read(lambda connection: connection.execute(READ_STATE, ([*wanted],)).fetchall())
        return _states(wanted, rows)

    def write_state(self, key: str, value: str) -> str:
        return self.write_states({key: value})[key]

    def write_states(self, values: Mapping[str, str]) -> dict[str, str]:
        new = check_state(values)
        return self._connections.write(lambda connection: _write_states(connection, new))

    def delete_state(self, older_than: float) -> int:
        return self._execute(DELETE_STATE, check_seconds(older_than))

    def append_records(self, records: Iterable[Record], state: Mapping[str, str] = NO_STATE) -> int:
        new, beside = check_records(records), check_state(state)
        rows = (
            [_escape(record.conversation) for record in new],
            [_digest(record.conversation) for record in new],
            [float(record.at) for record in new],
            [_escape(record.text) for record in new],
        )

        def work(connection: psycopg.Connection) -> int:
            _write_states(connection, beside)  # before the lock: whoever holds it waits for nobody's state
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (RECORDS_LOCK,))
            return max((number for (number,) in connection.execute(APPEND_RECORDS, rows).fetchall()), default=0)

        return self._connections.write(work)

    def read_records(
        self, *, after: int = 0, conversation: str | None = None, limit: int | None = None
    ) -> list[Record]:
        of_one = [] if conversation is None else [_room(conversation)]
        values = [after, *of_one, None if limit is None else max(0, limit)]
        query = f"{READ_RECORDS} {'AND room = %s ' * len(of_one)}ORDER BY number LIMIT %s"
        rows = self._connections.read(lambda connection: connection.execute(query, values).fetchall())
        return [record_of(*_unescape_row(row)) for row in rows]

    def recorded_conversations(self) -> list[RecordedConversation]:
        rows = self._connections.read(lambda connection: connection.execute(RECORDED).fetchall())
        return [recorded_conversation_of(*_unescape_row(row)) for row in rows]

    def delete_conversations(self, conversations: Iterable[str], *, state: Iterable[str] = ()) -> int:
        rooms = [_digest(id) for id in check_conversations(conversations)]
        keys = sorted(_digest(key) for key in check_state_keys(state))

        def work(connection: psycopg.Connection) -> int:
            connection.execute("DELETE FROM historylab_state WHERE key_hash = ANY(%s)", (keys,))
            return connection.execute("DELETE FROM historylab_records WHERE room = ANY(%s)", (rooms,)).rowcount

        return self._connections.write(work)

    def delete_records(self, older_than: float) -> int:
        latest = time.time() - check_seconds(older_than)
        return self._execute(OLD_RECORDS, latest, latest)

    def close(self) -> None:
        """Close the connections; the store cannot be used afterwards."""
        self._connections.close()

    def _execute(self, query: str, *values: Any) -> int:
        return self._connections.write(lambda connection: connection.execute(query, values).rowcount)


def _room(conversation_id: str) -> bytes:
    return _digest(check_text(CONVERSATION_ID, conversation_id))


def _digest(text: str) -> bytes:
    """What stands for a text of any length in an index, which holds 2,700 bytes at most."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _write_states(connection: psycopg.Connection, new: Mapping[str, str]) -> dict[str, str]:
    """Keep values whose keys have none. Returns what stands for each."""
    wanted = dict(sorted((_digest(key), key) for key in new))  # in one order: writers don't block each other
    stands: dict[str, str] = {}
    while missing := {digest: key for digest, key in wanted.items() if key not in stands}:
        keys = [*missing.values()]
        rows = [*missing], [*map(_escape, keys)], [_escape(new[key]) for key in keys]
        stands |= _states(missing, connection.execute(WRITE_STATE, rows).fetchall())
        if len(stands) < len(wanted):  # those of others, unless they are deleted just now: then once more
            stands |= _states(missing, connection.execute(READ_STATE, ([*missing],)).fetchall())
    return stands


def _states(wanted: Mapping[bytes, str], rows: Iterable[tuple[Any, ...]]) -> dict[str, str]:
    return {wanted[digest]: state_of(wanted[digest], _unescape(value)) for digest, value in rows}


def _unescape_row(row: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(_unescape(value) if isinstance(value, str) else value for value in row)


def _escape(text: str) -> str:
    """The text with each half of an emoji escaped, which is text to Python but not to PostgreSQL."""
    return UNKEPT.sub(lambda found: f"{ESCAPE}{ord(found[0]):04x}", text)


def _unescape(text: str) -> str | bytes:
    """The text as it was given; bytes for one that nothing here has kept, so that its reader can say which it is."""
    parts = ESCAPED.split(text)
    if None in parts:
        return text.encode()
    return "".join(chr(int(part, 16)) if i % 2 else part for i, part in enumerate(parts))
