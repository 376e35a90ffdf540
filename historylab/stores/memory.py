"""`memory`: state and records in this process; what was least recently used goes."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import count
from operator import attrgetter
from typing import Annotated

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


@register("store", "memory")
class InMemoryStore:
    """In this process, bounded; reading a value counts as using it. Safe under threads."""

    replaced = 0

    def __init__(
        self,
        *,
        max_state_characters: Annotated[
            int, Field(ge=0, description="characters of state kept, keys and values; 0 keeps the newest value")
        ] = 20_000_000,
        max_record_characters: Annotated[
            int, Field(ge=0, description="characters of records kept; the conversation recorded least recently goes")
        ] = 100_000_000,
    ):
        self._state: OrderedDict[str, tuple[float, str]] = OrderedDict()  # by key: when written, and the value
        self._state_characters, self._most_state_characters = 0, max_state_characters
        self._records: dict[str, list[Record]] = {}  # by conversation, the one recorded last at the end
        self._record_numbers = count(1)
        self._record_characters, self._most_record_characters = 0, max_record_characters
        self._lock = threading.Lock()

    def read_state(self, keys: Iterable[str]) -> dict[str, str]:
        wanted = check_state_keys(keys)
        with self._lock:
            known = [key for key in wanted if key in self._state]
            for key in known:
                self._state.move_to_end(key)
            return {key: self._state[key][1] for key in known}

    def write_state(self, key: str, value: str) -> str:
        return self.write_states({key: value})[key]

    def write_states(self, values: Mapping[str, str]) -> dict[str, str]:
        new = check_state(values)
        with self._lock:
            return self._keep_state(new)

    def delete_state(self, older_than: float) -> int:
        latest = time.time() - check_seconds(older_than)
        with self._lock:
            gone = [key for key, (written, _) in self._state.items() if written <= latest]
            for key in gone:
                self._forget_state(key)
        return len(gone)

    def append_records(self, records: Iterable[Record], state: Mapping[str, str] = NO_STATE) -> int:
        new, number, beside = check_records(records), 0, check_state(state)
        with self._lock:
            self._keep_state(beside)
            for record in new:
                number = next(self._record_numbers)
                kept = self._records.pop(record.conversation, [])
                kept.append(replace(record, number=number))
                self._records[record.conversation] = kept
                self._record_characters += len(record.text)
            while self._record_characters > self._most_record_characters and len(self._records) > 1:
                self._forget_records(next(iter(self._records)))
        return number

    def read_records(
        self, *, after: int = 0, conversation: str | None = None, limit: int | None = None
    ) -> list[Record]:
        with self._lock:
            rooms = self._records if conversation is None else [check_text(CONVERSATION_ID, conversation)]
            found = [record for room in rooms for record in self._records.get(room, []) if record.number > after]
        return sorted(found, key=attrgetter("number"))[: None if limit is None else max(0, limit)]

    def recorded_conversations(self) -> list[RecordedConversation]:
        with self._lock:
            rooms = {room: [*records] for room, records in reversed(self._records.items()) if room}
        times = {room: [record.at for record in records] for room, records in rooms.items()}
        return [
            RecordedConversation(room, len(records), min(times[room]), max(times[room]), records[-1].number)
            for room, records in rooms.items()
        ]

    def delete_conversations(self, conversations: Iterable[str], *, state: Iterable[str] = ()) -> int:
        gone, keys = check_conversations(conversations), check_state_keys(state)
        with self._lock:
            for key in self._state.keys() & keys:
                self._forget_state(key)
            return sum(self._forget_records(room) for room in gone)

    def delete_records(self, older_than: float) -> int:
        latest = time.time() - check_seconds(older_than)
        with self._lock:
            old = [r for r, records in self._records.items() if r and max(record.at for record in records) <= latest]
            loose = self._records.get("", [])
            left = [record for record in loose if record.at > latest]
            gone = sum(self._forget_records(room) for room in (*old, ""))
            if left:
                self._records = {"": left, **self._records}
                self._record_characters += sum(len(record.text) for record in left)
        return gone - len(left)

    def close(self) -> None:
        """Forget everything."""
        with self._lock:
            self._state.clear()
            self._records.clear()
            self._state_characters = self._record_characters = 0

    def _keep_state(self, new: Mapping[str, str]) -> dict[str, str]:
        """Keep values whose keys have none, and forget the oldest beyond the bound. Returns what stands for each."""
        for key, value in new.items():
            if key not in self._state:
                self._state[key] = time.time(), value
                self._state_characters += len(key) + len(value)
            self._state.move_to_end(key)
        stands = {key: self._state[key][1] for key in new}
        while self._state_characters > self._most_state_characters and len(self._state) > 1:
            self._forget_state(next(iter(self._state)))
        return stands

    def _forget_records(self, conversation: str) -> int:
        gone = self._records.pop(conversation, [])
        self._record_characters -= sum(len(record.text) for record in gone)
        return len(gone)

    def _forget_state(self, key: str) -> None:
        _, value = self._state.pop(key)
        self._state_characters -= len(key) + len(value)
