"""The contract of toolpack's stores: conversations with filters and search; and the choice from messages in Python.

Order and filters compare instants ("+02:00" and fractions of a second included); equal instants keep their order of
arrival. Timestamps are returned exactly as they were given. Texts are kept as every store keeps them
(`historylab/stores/base.py`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import islice, takewhile
from typing import Protocol

from historylab.counters.toolpack import estimate_tokens
from historylab.stores.base import check_text
from historylab.systems.toolpack.stored_messages import StoredMessage, parse_instant

SEARCH_LIMIT = 10
SEARCH_TOKENS = 2000


class ConversationStore(Protocol):
    """Keeps messages per conversation. A message is never returned for another conversation's id."""

    def append(self, message: StoredMessage) -> None:
        """Store a message; ignored while the conversation has one of that id."""

    def get(
        self,
        conversation_id: str,
        *,
        scope: str | None = None,
        since_timestamp: str | None = None,
        limit: int | None = None,
        participant_ids: Iterable[str] | None = None,
    ) -> list[StoredMessage]:
        """The newest `limit` messages that pass the filters (scope, earliest instant, participants), oldest first."""

    def search(
        self, conversation_id: str, query: str, *, limit: int = SEARCH_LIMIT, token_cap: int = SEARCH_TOKENS
    ) -> list[StoredMessage]:
        """Messages whose text contains `query` literally, ignoring case; newest first. An empty query matches all.

        The first match is always returned; the list ends before the match that would exceed `token_cap`.
        """

    def delete_messages(self, conversation_id: str, ids: Iterable[str]) -> None:
        """Delete the messages with these ids; unknown ids are ignored."""

    def clear_conversation(self, conversation_id: str) -> None:
        """Delete the whole conversation."""

    @property
    def conversation_count(self) -> int:
        """The number of conversations with messages."""


def select_recent(
    newest_first: Iterable[tuple[float, StoredMessage]],
    scope: str | None,
    since_timestamp: str | None,
    limit: int | None,
    participant_ids: Iterable[str] | None,
) -> list[StoredMessage]:
    """The result of `get`, from messages with their instants; reads no further than necessary."""
    earliest = parse_instant(since_timestamp) if since_timestamp else -math.inf
    people = frozenset(check_text("a participant's id", id) for id in participant_ids or ())
    scope = check_text("a scope", scope or "")
    matching = (
        message
        for _, message in takewhile(lambda entry: entry[0] >= earliest, newest_first)
        if (not scope or message.scope == scope) and (not people or message.participant.id in people)
    )
    return list(matching if limit is None else islice(matching, max(0, limit)))[::-1]


def select_matches(
    newest_first: Iterable[StoredMessage], query: str, limit: int, token_cap: int
) -> list[StoredMessage]:
    """The result of `search`, newest first."""
    wanted = check_text("what is searched for", query or "").casefold()
    return _within_caps((message for message in newest_first if wanted in message.content.casefold()), limit, token_cap)


def _within_caps(found: Iterable[StoredMessage], limit: int, token_cap: int) -> list[StoredMessage]:
    """The first of what was found: `limit` at most, ending before the one over `token_cap`; the first in any case."""
    hits: list[StoredMessage] = []
    tokens = 0
    for message in islice(found, max(0, limit)):
        tokens += estimate_tokens(message.content)
        if hits and tokens > token_cap:
            break
        hits.append(message)
    return hits
