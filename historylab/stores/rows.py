"""What is stored as the rows of a table, and back; a table that others may write holds anything."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from typing import Any

from historylab.errors import StoreError
from historylab.stores.base import Record, RecordedConversation, StoredMessage

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


def record_of(number: int, conversation: Any, at: Any, text: Any) -> Record:
    """A record of its row. Raises StoreError if it was damaged."""
    if not (isinstance(conversation, str) and isinstance(text, str) and "\n" not in text and _is_time(at)):
        raise StoreError(f"record {number} is damaged: it is a conversation, a time and a line")
    return Record(conversation, float(at), text, number)


def recorded_conversation_of(
    conversation: Any, records: int, first_at: Any, last_at: Any, last_number: int
) -> RecordedConversation:
    """A recorded conversation of its row. Raises StoreError if a record of it was damaged."""
    if not (isinstance(conversation, str) and _is_time(first_at) and _is_time(last_at)):
        raise StoreError(f"a record up to {last_number} of {conversation!r:.60} is damaged: its time is no number")
    return RecordedConversation(conversation, records, float(first_at), float(last_at), last_number)


def _is_time(value: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


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
