"""`memory`: conversations and state in this process; what was least recently used goes, and the oldest messages."""

from __future__ import annotations

import threading
import time
from bisect import insort
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Annotated

from pydantic import Field

from historylab.registry import register
from historylab.stores.base import (
    CONVERSATION_ID,
    SEARCH_LIMIT,
    SEARCH_TOKENS,
    StoredMessage,
    check_seconds,
    check_state,
    check_state_keys,
    check_text,
    prepare_message,
    with_own_metadata,
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
    ):
        self._most_conversations = max(1, max_conversations)
        self._most_messages = max(0, max_messages_per_conversation)
        self._conversations: OrderedDict[str, _Conversation] = OrderedDict()  # the most recently used last
        self._arrivals = count()
        self._state: OrderedDict[str, tuple[float, str]] = OrderedDict()  # by key: when written, and the value
        self._state_characters, self._most_state_characters = 0, max_state_characters
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

    def close(self) -> None:
        """Forget everything."""
        with self._lock:
            self._conversations.clear()
            self._state.clear()
            self._state_characters = 0

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
