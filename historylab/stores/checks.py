"""What is given to a store, checked in every store alike: whatever cannot be kept is a StoreError that names it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from historylab.errors import StoreError
from historylab.stores.base import Record, check_text


def check_seconds(older_than: float) -> float:
    """The number of seconds. Raises StoreError for anything else."""
    if isinstance(older_than, bool) or not isinstance(older_than, int | float) or not older_than >= 0:
        raise StoreError(f"older_than is a number of seconds from 0, not {older_than!r:.60}")
    return float(older_than)


def check_state_keys(keys: Iterable[str]) -> list[str]:
    """The keys, each once. Raises StoreError for a single text, whose letters are no keys, or a key that is no text."""
    if isinstance(keys, str):
        raise StoreError(f"keys of state are several texts, not {keys!r:.60}")
    return list(dict.fromkeys(check_text("a key of state", key) for key in keys))


def check_state(values: Mapping[str, str]) -> dict[str, str]:
    """The values by their keys. Raises StoreError for what is no text or can't be kept."""
    return {check_text("a key of state", key): check_text("a value of state", value) for key, value in values.items()}


def check_records(records: Iterable[Record]) -> list[Record]:
    """The records. Raises StoreError for a time that is no finite number, or a text of more than one line."""
    found = list(records)
    for record in found:
        check_text("a record's conversation", record.conversation)
        if "\n" in check_text("a record", record.text):
            raise StoreError(f"a record is one line, not {record.text!r:.60}")
        if isinstance(record.at, bool) or not isinstance(record.at, int | float) or not math.isfinite(record.at):
            raise StoreError(f"a record's time is in seconds since 1970, not {record.at!r:.60}")
    return found


def check_conversations(conversations: Iterable[str]) -> list[str]:
    """Ids of conversations, each once. Raises StoreError for a single text, whose letters are no ids, or no text."""
    if isinstance(conversations, str):
        raise StoreError(f"conversations are several ids, not {conversations!r:.60}")
    return list(dict.fromkeys(check_text("a conversation's id", id) for id in conversations))
