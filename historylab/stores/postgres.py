"""`postgres`: conversations, state and records in a PostgreSQL database; like the memory store, for many machines.

psycopg 3 and its pool are imported when a store is made (`pip install "historylab[postgres]"`); the first use connects.
A read that loses its connection is asked once more on a new one. A write that does is a StoreError, unless nothing had
been sent: it may or may not have been kept. All but records may be written again, as what is already there is left.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from historylab.registry import register
from historylab.stores.base import (
    CONVERSATION_ID,
    SEARCH_LIMIT,
    SEARCH_TOKENS,
    Record,
    RecordedConversation,
    StoredMessage,
    check_text,
    parse_instant,
    prepare_message,
)
from historylab.stores.checks import (
    check_conversations,
    check_records,
    check_seconds,
    check_state,
    check_state_keys,
)
from historylab.stores.postgres_connections import Connections
from historylab.stores.postgres_text import kept, query_of, restored, vector_of
from historylab.stores.rows import COLUMNS, read_rows, record_of, recorded_conversation_of, row_of, state_of
from historylab.stores.selection import check_people, question_words, select_matches, within_caps

if TYPE_CHECKING:
    import psycopg

INSERT = f"""INSERT INTO historylab_messages ({COLUMNS}, instant, room, message_key, words)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s::tsvector) ON CONFLICT (room, message_key) DO NOTHING"""
MESSAGES = f"SELECT instant, {COLUMNS} FROM historylab_messages WHERE room = %s"
NEWEST_FIRST = "ORDER BY instant DESC, arrival DESC"
BEST_FIRST = f"""{MESSAGES} AND words @@ %s::tsquery
ORDER BY ts_rank(words, %s::tsquery, 1) DESC, instant DESC, arrival DESC LIMIT %s"""
DELETE_OVER_CAP = f"""DELETE FROM historylab_messages WHERE arrival IN
(SELECT arrival FROM historylab_messages WHERE room = %s {NEWEST_FIRST} OFFSET %s)"""
ONE_AT_A_TIME = "SELECT pg_advisory_xact_lock(%s)"
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
ROWS_AT_ONCE = 500  # of a search, which reads on until it has found enough


@register("store", "postgres")
class PostgresConversationStore:
    """In a PostgreSQL database, shared by processes and machines. Safe under threads; `close()` it when done."""

    def __init__(
        self,
        url: str = "postgresql://",
        *,
        max_messages_per_conversation: Annotated[
            Annotated[int, Field(ge=0)] | None, Field(description="messages kept of each conversation; empty keeps all")
        ] = None,
        max_connections: Annotated[int, Field(ge=1, description="connections open at a time, for as many threads")] = 8,
    ):
        self._most_messages = max_messages_per_conversation
        self._connections = Connections(url, max_connections)

    def __repr__(self) -> str:
        return f"PostgresConversationStore({self._connections.name!r})"

    def append(self, message: StoredMessage) -> None:
        when, message = prepare_message(message)
        room = _digest(message.conversation_id)
        row = (*map(_kept, row_of(message)), when, room, _digest(message.id), vector_of(message.content))

        def work(connection: psycopg.Connection) -> None:
            if self._most_messages is not None:  # writers that don't see each other's rows would leave too many
                connection.execute(ONE_AT_A_TIME, (int.from_bytes(room[:8], "big", signed=True),))
            connection.execute(INSERT, row)
            if self._most_messages is not None:
                connection.execute(DELETE_OVER_CAP, (room, max(0, self._most_messages)))

        self._connections.write(work)

    def get(
        self,
        conversation_id: str,
        *,
        scope: str | None = None,
        since_timestamp: str | None = None,
        limit: int | None = None,
        participant_ids: Iterable[str] | None = None,
    ) -> list[StoredMessage]:
        filters: list[tuple[str, Any]] = [
            ("AND scope = %s", kept(check_text("a scope", scope)) if scope else None),
            ("AND participant_id = ANY(%s)", [*map(kept, check_people(participant_ids))] or None),
            ("AND instant >= %s", parse_instant(since_timestamp) if since_timestamp else None),
            (NEWEST_FIRST, ""),
            ("LIMIT %s", None if limit is None else max(0, limit)),
        ]
        chosen = [(words, value) for words, value in filters if value is not None]
        query = " ".join([MESSAGES, *(words for words, _ in chosen)])
        values = [value for words, value in chosen if "%s" in words]
        return self._found(conversation_id, query, values)[::-1]

    def search(
        self, conversation_id: str, query: str, *, limit: int = SEARCH_LIMIT, token_cap: int = SEARCH_TOKENS
    ) -> list[StoredMessage]:
        room = _room(conversation_id)

        def work(connection: psycopg.Connection) -> list[StoredMessage]:
            with connection.transaction(), connection.cursor("found") as cursor:
                cursor.itersize = ROWS_AT_ONCE
                cursor.execute(f"{MESSAGES} {NEWEST_FIRST}", (room,))
                newest_first = read_rows(map(_restored, cursor), conversation_id)
                return select_matches((message for _, message in newest_first), query, limit, token_cap)

        return self._connections.read(work)

    def search_ranked(
        self, conversation_id: str, query: str, *, limit: int = SEARCH_LIMIT, token_cap: int = SEARCH_TOKENS
    ) -> list[StoredMessage]:
        wanted = query_of(question_words(query))
        found = self._found(conversation_id, BEST_FIRST, [wanted, wanted, max(0, limit)])
        return within_caps(found, limit, token_cap)

    def delete_messages(self, conversation_id: str, ids: Iterable[str]) -> None:
        room, gone = _room(conversation_id), [_digest(check_text("a message's id", id)) for id in ids]
        self._execute("DELETE FROM historylab_messages WHERE room = %s AND message_key = ANY(%s)", room, gone)

    def clear_conversation(self, conversation_id: str) -> None:
        self._execute("DELETE FROM historylab_messages WHERE room = %s", _room(conversation_id))

    @property
    def conversation_count(self) -> int:
        count = "SELECT count(DISTINCT room) FROM historylab_messages"
        return int(self._connections.read(lambda connection: connection.execute(count).fetchall())[0][0])

    def read_state(self, keys: Iterable[str]) -> dict[str, str]:
        wanted = {_digest(key): key for key in check_state_keys(keys)}
        rows = self._connections.read(lambda connection: connection.execute(READ_STATE, ([*wanted],)).fetchall())
        return _states(wanted, rows)

    def write_state(self, key: str, value: str) -> str:
        return self.write_states({key: value})[key]

    def write_states(self, values: Mapping[str, str]) -> dict[str, str]:
        new = check_state(values)
        wanted = dict(sorted((_digest(key), key) for key in new))  # in one order: writers don't block each other

        def work(connection: psycopg.Connection) -> dict[str, str]:
            stands: dict[str, str] = {}
            while missing := {digest: key for digest, key in wanted.items() if key not in stands}:
                keys = [*missing.values()]
                rows = [*missing], [*map(kept, keys)], [kept(new[key]) for key in keys]
                stands |= _states(missing, connection.execute(WRITE_STATE, rows).fetchall())
                if len(stands) < len(wanted):  # those of others, unless they are deleted just now: then once more
                    stands |= _states(missing, connection.execute(READ_STATE, ([*missing],)).fetchall())
            return stands

        return self._connections.write(work)

    def delete_state(self, older_than: float) -> int:
        return self._execute(DELETE_STATE, check_seconds(older_than))

    def append_records(self, records: Iterable[Record]) -> int:
        new = check_records(records)
        rows = (
            [kept(record.conversation) for record in new],
            [_digest(record.conversation) for record in new],
            [float(record.at) for record in new],
            [kept(record.text) for record in new],
        )

        def work(connection: psycopg.Connection) -> int:
            connection.execute(ONE_AT_A_TIME, (RECORDS_LOCK,))
            return max((number for (number,) in connection.execute(APPEND_RECORDS, rows).fetchall()), default=0)

        return self._connections.write(work)

    def read_records(
        self, *, after: int = 0, conversation: str | None = None, limit: int | None = None
    ) -> list[Record]:
        of_one = [] if conversation is None else [_room(conversation)]
        values = [after, *of_one, None if limit is None else max(0, limit)]
        query = f"{READ_RECORDS} {'AND room = %s ' * len(of_one)}ORDER BY number LIMIT %s"
        rows = self._connections.read(lambda connection: connection.execute(query, values).fetchall())
        return [record_of(*_restored(row)) for row in rows]

    def recorded_conversations(self) -> list[RecordedConversation]:
        rows = self._connections.read(lambda connection: connection.execute(RECORDED).fetchall())
        return [recorded_conversation_of(*_restored(row)) for row in rows]

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

    def _found(self, conversation_id: str, query: str, values: list[Any]) -> list[StoredMessage]:
        room = _room(conversation_id)
        rows = self._connections.read(lambda connection: connection.execute(query, (room, *values)).fetchall())
        return [message for _, message in read_rows(map(_restored, rows), conversation_id)]

    def _execute(self, query: str, *values: Any) -> int:
        return self._connections.write(lambda connection: connection.execute(query, values).rowcount)


def _room(conversation_id: str) -> bytes:
    return _digest(check_text(CONVERSATION_ID, conversation_id))


def _digest(text: str) -> bytes:
    """What stands for a text of any length in an index, which holds 2,700 bytes at most."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _states(wanted: Mapping[bytes, str], rows: Iterable[tuple[Any, ...]]) -> dict[str, str]:
    return {wanted[digest]: state_of(wanted[digest], restored(value)) for digest, value in rows}


def _kept(text: str | None) -> str | None:
    return None if text is None else kept(text)


def _restored(row: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(restored(value) if isinstance(value, str) else value for value in row)
