"""A conversation as an immutable value: messages, and the blocks and turns they form.

message < block < turn. An edit makes a new Conversation.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar, overload

from historylab.conversation.columns import ASSISTANT, Columns, index_messages
from historylab.conversation.message import Message, known_size

if TYPE_CHECKING:
    from historylab.conversation.recorded import Recorded

T = TypeVar("T")
_taking_turns = threading.Lock()  # a sample is shared by all sessions' threads


class Memo:
    """Values derived from an immutable object alone, kept with it so that they are computed once.

    A key is a name, or a tuple of a name and what the value depends on besides (options, a counter). Options take any
    number of values, and a conversation may live as long as the process: of such a name only the latest used are kept.
    """

    derived: dict[Hashable, Any]

    def remember(self, key: Hashable, make: Callable[[], T], *, most: int = 16) -> T:
        """The value kept under `key`; `make()` computes it. `most`: values kept of a name that comes with options."""
        if not isinstance(key, tuple):
            if key not in self.derived:
                self.derived[key] = make()
            found: T = self.derived[key]
            return found
        kept: dict[Hashable, T] = self.derived.setdefault(key[:1], {})  # the least recently used first
        with _taking_turns:
            if key in kept:
                found = kept[key] = kept.pop(key)
                return found
        found = make()
        with _taking_turns:
            kept[key] = found
            while len(kept) > most:
                del kept[next(iter(kept))]
        return found


@dataclass(frozen=True, slots=True)
class Block:
    """An assistant message with calls and all its results, or one other message. `indices` into the conversation."""

    indices: tuple[int, ...]
    turn: int


@dataclass(frozen=True, slots=True)
class Turn:
    """A user message and everything up to the next one: messages `start` up to, not including, `stop`."""

    number: int
    start: int
    stop: int
    complete: bool


@dataclass(frozen=True, eq=False)
class Conversation(Memo, Sequence[Message]):
    """Messages in order, with a title and where they came from. Index, iterate and compare it like a tuple.

    `branches` are the other paths through the tree that a transcript holds (rewinds, regenerated answers), newest
    first, each from its beginning; the conversation itself is the newest path.
    """

    messages: tuple[Message, ...]
    title: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    branches: tuple[Conversation, ...] = ()

    def __init__(
        self,
        messages: Iterable[Message] = (),
        title: str = "",
        metadata: Mapping[str, Any] | None = None,
        branches: Iterable[Conversation] = (),
    ):
        object.__setattr__(self, "messages", tuple(messages))
        object.__setattr__(self, "title", title)
        object.__setattr__(self, "metadata", dict(metadata or {}))
        object.__setattr__(self, "branches", tuple(branches))
        object.__setattr__(self, "derived", {})

    def __len__(self) -> int:
        return len(self.messages)

    @overload
    def __getitem__(self, i: int) -> Message: ...

    @overload
    def __getitem__(self, i: slice) -> tuple[Message, ...]: ...

    def __getitem__(self, i: int | slice) -> Message | tuple[Message, ...]:
        return self.messages[i]

    def __iter__(self) -> Iterator[Message]:
        return iter(self.messages)

    def __repr__(self) -> str:
        messages, turns = len(self), len(self.columns.users)
        size = f"{messages:,} message{'s' * (messages != 1)}, {turns:,} turn{'s' * (turns != 1)}"
        return f"<Conversation {self.title!r}: {size}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Conversation) and self.messages == other.messages

    def __hash__(self) -> int:
        return hash(self.digest)

    @cached_property
    def columns(self) -> Columns:
        """The numpy index, built at first use."""
        return index_messages(self.messages)

    @cached_property
    def digest(self) -> str:
        """A content hash (hex): equal conversations have equal digests, in any process."""
        hasher = hashlib.blake2b(digest_size=16)
        for m in self.messages:
            calls = [(c.id, c.name, c.arguments) for c in m.tool_calls]
            parts = (m.role, m.content, m.id, m.name, calls, m.tool_call_id, m.media, m.timestamp, m.pinned)
            size = () if m.content else (known_size(m),) * (known_size(m) is not None)
            hasher.update(json.dumps(parts + size).encode())
        return hasher.hexdigest()

    @property
    def recorded(self) -> Recorded:
        """The model, tools and usage that the transcript names."""
        from historylab.conversation.recorded import recorded_of

        return self.remember("recorded", lambda: recorded_of(self))

    @property
    def blocks(self) -> tuple[Block, ...]:
        members: list[list[int]] = [[] for _ in self.columns.block_first]
        for i, home in enumerate(self.columns.block):
            members[home].append(i)
        turns = self.columns.block_turn
        return tuple(Block(tuple(found), int(turns[b])) for b, found in enumerate(members))

    @property
    def turns(self) -> tuple[Turn, ...]:
        c = self.columns
        starts = [*map(int, c.users), len(self)]
        return tuple(
            Turn(number, start, stop, turn_is_complete(c, number, len(self)))
            for number, (start, stop) in enumerate(pairwise(starts))
        )

    def pin(self, indices: Iterable[int], *, pinned: bool = True) -> Conversation:
        """The same conversation with those messages pinned, or unpinned. Raises IndexError for one beyond them."""
        chosen = {checked_index(i, len(self), "message") for i in indices}
        return self.edited(replace(m, pinned=pinned) if i in chosen else m for i, m in enumerate(self))

    def edited(self, messages: Iterable[Message]) -> Conversation:
        """A conversation of other messages with this title and metadata."""
        return Conversation(messages, self.title, self.metadata)


def checked_index(index: int, count: int, what: str) -> int:
    """The index from the start; a negative one counts from the end, as in a list. Raises IndexError beyond it."""
    if not -count <= index < count:
        raise IndexError(f"there is no {what} {index}; there are {count:,}, counted from 0")
    return index % count


def turn_is_complete(columns: Columns, turn: int, size: int) -> bool:
    """Whether, within the first `size` messages, the turn has an assistant message and no unanswered call."""
    within = (columns.block_turn == turn) & (columns.block_first < size)
    answered = columns.answered_at[within] <= size
    from_assistant = columns.block_role[within] == ASSISTANT
    return bool(from_assistant.any() and answered.all())
