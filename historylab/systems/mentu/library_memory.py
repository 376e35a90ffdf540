"""Mentu's memory drawn from a library: what other recorded, imported or generated conversations said of a question."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import islice

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.errors import HistoryLabError
from historylab.recordings.entries import Entry
from historylab.recordings.library import Library
from historylab.recordings.search import MessageIndex
from historylab.systems.mentu.memory import as_system_message, find_quotes
from historylab.systems.toolpack.stored_messages import Participant, StoredMessage

LOOKED_INTO = 20  # conversations that the library's search finds best
SPEAKERS = {"user": Participant("user", "user"), "assistant": Participant("agent", "assistant")}


@dataclass(frozen=True)
class Remembered:
    """The system message that quotes other conversations, and these, each once."""

    message: Message
    entries: tuple[Entry, ...]


def remember(
    question: str, library: Library, index: MessageIndex, *, leave_out: Collection[str] = ()
) -> Remembered | None:
    """What the library's other conversations said of the question; None if nothing.

    Args:
        index: ranks the conversations, of which the best are looked into.
        leave_out: keys of those that are not, the current one above all.
    """
    found = (match.key for match in index.search(question) if match.key not in leave_out)
    said = _Said(library)
    keys = list(islice(said.readable(found), LOOKED_INTO))
    quoted = find_quotes(said, question, keys)
    if not quoted:
        return None
    sources = dict.fromkeys(message.conversation_id for message in quoted)
    message = Message("system", as_system_message(map(said.with_title, quoted))["content"])
    return Remembered(message, tuple(said.entries[key] for key in sources))


class _Said:
    """Conversations of a library as the messages that people and models said; ids are keys."""

    def __init__(self, library: Library):
        self.entries: dict[str, Entry] = {}
        self._library = library
        self._said: dict[str, list[StoredMessage]] = {}

    def get(self, conversation_id: str) -> list[StoredMessage]:
        return self._said[conversation_id]

    def readable(self, keys: Iterable[str]) -> Iterator[str]:
        """Those that can be read; a recorded one may be gone by now."""
        for key in keys:
            try:
                entry = self.entries[key] = self._library.entry(key)
                self._said[key] = list(_messages(self._library.conversation(key), key, entry.changed))
            except (HistoryLabError, KeyError):
                continue
            yield key

    def with_title(self, message: StoredMessage) -> StoredMessage:
        """The message as it is quoted: a model is told the conversation's title, not our key."""
        return replace(message, conversation_id=f"“{self.entries[message.conversation_id].title}”")


def _messages(conversation: Conversation, key: str, changed: float) -> Iterator[StoredMessage]:
    day = datetime.fromtimestamp(changed, UTC).isoformat() if changed else ""
    for i, message in enumerate(conversation):
        if message.role in SPEAKERS and message.content.strip():
            when = message.timestamp or day
            yield StoredMessage(str(i), key, SPEAKERS[message.role], message.content, when, "dm")
