"""`load`: reads the conversations of a file or of bytes, with a report on every record."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import overload

from historylab.conversation.conversation import Conversation
from historylab.errors import LoadError, TooLarge, UnknownFormat
from historylab.formats.base import Format, Recognise, Report, describe
from historylab.formats.content import Content, opening_of
from historylab.formats.other_shapes import shape_in
from historylab.registry import Member, member, members

MAX_BYTES = 200_000_000
"""The default size limit of `load`."""

UPLOAD_BYTES = 20_000_000
"""The size limit of one upload on screen."""


class Conversations(Sequence[Conversation]):
    """The conversations of one file, in its order, with the `report` of their loading."""

    def __init__(self, conversations: Sequence[Conversation], report: Report):
        self.conversations, self.report = tuple(conversations), report

    def __len__(self) -> int:
        return len(self.conversations)

    @overload
    def __getitem__(self, i: int) -> Conversation: ...

    @overload
    def __getitem__(self, i: slice) -> tuple[Conversation, ...]: ...

    def __getitem__(self, i: int | slice) -> Conversation | tuple[Conversation, ...]:
        return self.conversations[i]

    def __repr__(self) -> str:
        return f"<Conversations {self.report.counts}>"


def load(
    path_or_bytes: str | os.PathLike[str] | bytes,
    format: str | None = None,
    *,
    name: str = "",
    max_bytes: int = MAX_BYTES,
) -> Conversations:
    """Read every conversation of a file. A str is a path; pass pasted text as bytes.

    `format` names the format instead of detecting it. `name` is the file name of bytes: its suffix identifies JSON
    lines, its stem becomes the title. Raises LoadError, UnknownFormat or TooLarge, each with a one-sentence message.
    """
    content = _content(path_or_bytes, name, max_bytes)
    chosen = member("format", format) if format else _detect(content)
    report = Report(format=chosen.attributes.get("title", chosen.name), member=chosen.name)
    read: Format = chosen.target
    conversations = []
    for found in read(content, report):
        if len(found):
            conversations.append(found)
        else:
            report.warn("a conversation without messages", found.title)
    content.report_faults(report)
    report.conversations = len(conversations)
    report.messages = sum(map(len, conversations))
    if not conversations:
        raise LoadError(f"no message in it could be read ({report}); look at the file's first records")
    return Conversations(list(_titled(conversations, Path(content.name).stem)), report)


def match_strengths(content: Content) -> Mapping[str, float]:
    """How surely each format recognises the content: name → strength above 0, up to 1."""
    return {name: sure for name, candidate in members("format").items() if (sure := _strength(candidate, content)) > 0}


def _strength(candidate: Member, content: Content) -> float:
    recognise: Recognise = candidate.attributes["recognise"]
    try:
        return recognise(content)
    except LoadError:
        return 0


def _detect(content: Content) -> Member:
    claims = match_strengths(content)
    best = [name for name, sure in claims.items() if sure == max(claims.values())]
    if len(best) == 1:
        return member("format", best[0])
    found = _found(content)  # raises for binary data and broken JSON
    if best:
        raise UnknownFormat(f"found {found}, which {' and '.join(best)} both claim; choose one of them as the format")
    known = sorted(members("format").items())
    if content.text.lstrip()[:1] in "[{" and (shape := shape_in(content.values)):
        names = ", ".join(name for name, _ in known)
        raise UnknownFormat(f"found {found}: it looks like {shape}, not read here; convert it to one of {names}")
    titles = ", ".join(f"{name} ({m.attributes.get('title', name)})" for name, m in known)
    raise UnknownFormat(f"found {found}, which is in none of the formats read here; known formats: {titles}")


def _found(content: Content) -> str:
    if content.text.lstrip()[:1] not in "[{":
        return opening_of(content.text)
    values = content.values
    return (f"{len(values):,} JSON lines, the first of them " if len(values) > 1 else "") + describe(values[0][1])


def _content(given: str | os.PathLike[str] | bytes, name: str, max_bytes: int) -> Content:
    if isinstance(given, bytes | bytearray | memoryview):
        _refuse_over(max_bytes, len(given), "this")
        return Content(bytes(given), name)
    if not isinstance(given, str | os.PathLike):
        raise LoadError(f"load takes a path or bytes, not a {type(given).__name__}; encode a text first")
    try:
        data = _read(Path(given), max_bytes)
    except LoadError:
        raise
    except (OSError, ValueError) as problem:  # ValueError: a NUL in the path
        reason = (getattr(problem, "strerror", None) or str(problem)).lower()
        raise LoadError(f"{str(given)[:80]!r} can't be read: {reason}{_advice(given)}") from None
    return Content(data, name or Path(given).name)


def _read(path: Path, max_bytes: int) -> bytes:
    """The bytes of a regular file. The size is checked before anything is read."""
    if not path.exists():
        raise LoadError(f"there is no file {str(path)[:80]!r}{_advice(path)}")
    if not path.is_file():
        raise LoadError(f"{str(path)!r} is {'a folder; give the files in it' if path.is_dir() else 'no regular file'}")
    _refuse_over(max_bytes, path.stat().st_size, repr(str(path)))
    return path.read_bytes()


def _refuse_over(limit: int, size: int, what: str) -> None:
    if size > limit:
        sizes = f"{size / 1e6:,.1f} MB, more than the limit of {limit / 1e6:,.0f} MB"
        raise TooLarge(f"{what} has {sizes}; load a part of it")


def _advice(path: object) -> str:
    pasted = any(mark in str(path) for mark in "{[\n")
    return "; a str is read as a path, so give pasted text as bytes" if pasted else "; check the path"


def _titled(conversations: list[Conversation], stem: str) -> Iterator[Conversation]:
    """Give each untitled conversation a title: the file's name if it is the only one, otherwise its first question."""
    for number, found in enumerate(conversations, 1):
        given = found.title or (stem if len(conversations) == 1 else "") or _opening(found)
        title = "".join(c if c.isprintable() else " " for c in given).strip() or f"conversation {number}"
        yield found if found.title == title else Conversation(found.messages, title, found.metadata, found.branches)


def _opening(conversation: Conversation) -> str:
    question = next((m.content for m in conversation if m.role == "user" and m.content.strip()), "")
    words = " ".join(question[:200].split())
    return words if len(words) <= 60 else words[:59].rstrip() + "…"
