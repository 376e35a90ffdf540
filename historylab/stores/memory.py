"""`memory`: conversations, state and records in this process; what was least recently used goes, and old messages."""

from __future__ import annotations

import threading
import time
from bisect import insort
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from operator import attrgetter
from typing import Annotated

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
    prepare_message,
    with_own_metadata,
)
from historylab.stores.checks import (
    check_conversations,
    check_records,
    check_seconds,
    check_state,
    check_state_keys,
)
from historylab.stores.selection import select_matches, select_ranked, select_recent


@dataclass(slots=True)
class _Conversation:
    """Sorted entries (instant, number of arrival, message), and their ids."""

    entries: list[tuple[float, int, StoredMessage]] = field(default_factory=list)
    ids: set[str] = field(default_factory=set)

    def newest_first(self) -> Iterator[tuple[float, StoredMessage]]:
        return ((when, message) for when, _, message in reversed(self.entries))

    def keep_newest(self, most: int) -> None:
        while len(self.entries) > most:
            self.ids.discard(self.entries.pop(0)[2].id)


@register("store", "memory")
class InMemoryConversationStore:
    """In this process, bounded; reading a conversation counts as using it. Safe under threads."""

    def __init__(
        self,
        *,
        max_conversations: Annotated[int, Field(ge=0, description="conversations kept; 0 keeps one")] = 500,
        max_messages_per_conversation: Annotated[
            int, Field(ge=0, description="messages kept of each conversation, the newest by their times")
        ] = 500,
        max_state_characters: Annotated[
            int, Field(ge=0, description="characters of state kept, keys and values; 0 keeps the newest value")
        ] = 20_000_000,
        max_record_characters: Annotated[
            int, Field(ge=0, description="characters of records kept; the conversation recorded least recently goes")
        ] = 100_000_000,
    ):
        self._most_conversations = max(1, max_conversations)
        self._most_messages = max(0, max_messages_per_conversation)
        self._conversations: OrderedDict[str, _Conversation] = OrderedDict()  # the most recently used last
        self._arrivals = count()
        self._state: OrderedDict[str, tuple[float, str]] = OrderedDict()  # by key: when written, and the value
        self._state_characters, self._most_state_characters = 0, max_state_characters
        self._records: dict[str, list[Record]] = {}  # by conversation, the one recorded last at the end
        self._record_numbers = count(1)
        self._record_characters, self._most_record_characters = 0, max_record_characters
        self._lock = threading.Lock()

    def append(self, message: StoredMessage) -> None:
        when, message = prepare_message(message)
        with self._lock:
            conversation = self._conversations.setdefault(message.conversation_id, _Conversation())
            self._conversations.move_to_end(message.conversation_id)
            if message.id not in conversation.ids:
                insort(conversation.entries, (when, next(self._arrivals), message))
                conversation.ids.add(message.id)
                conversation.keep_newest(self._most_messages)
            self._forget_if_empty(message.conversation_id)
            while len(self._conversations) > self._most_conversations:
                self._conversations.popitem(last=False)

    def get(
        self,
        conversation_id: str,
        *,
        scope: str | None = None,
        since_timestamp: str | None = None,
        limit: int | None = None,
        participant_ids: Iterable[str] | None = None,
    ) -> list[StoredMessage]:
        with self._lock:
            newest_first = self._used(conversation_id).newest_first()
            messages = select_recent(newest_first, scope, since_timestamp, limit, participant_ids)
        return [with_own_metadata(message) for message in messages]

    def search(
        self, conversation_id: str, query: str, *, limit: int = SEARCH_LIMIT, token_cap: int = SEARCH_TOKENS
    ) -> list[StoredMessage]:
        with self._lock:
            newest_first = (message for _, message in self._used(conversation_id).newest_first())
            messages = select_matches(newest_first, query, limit, token_cap)
        return [with_own_metadata(message) for message in messages]

    def search_ranked(
        self, conversation_id: str, query: str, *, limit: int = SEARCH_LIMIT, token_cap: int = SEARCH_TOKENS
    ) -> list[StoredMessage]:
        with self._lock:
            newest_first = [message for _, message in self._used(conversation_id).newest_first()]
        return [with_own_metadata(message) for message in select_ranked(newest_first, query, limit, token_cap)]

    def delete_messages(self, conversation_id: str, ids: Iterable[str]) -> None:
        gone = {check_text("a message's id", id) for id in ids}
        with self._lock:
            conversation = self._conversations.get(check_text(CONVERSATION_ID, conversation_id))
            if conversation and gone:
                conversation.entries = [entry for entry in conversation.entries if entry[2].id not in gone]
                conversation.ids -= gone
                self._forget_if_empty(conversation_id)

    def clear_conversation(self, conversation_id: str) -> None:
        with self._lock:
            self._conversations.pop(check_text(CONVERSATION_ID, conversation_id), None)

    @property
    def conversation_count(self) -> int:
        with self._lock:
            return len(self._conversations)

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
            for key, value in new.items():
                if key not in self._state:
                    self._state[key] = time.time(), value
                    self._state_characters += len(key) + len(value)
                self._state.move_to_end(key)
            stands = {key: self._state[key][1] for key in new}
            while self._state_characters > self._most_state_characters and len(self._state) > 1:
                self._forget_state(next(iter(self._state)))
        return stands

    def delete_state(self, older_than: float) -> int:
        latest = time.time() - check_seconds(older_than)
        with self._lock:
            gone = [key for key, (written, _) in self._state.items() if written <= latest]
            for key in gone:
                self._forget_state(key)
        return len(gone)

    def append_records(self, records: Iterable[Record]) -> int:
        new, number = check_records(records), 0
        with self._lock:
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
            self._conversations.clear()
            self._state.clear()
            self._records.clear()
            self._state_characters = self._record_characters = 0

    def _forget_records(self, conversation: str) -> int:
        gone = self._records.pop(conversation, [])
        self._record_characters -= sum(len(record.text) for record in gone)
        return len(gone)

    def _forget_state(self, key: str) -> None:
        _, value = self._state.pop(key)
        self._state_characters -= len(key) + len(value)

    def _used(self, conversation_id: str) -> _Conversation:
        if check_text(CONVERSATION_ID, conversation_id) not in self._conversations:
            return _Conversation()
        self._conversations.move_to_end(conversation_id)
        return self._conversations[conversation_id]

    def _forget_if_empty(self, conversation_id: str) -> None:
        if not self._conversations[conversation_id].entries:
            del self._conversations[conversation_id]
