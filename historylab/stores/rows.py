"""A stored message as the row of a table, and back; a table that others may write holds anything."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from historylab.errors import StoreError
from historylab.stores.base import StoredMessage

COLUMNS = """id, conversation_id, participant_kind, participant_id, participant_display_name,
content, timestamp, scope, metadata"""


def row_of(message: StoredMessage) -> tuple[str | None, ...]:
    """The values of COLUMNS."""
    who = message.participant
    metadata = None if message.metadata is None else json.dumps(message.metadata)
    name = who.display_name
    return (
        *(message.id, message.conversation_id, who.kind, who.id, name),
        *(message.content, message.timestamp, message.scope, metadata),
    )


def read_rows(rows: Iterable[tuple[Any, ...]], conversation_id: str) -> Iterator[tuple[float, StoredMessage]]:
    """Messages with their instants, from rows of an instant and COLUMNS.

    Raises StoreError for a row that no store can have written: it was damaged.
    """
    for when, *row in rows:
        try:
            if not isinstance(when, int | float):
                raise StoreError(f"its instant is a number, not {when!r:.60}")
            yield when, _message(*row)
        except (StoreError, ValueError, RecursionError) as problem:  # a ValueError: metadata that is not JSON
            raise StoreError(f"message {row[0]!r:.60} of {conversation_id!r:.60} is damaged: {problem}") from None


def state_of(key: str, value: Any) -> str:
    """The value of a state. Raises StoreError if it was damaged."""
    if not isinstance(value, str):
        raise StoreError(f"the state {key!r:.60} is damaged: its value is text, not {value!r:.60}")
    return value


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
