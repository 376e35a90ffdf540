"""A conversation as an immutable value: messages, and the blocks and turns they form.

message < block < turn. An edit makes a new Conversation.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice, pairwise
from typing import Any, NamedTuple, TypeVar, overload

from historylab.conversation.columns import ASSISTANT, Columns
from historylab.conversation.growing import Growing, Grown
from historylab.conversation.indexing import NOTHING_SAID
from historylab.conversation.memo import Memo, taking_turns
from historylab.conversation.message import Message, known_size
from historylab.conversation.recorded import Recorded, recorded_of

G = TypeVar("G", bound=Growing[Any])


class Block(NamedTuple):
    """An assistant message with calls and all its results, or one other message. `indices` into the conversation."""

    indices: tuple[int, ...]
    turn: int


class Turn(NamedTuple):
    """A user message and everything up to the next one: messages `start` up to, not including, `stop`."""

    number: int
    start: int
    stop: int
    complete: bool


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Conversation(Memo, Sequence[Message]):
    """Messages in order, with a title and where they came from. Index, iterate and compare it like a tuple.

    `branches` are the other paths through the tree that a transcript holds (rewinds, regenerated answers), newest
    first, each from its beginning; the conversation itself is the newest path.

    `followed_by`, `beginning` and `with_leading` make others of it, which take over what is known of the messages that
    stay (see `growing`).
    """

    title: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    branches: tuple[Conversation, ...] = ()
    _said: Sequence[Message] = field(init=False)  # or a list that begins with them and grows
    _size: int = field(init=False)

    def __init__(
        self,
        messages: Iterable[Message] = (),
        title: str = "",
        metadata: Mapping[str, Any] | None = None,
        branches: Iterable[Conversation] = (),
    ):
        said = tuple(messages)
        self._set(said, len(said), title, dict(metadata or {}), tuple(branches), {})

    def _set(
        self,
        said: Sequence[Message],
        size: int,
        title: str,
        metadata: Mapping[str, Any],
        branches: tuple[Conversation, ...],
        derived: dict[Hashable, Any],
    ) -> Conversation:
        self.__dict__.update(_said=said, _size=size, title=title, metadata=metadata, branches=branches, derived=derived)
        return self

    def __reduce__(self) -> tuple[type[Conversation], tuple[Any, ...]]:
        return Conversation, (self.messages, self.title, self.metadata, self.branches)

    @cached_property
    def messages(self) -> tuple[Message, ...]:
        """All of them. Indexing and slicing the conversation makes no tuple of one that was followed."""
        return tuple(self._said[: self._size])

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, i: int) -> Message: ...

    @overload
    def __getitem__(self, i: slice) -> tuple[Message, ...]: ...

    def __getitem__(self, i: int | slice) -> Message | tuple[Message, ...]:
        if isinstance(i, slice):
            start, stop, step = i.indices(self._size)
            return tuple(self._said[start:stop]) if step == 1 else self.messages[i]
        return self._said[i if 0 <= i < self._size else checked_index(i, self._size, "message")]

    def at(self, indices: Iterable[int]) -> list[Message]:
        """The messages at these indices, counted from the start and all within it."""
        said = self._said
        return [said[i] for i in indices]

    def __iter__(self) -> Iterator[Message]:
        return islice(self._said, self._size)

    def __repr__(self) -> str:
        messages, turns = len(self), len(self.columns.users)
        size = f"{messages:,} message{'s' * (messages != 1)}, {turns:,} turn{'s' * (turns != 1)}"
        return f"<Conversation {self.title!r}: {size}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Conversation) or self._size != other._size:
            return False
        return self._said is other._said or self.messages == other.messages

    def __hash__(self) -> int:
        return hash(self.digest)

    @cached_property
    def columns(self) -> Columns:
        """The numpy index, built at first use; of a conversation that follows another, carried on."""
        return self.growing(("columns",), lambda: NOTHING_SAID).columns

    @cached_property
    def digest(self) -> str:
        """A content hash (hex): equal conversations have equal digests, in any process."""
        return self.growing(("digest",), lambda: _Digest(hashlib.blake2b(digest_size=16))).hasher.hexdigest()

    @property
    def recorded(self) -> Recorded:
        """The model, tools and usage that the transcript names."""
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

    # -- what shares its messages, and what is known of them

    def followed_by(self, messages: Iterable[Message]) -> Conversation:
        """This conversation and these messages after it; itself if there are none.

        The newest of several that follow each other is followed at the cost of what is new: its messages, columns and
        counts are extended in place. Following an older one copies them. Either way this one stays what it is, in every
        thread. Title and metadata are kept.
        """
        new = tuple(messages)
        if not new:
            return self
        with taking_turns:
            said = self._said
            if not isinstance(said, list) or len(said) != self._size:
                said = list(said[: self._size])
            said.extend(new)
        return self._other(said, self._size + len(new), lambda grown: grown)

    def beginning(self, size: int) -> Conversation:
        """The first `size` messages, which can be followed by others: what an edit or a fork keeps. Nothing is copied
        before it is followed. Raises IndexError for more messages than there are."""
        if not 0 <= size <= self._size:
            raise IndexError(f"there are no first {size:,} messages; there are {self._size:,}")
        return self._other(self._said, size, lambda grown: grown.up_to(size))

    def with_leading(self, systems: Iterable[Message], *, replacing: int) -> Conversation:
        """The same conversation with the first `replacing` messages replaced: a prompt with a date, a memory.

        What is known of the messages after them is kept: none is read or counted again. Both the replaced and the
        others have to be system messages, as these are no part of a turn; raises ValueError otherwise.
        """
        new = tuple(systems)
        if any(m.role != "system" for m in (*new, *self[:replacing])) or not 0 <= replacing <= self._size:
            raise ValueError("only leading system messages can be replaced by others")
        plain = not any(m.tool_calls or m.replaces for m in (*new, *self[:replacing]))  # else blocks may reach further
        said = [*new, *self[replacing:]]
        return self._other(said, len(said), lambda grown: grown.led_by(replacing, len(new)) if plain else None)

    def with_sources(self, sources: Mapping[int, Any]) -> Conversation:
        """The same messages, some of them with another `source`; all that is known of them is kept."""
        said = list(self._said[: self._size])
        for i, source in sources.items():
            said[i] = replace(said[i], source=source)
        return self._other(said, self._size, lambda grown: grown)

    def message_by_message(self) -> Conversation:
        """The same conversation with every message a block of its own: for decisions that part a call from its results.

        It is equal to this one, and has another digest. It is made once, and is not for planning.
        """

        def apart() -> Conversation:
            other = self._other(self._said, self._size, lambda grown: None)
            with taking_turns:
                known = dict(self.derived.get(Grown, ()))
            other.derived[Grown] = {key: grown for key, grown in known.items() if key[0] == "tokens"}
            other.__dict__.update(columns=self.columns.message_by_message(), digest=f"{self.digest}-apart")
            return other

        return self.remember("message by message", apart)

    def _other(self, said: Sequence[Message], size: int, inherited: Callable[[Grown], Grown | None]) -> Conversation:
        with taking_turns:
            known = dict(self.derived.get(Grown, ()))
        heirs = {key: heir for key, grown in known.items() if (heir := inherited(grown))}
        other = object.__new__(Conversation)
        return other._set(said, size, self.title, self.metadata, (), {Grown: heirs} if heirs else {})

    def growing(self, key: tuple[Any, ...], nothing: Callable[[], G], *, most: int = 16) -> G:
        """A value derived from the messages alone, which conversations that follow this one carry on.

        `nothing()` is the value for no messages; the one for this conversation is that, followed by all of it, or the
        one inherited, followed by what is new (`Growing`). Kept under `key` as `remember` keeps it: a name and what the
        value depends on besides; of a name the `most` last used.
        """
        known: dict[tuple[Any, ...], Grown] = self.derived.setdefault(Grown, {})
        with taking_turns:
            found = known.pop(key, None)
            if found is not None:
                known[key] = found  # the last used
        if found is not None and found.is_for(self._size):
            value: G = found.value
            return value
        brought = found.brought_to(self) if found is not None else None
        value = nothing() if brought is None else brought
        if brought is None and self._size:
            value = value.followed_by(self, 0)
        with taking_turns:
            known[key] = Grown(value, self._size, self._size)
            same = [each for each in known if each[0] == key[0]] if found is None else ()
            for each in same[: max(0, len(same) - most)]:
                del known[each]
        return value


class _Digest(Growing[Sequence[Message]]):
    """The hash of what was said so far."""

    __slots__ = ("hasher",)

    def __init__(self, hasher: hashlib.blake2b):
        self.hasher = hasher

    def followed_by(self, conversation: Sequence[Message], start: int) -> _Digest:
        hasher = self.hasher.copy()
        for m in conversation[start:]:
            calls = [(c.id, c.name, c.arguments) for c in m.tool_calls]
            parts = (m.role, m.content, m.id, m.name, calls, m.tool_call_id, m.media, m.timestamp, m.pinned)
            size = () if m.content else (known_size(m),) * (known_size(m) is not None)
            hasher.update(json.dumps(parts + size + ("shown",) * m.shown_only).encode())
        return _Digest(hasher)


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
