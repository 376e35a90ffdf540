"""A conversation as values: messages, the blocks and turns they form, and the requests they were sent in.

message < block < turn. Nothing here ever changes: an edit is a new Conversation.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from itertools import pairwise
from typing import Any

from historylab.columns import Columns, index


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call of a tool. `arguments` is the raw text the model wrote: usually JSON, sometimes broken."""

    id: str
    name: str
    arguments: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """One message. Roles are system, user, assistant, tool; any other is treated as conversation.

    `media` names the non-text parts ("image", "audio", "file"), whose data we never hold. `source` is the caller's own
    object, outside equality and digest, so that what is kept can be handed back as it came.
    """

    role: str
    content: str = ""
    id: str | None = None
    name: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    media: tuple[str, ...] = ()
    timestamp: str | None = None
    pinned: bool = False
    metadata: Mapping[str, Any] = field(default_factory=dict, hash=False)
    source: Any = field(default=None, compare=False, repr=False)

    def __hash__(self) -> int:
        return hash((self.role, self.content, self.id, self.tool_calls, self.tool_call_id))


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one request as a provider counts them. `input` excludes what was read from or written to the cache."""

    input: int = 0
    output: int = 0
    cache_reads: int = 0
    cache_writes: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(*(getattr(self, f) + getattr(other, f) for f in Usage.__slots__))


@dataclass(frozen=True, slots=True)
class Summary:
    """The text that stands for messages no longer sent.

    `tokens` is what it takes as a system message; `covers` how many messages it stands for, those of the summaries it
    absorbed included; `made_at` the history length of the request it was made for; `by` names the summarizer (or the
    fallback that stepped in, with the reason in `note`). `usage` is what a model used to write it, once, when it was
    made; None where none was asked or it didn't say.
    """

    text: str
    tokens: int
    covers: int
    made_at: int
    by: str
    note: str = ""
    usage: Usage | None = None
    heading: str = ""

    @property
    def body(self) -> str:
        """The text without the heading that says what it is."""
        return self.text.removeprefix(self.heading)


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
class Conversation(Sequence):
    """Messages in order, with a title and where they came from. Index, iterate and compare it like a tuple."""

    messages: tuple[Message, ...]
    title: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def __init__(self, messages: Iterable[Message] = (), title: str = "", metadata: Mapping[str, Any] | None = None):
        object.__setattr__(self, "messages", tuple(messages))
        object.__setattr__(self, "title", title)
        object.__setattr__(self, "metadata", dict(metadata or {}))
        object.__setattr__(self, "derived", {})  # what is computed once per conversation, by key

    def __len__(self) -> int:
        return len(self.messages)

    def __getitem__(self, i):
        return self.messages[i]

    def __iter__(self) -> Iterator[Message]:
        return iter(self.messages)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Conversation) and self.messages == other.messages

    def __hash__(self) -> int:
        return hash(self.digest)

    @cached_property
    def columns(self) -> Columns:
        """The numpy index, built at first use."""
        return index(self.messages)

    @cached_property
    def digest(self) -> str:
        """A content hash (hex): equal conversations have equal digests, in any process."""
        hasher = hashlib.blake2b(digest_size=16)
        for m in self.messages:
            calls = [(c.id, c.name, c.arguments) for c in m.tool_calls]
            parts = (m.role, m.content, m.id, m.name, calls, m.tool_call_id, m.media, m.timestamp, m.pinned)
            hasher.update(json.dumps(parts).encode())
        return hasher.hexdigest()

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
        """The same conversation with those messages pinned (or no longer)."""
        chosen = set(indices)
        return self.edited(replace(m, pinned=pinned) if i in chosen else m for i, m in enumerate(self))

    def edited(self, messages: Iterable[Message]) -> Conversation:
        """The same title and metadata around other messages."""
        return Conversation(messages, self.title, self.metadata)


def instant(timestamp: str | None) -> float:
    """ISO 8601 text as seconds since 1970 (without an offset: UTC); NaN if it is none."""
    try:
        moment = datetime.fromisoformat(timestamp or "")
    except ValueError:
        return float("nan")
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def turn_is_complete(columns: Columns, turn: int, size: int) -> bool:
    """Whether, within the first `size` messages, the turn has an assistant message and no unanswered call."""
    within = (columns.block_turn == turn) & (columns.block_first < size)
    answered = columns.answered_at[within] <= size
    from_assistant = columns.block_role[within] == 2
    return bool(from_assistant.any() and answered.all())
