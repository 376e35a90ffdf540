"""`load`: reads the conversations of a file or of bytes, with a report on every record."""

from __future__ import annotations

import gc
import os
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path, PurePath
from typing import overload

from historylab.conversation.conversation import Conversation
from historylab.errors import LoadError, TooLarge, UnknownFormat
from historylab.formats.base import Format, Report, reasons
from historylab.formats.detect import chosen_by, match_strengths
from historylab.formats.files.archives import GZIP, ZIP, Entries, unzip
from historylab.formats.files.content import Content
from historylab.formats.files.event_stream import of_events
from historylab.formats.mapping import FieldMapping, read_mapped
from historylab.formats.titles import add_titles, label_conversation
from historylab.formats.traces.recorded_lines import RECORDING_FILE
from historylab.registry import Member, member, members

MAX_BYTES = 200_000_000
"""The default size limit of `load`."""

MAPPING = "mapping"
"""The `member` on the report of a file that was read by a field mapping, which is no format."""

UPLOAD_BYTES = 20_000_000
"""The size limit of one upload on screen."""

_taking_turns = threading.Lock()
_loading: list[bool] = []  # one entry per file being loaded, in any thread


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
    mapping: FieldMapping | str | os.PathLike[str] | None = None,
) -> Conversations:
    """Read every conversation of a file, of the files in a ZIP archive, or of a recording's folder.

    A str is a path; pass pasted text as bytes.

    `format` names the format instead of detecting it. `name` is the file name of bytes: its suffix identifies JSON
    lines, its stem becomes the title. `mapping` says which fields hold the messages of a file in no known format: a
    FieldMapping, or the path of a saved one. Raises LoadError, UnknownFormat or TooLarge, each with a one-sentence
    message.
    """
    chosen = _member(format, mapping)
    content = _content(path_or_bytes, name, max_bytes)
    with collection_paused():
        if content.head.startswith(GZIP):
            content = unzip(content, max_bytes)
        if content.head.startswith(ZIP):
            return _load_entries(Entries(content, max_bytes), chosen)
        return _load_content(content, chosen)


def first_asking(conversations: Sequence[Conversation]) -> int:
    """The first in which a user says something; the first of all if in none."""
    return next((i for i, found in enumerate(conversations) if any(m.role == "user" for m in found)), 0)


@contextmanager
def collection_paused() -> Iterator[None]:
    """No garbage is looked for meanwhile: among the many objects of a file is none, and it takes half the time."""
    with _taking_turns:
        ours = gc.isenabled() or bool(_loading)
        if ours:
            gc.disable()
            _loading.append(True)
    try:
        yield
    finally:
        with _taking_turns:
            if ours and _loading.pop() and not _loading:
                if not gc.get_freeze_count():  # what was read is old at once, and isn't looked through as new
                    gc.freeze()
                    gc.unfreeze()
                gc.enable()


def _member(format: str | None, mapping: FieldMapping | str | os.PathLike[str] | None) -> Member | None:
    """The member that the caller wants the file read by, if any; a mapping becomes one."""
    if mapping is None:
        return member("format", format) if format else None
    chosen = mapping if isinstance(mapping, FieldMapping) else FieldMapping.read(mapping)
    return Member("format", MAPPING, partial(read_mapped, chosen), {"title": "Field mapping"})


def load_content(content: Content, mapping: FieldMapping | None = None) -> Conversations:
    """Read every conversation of a content, as `load` reads a file's."""
    with collection_paused():
        return _load_content(content, _member(None, mapping))


def _load_content(content: Content, chosen: Member | None) -> Conversations:
    content = of_events(content)
    claims = {} if chosen else match_strengths(content)
    chosen = chosen or chosen_by(claims, content)
    report = Report(format=chosen.title, member=chosen.name, claims=dict(claims))
    read: Format = chosen.target
    return as_loaded(read(content, report), report, PurePath(content.name).stem, content.report_faults)


