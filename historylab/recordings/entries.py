"""What a list of conversations says of each, and those that a session holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import isnan
from typing import Literal, NamedTuple

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import instant, words_of_person
from historylab.formats.titles import opening, printable

Source = Literal["recorded", "imported", "generated"]
SOURCES: tuple[Source, ...] = ("recorded", "imported", "generated")
MOST_TAGS, LONGEST_TAG = 20, 40
FIRST_WORDS, LONGEST_TITLE = 80, 200  # characters of a title


class Listed(NamedTuple):
    """A conversation of the library, which its key names, and when it came: lists show the newest first."""

    key: str
    source: Source
    at: float


@dataclass(frozen=True, slots=True)
class Entry:
    """What a list says of a conversation: `origin` is the app, the file or the generator that it is from.

    `changed` are seconds since 1970, 0 if no message has a time. `problem`: why it can't be read. `ambiguous`: it may
    be of several people.
    """

    key: str
    source: Source
    origin: str
    title: str
    models: tuple[str, ...] = ()
    messages: int = 0
    requests: int = 0
    changed: float = 0
    tags: tuple[str, ...] = ()
    problem: str = ""
    ambiguous: bool = False


@dataclass(frozen=True, eq=False)
class Held:
    """A conversation that a session holds."""

    key: str
    source: Source
    origin: str
    at: float
    conversation: Conversation
    tags: tuple[str, ...] = ()


class HeldShelf:
    """The conversations that a session holds: of its files, generated ones, samples."""

    def __init__(self, held: Iterable[Held] = ()):
        self.held: Mapping[str, Held] = {one.key: one for one in held}

    def listing(self) -> list[Listed]:
        return [Listed(one.key, one.source, one.at) for one in self.held.values()]

    def entry(self, key: str) -> Entry:
        one = self.held[key]
        return entry_of(one.conversation, key, one.source, one.origin, one.tags)

    def conversation(self, key: str) -> Conversation:
        return self.held[key].conversation


def entry_of(
    conversation: Conversation, key: str, source: Source, origin: str, tags: tuple[str, ...] = (), title: str = ""
) -> Entry:
    """The entry of a conversation; untitled, it is called by what its user said first."""
    return Entry(
        key,
        source,
        origin,
        _on_a_line(title) or _on_a_line(conversation.title) or _first_words(conversation) or "Untitled",
        conversation.recorded.models,
        len(conversation),
        len(conversation.columns.requests),
        last_change(conversation),
        tags,
    )


def last_change(conversation: Conversation) -> float:
    """When its last message with a time was said, in seconds since 1970; 0 if none has one."""
    times = (instant(conversation[i].timestamp) for i in range(len(conversation) - 1, -1, -1))
    return next((time for time in times if not isnan(time)), 0)


def _on_a_line(title: str) -> str:
    return opening(printable(title), LONGEST_TITLE)


def _first_words(conversation: Conversation) -> str:
    said = filter(None, (words_of_person(m) for m in conversation if m.role == "user"))
    return printable(opening(next(said, ""), FIRST_WORDS))


def clean_tags(tags: Iterable[object], most: int | None = MOST_TAGS) -> tuple[str, ...]:
    """Tags as they are kept: short texts on one line, each once whatever its case, `most` of them."""
    found: dict[str, str] = {}
    for tag in tags:
        text = " ".join(printable(tag).split())[:LONGEST_TAG].strip() if isinstance(tag, str) else ""
        if text:
            found.setdefault(text.casefold(), text)
    return tuple(found.values())[:most]
