"""What stays in a store, so that a restart or a second process sends the same bytes: summaries, and times of messages.

Everything is found by what it is about, so that no conversation needs an id: a summary by the messages it stands for, a
time by the conversation up to its message.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from historylab.conversation.lineage import digest_of, time_keys, words_of_message
from historylab.conversation.message import Message, Summary
from historylab.errors import StoreError

if TYPE_CHECKING:
    from historylab.stores.base import StateStore
    from historylab.summarizers.base import SummaryTask


class KeptSummaries:
    """The summaries of one summarizer, by their tasks. `writer` tells it and its options from every other."""

    def __init__(self, store: StateStore, writer: str):
        self._store, self.writer = store, writer

    def summary(self, task: SummaryTask, heading: str, made_at: int, write: Callable[[], Summary]) -> Summary:
        """The summary kept for this task, without what it used; else the one that `write` gives, or, if another
        process was first, the one of that. Raises StoreError where the store fails or holds something else."""
        about = [words_of_message(message) for message in task.messages]
        key = digest_of("summary", self.writer, task.counter.key, heading, task.max_tokens, task.previous, about)
        kept = self._store.read_state([key]).get(key)
        if kept is None:
            written = write()
            said = [written.text, written.tokens, written.covers, written.by, written.note, written.heading]
            kept = self._store.write_state(key, mine := json.dumps(said))
            if kept == mine:
                return replace(written, key=key)
        found = read_kept(kept, made_at)
        if found is None:
            raise StoreError("a summary kept in the store can't be read: it isn't a text, its size and its author")
        return replace(found, key=key)

    def read(self, key: str, made_at: int) -> Summary | None:
        """The summary kept under this key; None if it is gone."""
        found = read_kept(self._store.read_state([key]).get(key, ""), made_at)
        return replace(found, key=key) if found else None


def read_kept(value: str, made_at: int = 0) -> Summary | None:
    """The summary that a value of the store is; None for one of anything else."""
    try:
        text, tokens, covers, by, note, heading = json.loads(value)
        return Summary(str(text), int(tokens), int(covers), made_at, str(by), str(note), heading=str(heading))
    except (ValueError, TypeError):
        return None


class KeptTimes:
    """When the messages of one chat were first given, for those that don't say when they were written."""

    def __init__(self, store: StateStore, keys: Sequence[str] = ()):
        self._store, self._keys = store, list(keys)  # of the messages up to each

    def beginning(self, count: int) -> KeptTimes:
        """Those of the first messages alone."""
        return KeptTimes(self._store, self._keys[:count])

    def stamp(self, messages: Sequence[Message]) -> list[Message]:
        """Messages that follow those before, each with a time of its own: the one it was first given at."""
        keys = list(time_keys(messages, self._keys[-1] if self._keys else ""))
        self._keys += keys
        untimed = [key for message, key in zip(messages, keys, strict=True) if message.timestamp is None]
        times = self._store.read_state(untimed) if untimed else {}
        if len(times) < len(untimed):
            moment = now().isoformat()
            times |= self._store.write_states({key: moment for key in untimed if key not in times})
        return [
            replace(message, timestamp=times[key]) if message.timestamp is None else message
            for message, key in zip(messages, keys, strict=True)
        ]


def now() -> datetime:
    return datetime.now(UTC)