def as_loaded(
    found: Iterable[Conversation],
    report: Report,
    stem: str = "",
    report_faults: Callable[[Report], None] = lambda report: None,
) -> Conversations:
    """The conversations with a title each, and the report on them; `stem` is the file's name without its ending.

    Raises LoadError where there is none with messages.
    """
    conversations = []
    for one in found:
        if len(one):
            conversations.append(one)
        else:
            report.warn("a conversation without messages", one.title)
    report_faults(report)
    report.conversations = len(conversations)
    report.messages = sum(map(len, conversations))
    if not conversations:
        records = f"{report.skips:,} record{' was' if report.skips == 1 else 's were'}"
        left_out = f": {records} left out{reasons(report.skipped)}" if report.skips else ""
        by, advice = f"as {report.format}", "give a file in which somebody speaks, or choose another format"
        if report.member == MAPPING:
            by, advice = "by the field mapping", "name the list, who speaks and the text as this file names them"
        raise LoadError(f"no message in it could be read {by}{left_out}; {advice}")
    return Conversations(list(add_titles(conversations, stem)), report)


def _load_entries(entries: Entries, chosen: Member | None) -> Conversations:
    """The conversations of all files in an archive, those of several files under the files' names."""
    report = Report()
    skipped: dict[str, str] = {}
    found: list[tuple[str, Conversations]] = []
    for content in entries.contents(skipped):
        try:
            found.append((content.name, _load_content(content, chosen)))
        except LoadError as problem:
            if len(entries) == 1:
                raise
            unknown = isinstance(problem, UnknownFormat)
            skipped[content.name] = "a file in no format known" if unknown else str(problem).partition(";")[0]
    for name, reason in skipped.items():
        if name not in entries.taken:
            report.skip(reason, name)
    if not found:
        files = f"{report.skips:,} file{'' if report.skips == 1 else 's'}"
        raise LoadError(f"no transcript is in this archive ({files}{reasons(report.skipped)})")
    for name, loaded in found:
        report.add(loaded.report, name)
    first = found[0][1].report
    report.format = formats_read(loaded.report for _, loaded in found)
    report.member, report.claims = first.member, first.claims
    several = len(found) > 1
    return Conversations(
        [label_conversation(c, name) if several else c for name, loaded in found for c in loaded], report
    )


def formats_read(reports: Iterable[Report]) -> str:
    """ "tau-bench, Codex and ShareGPT": each format once, also those that an archive's report already lists."""
    titles = sorted((found.title for found in members("format").values()), key=len, reverse=True)
    known = re.compile("|".join(map(re.escape, titles)))
    *first, last = dict.fromkeys(title for r in reports for title in known.findall(r.format) or [r.format])
    return f"{', '.join(first)} and {last}" if first else last


def _content(given: str | os.PathLike[str] | bytes, name: str, max_bytes: int) -> Content:
    if isinstance(given, bytes | bytearray | memoryview):
        _refuse_over(max_bytes, len(given), "this")
        return Content(bytes(given), name)
    if not isinstance(given, str | os.PathLike):
        raise LoadError(f"load takes a path or bytes, not a {type(given).__name__}; encode a text first")
    path = Path(given)
    try:
        path = path / RECORDING_FILE if (path / RECORDING_FILE).is_file() else path
        _check(path, max_bytes)
    except LoadError:
        raise
    except (OSError, ValueError) as problem:  # ValueError: a NUL in the path
        reason = (getattr(problem, "strerror", None) or str(problem)).lower()
        raise LoadError(f"{str(given)[:80]!r} can't be read: {reason}{_advice(given)}") from None
    return Content(name=name or path.name, path=path)


def _check(path: Path, max_bytes: int) -> None:
    """Raise unless it is a readable regular file within the limit."""
    if not path.exists():
        raise LoadError(f"there is no file {str(path)[:80]!r}{_advice(path)}")
    if not path.is_file():
        raise LoadError(f"{str(path)!r} is {'a folder; give the files in it' if path.is_dir() else 'no regular file'}")
    _refuse_over(max_bytes, path.stat().st_size, repr(str(path)))
    path.open("rb").close()


def _refuse_over(limit: int, size: int, what: str) -> None:
    if size > limit:
        sizes = f"{size / 1e6:,.1f} MB, more than the limit of {limit / 1e6:,.0f} MB"
        instead = "load a part of it, or open one conversation: `historylab FILE`, or list_conversations in Python"
        raise TooLarge(f"{what} has {sizes}; {instead}")


def _advice(path: object) -> str:
    pasted = any(mark in str(path) for mark in "{[\n")
    return "; a str is read as a path, so give pasted text as bytes" if pasted else "; check the path"
