"""Formats: one file per format, with a function that recognises its content and one that reads it.

The members stand in folders by where they come from: `apis/`, `frameworks/`, `traces/`, `products/`, `plain/`. What
they share is in `files/` (bytes, archives, tables, lines) and `messages/` (parts, calls, usage, branches).

A format is a registered generator function; there is nothing else to edit:

    def is_proclaimed(content: Content) -> float:
        return 0.8 if content.text.startswith("HEAR YE") else 0

    @register("format", title="Town crier", recognise=is_proclaimed)
    def town_crier(content: Content, report: Report) -> Iterator[Conversation]:
        lines = content.text.splitlines()
        report.records += len(lines)
        yield Conversation(Message("user", line) for line in lines)

`recognise` is asked about a sample, whose text and lists are cut short (`Content.sample`). It returns 1 for a mark that
no other format has (magic bytes, a unique key), 0.8 for a distinctive shape, 0.5 for a shape that others share, 0 for
no match; a LoadError raised there means 0. Every record that is not read is counted: `report.pass_over(…)` if it is
known to be no message, `report.skip(…)` if it could be one. What isn't read of a record that is, is named:
`report.warn(…)`, or `report.lack(…)` if an app's request can't be read without it.
`marks=` has the keys that tell the format apart, by which a refusal finds the nearest ones: "chat_messages sender". A
member that can write conversations, too, has `write=` (see `Write`); one that reads a provider's exchanges, `api=`
(apis/exchanges.py); one whose sessions have files beside them that are conversations, `beside=` (see `FindBeside`).
What other files beside it say of a session, its reader asks for by name: `values_beside` (files/archives.py).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

if TYPE_CHECKING:
    from pathlib import Path

    from historylab.conversation.conversation import Conversation
    from historylab.conversation.message import Message
    from historylab.formats.files.content import Content

KINDS = {
    dict: "an object",
    list: "a list",
    tuple: "a list",
    str: "text",
    bool: "true or false",
    int: "a number",
    float: "a number",
    type(None): "null",
}
EMPTY_VALUES: tuple[Any, ...] = (None, "", [], {})
NOTHING = (*EMPTY_VALUES, False)  # values of a field that say nothing
MOST_FIELDS = 12  # fields beside the messages that a report names

Write: TypeAlias = "Callable[[Conversation, Losses], Any]"
"""The attribute `write` of a member that can be written, too: the conversation as JSON values in that format."""

Recognise: TypeAlias = "Callable[[Content], float]"
"""The attribute `recognise` of a member: how surely the content is in that format, 0 to 1."""


MessageReader: TypeAlias = "Callable[[list[Any], Report, str], list[Message]]"
"""Reads a list of messages that stands somewhere in a file; the text is its location."""


FindBeside: TypeAlias = "Callable[[Path, Sequence[Conversation]], Iterable[Path]]"
"""The attribute `beside` of a member: the files on disk that belong to the conversations of the one at that path."""


class Format(Protocol):
    """A member: yields the conversations of a content in file order, and counts on the report what it doesn't read."""

    def __call__(self, content: Content, report: Report, /) -> Iterator[Conversation]: ...


@dataclass
class Losses:
    """Losses of writing in a format without a place for them: a kind of thing ("timestamps") → the number left out."""

    counts: dict[str, int] = field(default_factory=dict)

    def lose(self, what: str, count: int = 1) -> None:
        """Count something that could not be written."""
        if count:
            self.counts[what] = self.counts.get(what, 0) + count

    def __str__(self) -> str:
        """ "timestamps (12), names (3)"; empty if nothing was left out."""
        return ", ".join(f"{what} ({count:,})" for what, count in self.counts.items())


@dataclass
class LocatedCount:
    """A count, and where the first one was ("line 7", "[3] messages[0]")."""

    count: int
    first: str


MOST_REASONS, OTHERS = 1_000, "others"
"""Reasons that a report tells apart; a file can give a million."""


def _tally(counts: dict[str, LocatedCount], reason: str, where: str) -> LocatedCount:
    """The count of a reason, or of all others once there are many."""
    if found := counts.get(reason):
        return found
    return counts.setdefault(reason if len(counts) < MOST_REASONS else OTHERS, LocatedCount(0, where))


