"""Lineages: how much of a list is already known, and so what it continues or where it forks.

Two lists are one lineage as far as their items are equal: `same_beginning` counts them, and nothing else proves it.
Where one list is looked for among many, an index names candidates, and these are compared:

* a Trimmer finds its chats by their first words and compares the caller's objects, by identity first
  (`trimming/chats.py`, `trimming/chat_items.py`);
* a log finds its threads by `Numbers`, a table that compares while it looks up (`formats/messages/threads.py`), and
  where an app trims, by what both have last (`formats/messages/aligner.py`);
* a recording finds its conversations by a digest of what was said up to an answer, and compares it with what this
  process wrote there (`recordings/chain_writer.py`);
* branches of a file are all compared (`formats/messages/branching.py`).

Stores and recordings hold digests (`digest_of`, `chain`): other bytes than today's would not be found there.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Any

from historylab.conversation.message import Message


def same_beginning(one: Sequence[Any], other: Sequence[Any]) -> int:
    """The number of items at the beginning that are equal in both. The same object is equal to itself."""
    least = min(len(one), len(other))
    both = (items if len(items) == least else items[:least] for items in (one, other))
    these, those = (items if type(items) is list else list(items) for items in both)
    if equal_lists(these, those):
        return least
    low, step = 0, 1
    while low + step < least and equal_lists(these[low : low + step], those[low : low + step]):
        low, step = low + step, 2 * step
    while step > 1:  # the first item that differs is among these
        step //= 2
        if equal_lists(these[low : low + step], those[low : low + step]):
            low += step
    return low


def equal_lists(one: list[Any], other: list[Any]) -> bool:
    """Compare two lists of one length by their items; what can't be compared is equal to itself alone."""
    try:
        return one == other  # fastest as whole lists, in which Python asks for identity first
    except Exception:  # of a caller's object
        return all(a is b for a, b in zip(one, other, strict=True))


class Numbers(dict[Hashable, int]):
    """A number for each value: the same for equal ones and for no others, whatever their hashes."""

    def of(self, values: Iterable[Hashable]) -> list[int]:
        """The number of each value."""
        return [self.setdefault(value, len(self) + 1) for value in values]

    def of_beginnings(self, items: Iterable[Hashable], before: int = 0) -> list[int]:
        """The number of each beginning of a list (its first item, its first two, …), after one numbered `before`."""
        return [before := self.setdefault((before, item), len(self) + 1) for item in items]


def digest_of(*parts: object) -> str:
    """A digest of JSON values, the same in every process."""
    text = json.dumps(parts, sort_keys=True, default=str)
    return hashlib.blake2b(text.encode(), digest_size=20).hexdigest()


def chain(said: Iterable[object], before: str, *kind: str) -> Iterator[str]:
    """A digest for each beginning, of `before` and what is said up to there; None adds nothing to it."""
    for one in said:
        if one is not None:
            before = digest_of(*kind, before, one)
        yield before


def words_of_message(message: Message) -> list[object]:
    """The words of a message, as JSON: no ids, times or metadata."""
    calls = [(call.name, call.arguments) for call in message.tool_calls]
    return [message.role, message.name, message.content, calls, message.media]


def time_keys(messages: Iterable[Message], before: str = "") -> Iterator[str]:
    """The key under which a store has when each message was first given, after those whose last key is `before`."""
    return chain(map(words_of_message, messages), before, "time")
