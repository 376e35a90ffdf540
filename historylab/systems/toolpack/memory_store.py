"""Conversations in this process: the least recently used go, and old messages."""

from __future__ import annotations

import threading
from bisect import insort
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import count

from historylab.stores.base import CONVERSATION_ID, check_text
from historylab.systems.toolpack.conversation_store import SEARCH_LIMIT, SEARCH_TOKENS, select_matches, select_recent
from historylab.systems.toolpack.stored_messages import StoredMessage, prepare_message, with_own_metadata


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


class InMemoryConversationStore:
    """In this process, bounded; reading a conversation counts as using it. Safe under threads.

    Args:
        max_conversations: conversations kept; 0 keeps one.
        max_messages_per_conversation: messages kept of each conversation, the newest by their times.
    """

    def __init__(self, *, max_conversations: int = 500, max_messages_per_conversation: int = 500):
        self._most_conversations = max(1, max_conversations)
        self._most_messages = max(0, max_messages_per_conversation)
        self._conversations: OrderedDict[str, _Conversation] = OrderedDict()  # the most recently used last
        self._arrivals = count()
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
            newest_first = self._touch(conversation_id).newest_first()
            messages = select_recent(newest_first, scope, since_timestamp, limit, participant_ids)
        return [with_own_metadata(message) for message in messages]

    def search(
        self, conversation_id: str, query: str, *, limit: int = SEARCH_LIMIT, token_cap: int = SEARCH_TOKENS
    ) -> list[StoredMessage]:
        with self._lock:
            newest_first = (message for _, message in self._touch(conversation_id).newest_first())
            messages = select_matches(newest_first, query, limit, token_cap)
        return [with_own_metadata(message) for message in messages]

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

    def close(self) -> None:
        """Forget everything."""
        with self._lock:
            self._conversations.clear()

    def _touch(self, conversation_id: str) -> _Conversation:
        if check_text(CONVERSATION_ID, conversation_id) not in self._conversations:
            return _Conversation()
        self._conversations.move_to_end(conversation_id)
        return self._conversations[conversation_id]

    def _forget_if_empty(self, conversation_id: str) -> None:
        if not self._conversations[conversation_id].entries:
            del self._conversations[conversation_id]