@dataclass
class Report:
    """The report of loading a file: how many records became messages, and why the others did not.

    A record is an item that could be a message: an entry of a list of messages, or a line that could not be read.
    `format` is the title of the member that read it, `member` its name; `claims` how surely each format recognised the
    file (name → 0 to 1), the surest first, where none was asked for.
    """

    format: str = ""
    records: int = 0
    messages: int = 0
    conversations: int = 0
    skipped: dict[str, LocatedCount] = field(default_factory=dict)
    warnings: dict[str, LocatedCount] = field(default_factory=dict)
    kept: dict[str, LocatedCount] = field(default_factory=dict)  # fields beside the messages, kept as metadata
    member: str = ""
    claims: dict[str, float] = field(default_factory=dict)
    passed: int = 0  # of the records skipped, those known to be no messages
    readers: dict[Hashable, MessageReader | None] = field(default_factory=dict, init=False, repr=False)
    """Structures of lists of messages inside the file → the function that reads them; None: they are no messages."""
    guessed: dict[str, dict[str, None]] = field(default_factory=dict, init=False, repr=False, compare=False)
    """Role → the speakers of whom it was guessed."""
    warned: int = field(default=0, init=False, repr=False, compare=False)
    """Warnings given so far: more of them after a record was read than before say that it is more than its messages."""

    def apart(self) -> Report:
        """An empty report on a part of the same file."""
        part = Report()
        part.readers = self.readers
        return part

    def skip(self, reason: str, where: str) -> None:
        """Count one record that became no message."""
        self.records += 1
        _tally(self.skipped, reason, where).count += 1

    def pass_over(self, reason: str, where: str) -> None:
        """Count one record that is known to be no message, such as a header or a setting."""
        self.skip(reason, where)
        self.passed += 1

    def warn(self, reason: str, where: str) -> None:
        """Count something that was read, but perhaps not as intended."""
        self.warned += 1
        _tally(self.warnings, reason, where).count += 1

    def lack(self, reason: str, where: str) -> None:
        """Warn of something in a record that is not read; where nothing may be left out, that is an error."""
        self.warn(reason, where)

    def keep(self, field: str, where: str) -> None:
        """Count a field beside the messages, such as `model` or `tools`, that was kept as metadata and nothing else."""
        _tally(self.kept, field[:40], where).count += 1

    def leave(self, record: dict[str, Any], read: Set[str], where: str) -> dict[str, Any]:
        """Warn of every field of a record that says something and is none of those read; these fields."""
        left: dict[str, Any] = {}
        if record.keys() <= read:  # most records
            return left
        for name, value in record.items():
            if name not in read and value not in NOTHING:
                left[name] = value
                self.warn(f"a field {name[:40]!r} not read", where)
        return left

    def add(self, other: Report, where: str) -> None:
        """Count what another report counted, of a file inside this one."""
        self.records += other.records
        self.messages += other.messages
        self.conversations += other.conversations
        self.passed += other.passed
        for mine, theirs in ((self.skipped, other.skipped), (self.warnings, other.warnings), (self.kept, other.kept)):
            for reason, tally in theirs.items():
                _tally(mine, reason, f"{where} {tally.first}".strip()).count += tally.count

    @property
    def skips(self) -> int:
        """The number of records skipped, for any reason."""
        return sum(tally.count for tally in self.skipped.values())

    @property
    def remarks(self) -> int:
        """The number of records skipped, and of warnings."""
        return self.skips + sum(tally.count for tally in self.warnings.values())

    @property
    def counts(self) -> str:
        """The report without its reasons: "Claude Code: 132 records, 130 messages, 2 skipped"."""
        conversations = "" if self.conversations == 1 else f" in {_count(self.conversations, 'conversation')}"
        read = f"{_count(self.records, 'record')}, {_count(self.messages, 'message')}{conversations}"
        return f"{self.format}: {read}, {self.skips:,} skipped"

    def __repr__(self) -> str:
        return f"<Report {self.counts}>"

    def __str__(self) -> str:
        text = self.counts + reasons(self.skipped)
        warned = self.remarks - self.skips
        text += f", {_count(warned, 'warning')}{reasons(self.warnings)}" if warned else ""
        more = f" and {len(self.kept) - MOST_FIELDS:,} others" if len(self.kept) > MOST_FIELDS else ""
        fields = ", ".join(list(self.kept)[:MOST_FIELDS]) + more
        return text + (f"; kept beside the messages: {fields}" if fields else "")


def kind_of(value: Any) -> str:
    """The kind of a JSON value, in words: "a number"."""
    return KINDS.get(type(value)) or f"a Python {type(value).__name__}"


def describe(value: Any) -> str:
    """A value in words, for error messages: "an object with keys a, b", "a list of 3, the first of them a number"."""
    if type(value) is list and value:
        first = value[0] if type(value[0]) is list else describe(value[0])
        return f"a list of {len(value):,}, the first of them {first if type(first) is str else 'a list'}"
    if type(value) is dict and value:
        keys = ", ".join(str(key)[:40] for key in list(value)[:6])
        named = f"the key {keys}" if len(value) == 1 else f"keys {keys}{', …' if len(value) > 6 else ''}"
        return f"an object with {named}"
    return "an empty list" if value == [] else "an empty object" if value == {} else kind_of(value)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def reasons(tallies: dict[str, LocatedCount]) -> str:
    """The reasons in brackets, with how often and where first; empty without any."""
    parts = (f"{t.count:,} × {reason}" + (f", first at {t.first}" if t.first else "") for reason, t in tallies.items())
    return f" ({'; '.join(parts)})" if tallies else ""
