"""What is stored as the rows of a table, and back; a table that others may write holds anything."""

from __future__ import annotations

import math
from typing import Any

from historylab.errors import StoreError
from historylab.stores.base import Record, RecordedConversation


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
