"""Messages with their tool calls, usage, summaries and timestamps."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar, final

from historylab.conversation.injected import is_framed, without_frames

if TYPE_CHECKING:
    from historylab.conversation.columns import Columns

T = TypeVar("T")

MOST_TOKENS = 10**9
"""A reported count above this, or below 0, is taken for a mistake and the report ignored."""
REFERENCES = "item_references"
"""The key of a message's metadata with the ids of items in it that the provider keeps, of unknown text and size."""
COMPACT_SUMMARY = "compact_summary"
"""True in the metadata of a message that a program put in the place of others."""
SHOWN_ONLY = "shown_only"
"""True in the metadata of a message that was shown and never sent: a program's command, or an answer that broke off.

No request lost it.
"""
NO_USERS = frozenset({"system", "developer", "assistant", "tool"})
"""Roles whose messages nobody takes for a person's."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One tool call. `arguments` is the model's raw text: usually JSON, sometimes broken."""

    id: str
    name: str
    arguments: str = ""


@final
@dataclass(frozen=True, slots=True, init=False)
class Message:
    """One message. Roles are system, user, assistant, tool; any other is treated as conversation.

    `media` names the non-text parts ("image", "audio", "file"), whose data `source` alone holds. That is the object of
    the caller, so that a kept message can be returned as it was given, or the record of a file that it was read from,
    where that says more; it is excluded from equality and digest. `replaces`, which a projection writes, are the
    indices of the earlier messages that this one stands for from here on.
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
    replaces: tuple[int, ...] = ()

    def __new__(
        cls,
        role: str,
        content: str = "",
        id: str | None = None,
        name: str | None = None,
        tool_calls: tuple[ToolCall, ...] = (),
        tool_call_id: str | None = None,
        media: tuple[str, ...] = (),
        timestamp: str | None = None,
        pinned: bool = False,
        metadata: Mapping[str, Any] | None = None,
        source: Any = None,
        replaces: tuple[int, ...] = (),
    ) -> Self:
        # A frozen dataclass sets each field by a call, which takes three times as long; files have millions of these.
        new: Any = _Unfrozen()
        new.role = role
        new.content = content
        new.id = id
        new.name = name
        new.tool_calls = tool_calls
        new.tool_call_id = tool_call_id
        new.media = media
        new.timestamp = timestamp
        new.pinned = pinned
        new.metadata = {} if metadata is None else metadata
        new.source = source
        new.replaces = replaces
        new.__class__ = cls
        message: Self = new
        return message

    @property
    def injected(self) -> bool:
        """Tell whether a program put it there in the user's name: no person and no model wrote it.

        The file says so (`metadata["injected"]`, as formats read it), or its frame does (`injected.py`). A summary that
        a coding agent sends in the user's name counts as well: no person wrote it, though a model did.
        """
        if self.role in NO_USERS:
            return False
        if self.metadata and (self.metadata.get("injected") or self.metadata.get(COMPACT_SUMMARY)):
            return True
        return is_framed(self.content)

    @property
    def shown_only(self) -> bool:
        """Tell whether a transcript only shows it: a command, or an answer that broke off, which no model is sent."""
        return SHOWN_ONLY in self.metadata and (self.role == "assistant" or self.role not in NO_USERS)

    def __reduce__(self) -> tuple[type[Message], tuple[Any, ...]]:
        return Message, tuple(getattr(self, name) for name in Message.__slots__)

    def __hash__(self) -> int:
        return hash((self.role, self.content, self.id, self.tool_calls, self.tool_call_id))


class _Unfrozen:
    """A message whose fields are being set."""

    __slots__ = Message.__slots__


def revise(message: Message, **fields: Any) -> Message:
    """The message with other values in these fields: `dataclasses.replace` takes four times as long."""
    new: Any = _Unfrozen()
    new.role, new.content, new.id, new.name = message.role, message.content, message.id, message.name
    new.tool_calls, new.tool_call_id, new.media = message.tool_calls, message.tool_call_id, message.media
    new.timestamp, new.pinned, new.metadata = message.timestamp, message.pinned, message.metadata
    new.source, new.replaces = message.source, message.replaces
    for name, value in fields.items():
        setattr(new, name, value)
    new.__class__ = Message
    revised: Message = new
    return revised


class ReadMessages(Protocol):
    """The part of a Conversation that these modules look at; it knows of them, and not the other way round."""

    @property
    def metadata(self) -> Mapping[str, Any]: ...
    @property
    def columns(self) -> Columns: ...
    def __len__(self) -> int: ...
    def __getitem__(self, i: int, /) -> Message: ...
    def __iter__(self) -> Iterator[Message]: ...
    def remember(self, key: Hashable, make: Callable[[], T]) -> T: ...


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one request as a provider reports them. `input` excludes cache reads and cache writes.

    `cache_writes_1h` is the part of `cache_writes` that was written to be kept for an hour.
    """

    input: int = 0
    output: int = 0
    cache_reads: int = 0
    cache_writes: int = 0
    cache_writes_1h: int = 0

    @property
    def context(self) -> int:
        """All input tokens of the request, however they were paid for."""
        return self.input + self.cache_reads + self.cache_writes

    def __add__(self, other: Usage) -> Usage:
        return Usage(*(getattr(self, f) + getattr(other, f) for f in Usage.__slots__))


@dataclass(frozen=True, slots=True)
class Summary:
    """The text sent in place of summarised messages.

    `tokens`: its size as a system message. `covers`: how many messages it stands for, including those of summaries it
    absorbed. `made_at`: the history length of the request it was written for, 0 for one that came back. `by`: the
    summarizer, or the fallback used instead, with the reason in `note`. `usage`: tokens a model used to write it; None
    if no model was called or it reported none. `key`: a store has it under that; "" if none does.
    """

    text: str
    tokens: int
    covers: int
    made_at: int
    by: str
    note: str = ""
    usage: Usage | None = None
    heading: str = ""
    key: str = field(default="", compare=False, repr=False)

    @property
    def body(self) -> str:
        """The text without its heading."""
        return self.text.removeprefix(self.heading)


def words_of_person(message: Message) -> str:
    """The part of a user's message that a person wrote; "" of one that a program put there."""
    return "" if message.injected else without_frames(message.content)


def known_size(message: Message) -> int | None:
    """The tokens of a message whose text the transcript leaves out; None for one that says something."""
    found = message.metadata.get("tokens")
    if type(found) is not int or message.content or message.tool_calls or message.media:
        return None
    return found if 0 <= found <= MOST_TOKENS else None


def instant(timestamp: str | None) -> float:
    """ISO 8601 text as seconds since 1970 (UTC if it has no offset); NaN if it cannot be read."""
    try:
        moment = datetime.fromisoformat(timestamp or "")
    except ValueError:
        return float("nan")
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def prompt_length(messages: Iterable[Message]) -> int:
    """The number of system messages at the beginning."""
    return sum(1 for _ in takewhile(lambda message: message.role == "system", messages))
