"""Messages and what travels with them: tool calls, usage, summaries, timestamps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any


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


def instant(timestamp: str | None) -> float:
    """ISO 8601 text as seconds since 1970 (without an offset: UTC); NaN if it is none."""
    try:
        moment = datetime.fromisoformat(timestamp or "")
    except ValueError:
        return float("nan")
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
