"""Conversations in an SQLite file, or in memory: like the memory store, and lasting."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from historylab.errors import StoreError
from historylab.stores.base import CONVERSATION_ID, check_text
from historylab.stores.sqlite_file import TEXT, SQLiteFile, as_bytes
from historylab.systems.toolpack.conversation_store import SEARCH_LIMIT, SEARCH_TOKENS, select_matches, select_recent
from historylab.systems.toolpack.stored_messages import StoredMessage, prepare_message

COLUMNS = """id, conversation_id, participant_kind, participant_id, participant_display_name,
content, timestamp, scope, metadata"""
INSERT = f"""INSERT INTO stored_messages ({COLUMNS}, instant) VALUES ({", ".join([TEXT] * 9)}, ?)
ON CONFLICT (conversation_id, id) DO NOTHING"""
NEWEST_FIRST = f"""SELECT instant, {COLUMNS} FROM stored_messages WHERE conversation_id = {TEXT}
ORDER BY instant DESC, arrival DESC"""
DELETE_OVER_CAP = f"""DELETE FROM stored_messages WHERE arrival IN (SELECT arrival FROM stored_messages
WHERE conversation_id = {TEXT} ORDER BY instant DESC, arrival DESC LIMIT -1 OFFSET ?)"""


class SQLiteConversationStore:
    """In an SQLite file, or in memory without a path. Safe under threads; `close()` it when done.

    Args:
        max_messages_per_conversation: messages kept of each conversation, the newest by their times; None keeps all.
    """

    def __init__(self, path: str | os.PathLike[str] = ":memory:", *, max_messages_per_conversation: int | None = None):
        self._file, self._most_messages = SQLiteFile(path), max_messages_per_conversation

    def append(self, message: StoredMessage) -> None:
        when, message = prepare_message(message)
        with self._file.transaction() as connection:
            connection.execute(INSERT, (*_row_of(message), when))
            if self._most_messages is not None:
                most = max(0, self._most_messages)
                connection.execute(DELETE_OVER_CAP, (as_bytes(message.conversation_id), most))

    def get(
        self,
        conversation_id: str,
        *,
        scope: str | None = None,
        since_timestamp: str | None = None,
        limit: int | None = None,
        participant_ids: Iterable[str] | None = None,
    ) -> list[StoredMessage]:
        with self._open_messages(conversation_id) as newest_first:
            return select_recent(newest_first, scope, since_timestamp, limit, participant_ids)

    def search(
        self, conversation_id: str, query: str, *, limit: int = SEARCH_LIMIT, token_cap: int = SEARCH_TOKENS
    ) -> list[StoredMessage]:
        with self._open_messages(conversation_id) as newest_first:
            return select_matches((message for _, message in newest_first), query, limit, token_cap)

    def delete_messages(self, conversation_id: str, ids: Iterable[str]) -> None:
        room = _id_bytes(conversation_id)
        pairs = [(room, as_bytes(check_text("a message's id", id))) for id in ids]
        with self._file.transaction() as connection:
            connection.executemany(f"DELETE FROM stored_messages WHERE conversation_id = {TEXT} AND id = {TEXT}", pairs)

    def clear_conversation(self, conversation_id: str) -> None:
        room = _id_bytes(conversation_id)
        with self._file.transaction() as connection:
            connection.execute(f"DELETE FROM stored_messages WHERE conversation_id = {TEXT}", (room,))

    @property
    def conversation_count(self) -> int:
        with self._file.connection() as connection:
            count = "SELECT count(DISTINCT conversation_id) FROM stored_messages"
            return int(connection.execute(count).fetchone()[0])

    def close(self) -> None:
        """Close the file; the store cannot be used afterwards."""
        self._file.close()

    @contextmanager
    def _open_messages(self, conversation_id: str) -> Iterator[Iterator[tuple[float, StoredMessage]]]:
        """A conversation's messages with their instants, read as they are asked for."""
        room = _id_bytes(conversation_id)
        with self._file.connection() as connection:
            yield _read_rows(connection.execute(NEWEST_FIRST, (room,)), conversation_id)


def _row_of(message: StoredMessage) -> tuple[bytes | None, ...]:
    """The values of COLUMNS."""
    who = message.participant
    metadata = None if message.metadata is None else json.dumps(message.metadata)
    of_author = (who.kind, who.id, who.display_name)
    row = (message.id, message.conversation_id, *of_author, message.content, message.timestamp, message.scope, metadata)
    return tuple(None if text is None else as_bytes(text) for text in row)


def _read_rows(rows: Iterable[tuple[Any, ...]], conversation_id: str) -> Iterator[tuple[float, StoredMessage]]:
    """Messages with their instants, from rows of an instant and COLUMNS.

    Raises StoreError for a row that no store can have written: it was damaged.
    """
    for when, *row in rows:
        try:
            if not isinstance(when, int | float):
                raise StoreError(f"its instant is a number, not {when!r:.60}")
            yield when, _message(row)
        except (StoreError, ValueError, RecursionError) as problem:  # a ValueError: metadata that is not JSON
            raise StoreError(f"message {row[0]!r:.60} of {conversation_id!r:.60} is damaged: {problem}") from None


def _message(row: Sequence[Any]) -> StoredMessage:
    id, conversation_id, kind, participant_id, display_name, content, timestamp, scope, metadata = row
    if not isinstance(metadata, str | None):
        raise StoreError(f"its metadata is text, not {metadata!r:.60}")
    return StoredMessage.from_dict(
        {
            "id": id,
            "conversationId": conversation_id,
            "participant": {"kind": kind, "id": participant_id, "displayName": display_name},
            "content": content,
            "timestamp": timestamp,
            "scope": scope,
            "metadata": None if metadata is None else json.loads(metadata),
        }
    )


def _id_bytes(conversation_id: str) -> bytes:
    return as_bytes(check_text(CONVERSATION_ID, conversation_id))
