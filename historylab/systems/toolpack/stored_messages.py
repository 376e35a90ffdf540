"""Stored messages: toolpack's published JSON as values, and what makes one fit to be kept."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from historylab.conversation.message import instant
from historylab.errors import StoreError
from historylab.stores.base import check_text


@dataclass(frozen=True, slots=True)
class Participant:
    """The author of a message: `kind` is user, agent or system (any other counts as user)."""

    kind: str
    id: str
    display_name: str | None = None

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Participant:
        """From the published JSON. Raises StoreError if a key is missing or not text."""
        return cls(_text(given, "kind"), _text(given, "id"), _text(given, "displayName", optional=True))

    def to_dict(self) -> dict[str, Any]:
        shown = {} if self.display_name is None else {"displayName": self.display_name}
        return {"kind": self.kind, "id": self.id, **shown}

    @property
    def name(self) -> str:
        """The display name, or the id if there is none; an empty display name stays empty."""
        return self.id if self.display_name is None else self.display_name


@dataclass(frozen=True, slots=True)
class StoredMessage:
    """One message of a conversation. `timestamp` is ISO 8601; `scope` is channel, dm or thread; `metadata` is JSON."""

    id: str
    conversation_id: str
    participant: Participant
    content: str
    timestamp: str
    scope: str
    metadata: dict[str, Any] | None = field(default=None, hash=False)

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> StoredMessage:
        """From the published JSON. Raises StoreError if a key is missing or of the wrong type."""
        texts = (_text(given, key) for key in ("id", "conversationId", "content", "timestamp", "scope"))
        participant, metadata = given.get("participant"), given.get("metadata")
        if not isinstance(participant, Mapping) or not isinstance(metadata, Mapping | None):
            wrong = "metadata" if isinstance(participant, Mapping) else "participant"
            raise StoreError(f"a stored message's {wrong!r} is an object, not {given.get(wrong)!r:.60}")
        id, conversation_id, content, timestamp, scope = texts
        return cls(
            id,
            conversation_id,
            Participant.from_dict(participant),
            content,
            timestamp,
            scope,
            None if metadata is None else dict(metadata),
        )

    def to_dict(self) -> dict[str, Any]:
        """The published JSON, in camelCase; absent fields stay absent."""
        return {
            "id": self.id,
            "conversationId": self.conversation_id,
            "participant": self.participant.to_dict(),
            "content": self.content,
            "timestamp": self.timestamp,
            "scope": self.scope,
            **({} if self.metadata is None else {"metadata": self.metadata}),
        }

    @property
    def is_summary(self) -> bool:
        """True for a summary of earlier messages, which are no longer stored."""
        return bool((self.metadata or {}).get("isSummary"))


def prepare_message(message: StoredMessage) -> tuple[float, StoredMessage]:
    """The message's instant in seconds, and the message with its own copy of the metadata.

    Raises StoreError for a field that is not text or holds a NUL, a timestamp that cannot be read, or metadata that is
    not JSON.
    """
    message = StoredMessage.from_dict(message.to_dict())
    who = message.participant
    for text in (message.id, message.conversation_id, message.content, message.scope, who.kind, who.id, who.name):
        check_text(f"a field of message {message.id!r:.60}", text)
    return parse_instant(message.timestamp), with_own_metadata(message)


def with_own_metadata(message: StoredMessage) -> StoredMessage:
    """The same message, sharing no mutable state."""
    if message.metadata is None:
        return message
    try:
        return replace(message, metadata=json.loads(json.dumps(message.metadata)))
    except (TypeError, ValueError, RecursionError) as problem:
        raise StoreError(f"the metadata of message {message.id!r} is no JSON: {problem}") from None


def parse_instant(timestamp: str) -> float:
    """ISO 8601 text as seconds since 1970. Raises StoreError for any other text."""
    seconds = instant(timestamp) if isinstance(timestamp, str) else math.nan
    if math.isnan(seconds):
        raise StoreError(f"{timestamp!r:.60} is no time; give ISO 8601, such as 2026-01-31T12:00:00Z")
    return seconds


def _text(given: Mapping[str, Any], key: str, *, optional: bool = False) -> Any:
    value = given.get(key)
    if isinstance(value, str) or (optional and value is None):
        return value
    raise StoreError(f"a stored message's {key!r} is text, not {value!r:.60}; keys: {', '.join(map(str, given))}")
