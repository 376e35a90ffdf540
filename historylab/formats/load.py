"""`load`: reads the conversations of a file or of bytes, with a report on every record."""

from __future__ import annotations

import gc
import os
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from itertools import islice
from pathlib import Path, PurePath
from typing import overload

from historylab.conversation.conversation import Conversation
from historylab.errors import LoadError, UnknownFormat
from historylab.formats.base import FindBeside, Format, Report, reasons
from historylab.formats.detect import claimants, match_strengths, offers, refuse
from historylab.formats.files.archives import MAX_ENTRIES, ZIP, FileSet, open_zip, unpack
from historylab.formats.files.content import Content
from historylab.formats.files.event_stream import of_events
from historylab.formats.files.folders import open_folder
from historylab.formats.files.given import content_given, folder_given
from historylab.formats.files.packings import PACKINGS
from historylab.formats.messages.branching import join_resumed
from historylab.formats.shapes.reading import read_mapped
from historylab.formats.shapes.shape import Shape
from historylab.formats.sub_agents import arrange_sessions, is_sub_agent, join_sub_agents
from historylab.formats.titles import add_titles, label_conversation
from historylab.registry import Member, member, members

MAX_BYTES = 1_000_000_000
"""The default size limit of `load`."""

SHAPE = "shape"
"""The `member` on the report of a file that was read by a shape, which is no format."""

UPLOAD_BYTES = 20_000_000
"""The size limit of one upload on screen."""

MANY = 20_000
"""New objects that are looked through more slowly than those are counted that a program keeps frozen."""

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
    shape: Shape | str | os.PathLike[str] | None = None,
    mapping: Shape | str | os.PathLike[str] | None = None,
) -> Conversations:
    """Read every conversation of a file, of the files in a folder or a ZIP archive, or of a recording's folder.

    A str is a path; pass pasted text as bytes. The sub-agents of a coding agent's session are conversations after it,
    those in files beside the one at a path, too.

    `format` names the format instead of detecting it. `name` is the file name of bytes: its suffix identifies JSON
    lines, its stem becomes the title. `shape` says where a file in no known format holds its messages: a Shape, or the
    path of a saved one; `mapping` is its former name. Raises LoadError, UnknownFormat or TooLarge, each with a
    one-sentence message.
    """
    loaded = load_alone(path_or_bytes, format, name=name, max_bytes=max_bytes, shape=shape or mapping)
    path = Path(path_or_bytes) if isinstance(path_or_bytes, str | os.PathLike) else None
    return loaded if path is None or path.is_dir() else _with_files_beside(loaded, path, max_bytes)


def load_alone(
    path_or_bytes: str | os.PathLike[str] | bytes,
    format: str | None = None,
    *,
    name: str = "",
    max_bytes: int = MAX_BYTES,
    shape: Shape | str | os.PathLike[str] | None = None,
) -> Conversations:
    """Read every conversation as `load` does, without those in files beside the one at a path."""
    chosen = _member(format, shape)
    with collection_paused():
        if folder := folder_given(path_or_bytes):
            return _load_entries(open_folder(folder, max_bytes), chosen, max_bytes)
        return _load_any(content_given(path_or_bytes, name, max_bytes), chosen, max_bytes)


def _load_any(content: Content, chosen: Member | None, most: int) -> Conversations:
    """The conversations of a content, unpacked if it is an archive."""
    if content.head.startswith(tuple(PACKINGS)):
        content = unpack(content, most)
    if content.head.startswith(ZIP):
        return _load_entries(open_zip(content, most), chosen, most)
    return _load_content(content, chosen)


def _with_files_beside(loaded: Conversations, path: Path, most: int) -> Conversations:
    """The conversations, and after them those of the files beside theirs that belong to them, of `most` bytes."""
    report, others = loaded.report, list[Conversation]()
    known = None if report.member == SHAPE else member("format", report.member)
    find: FindBeside | None = known.attributes.get("beside") if known else None
    for beside in islice(find(path, loaded), MAX_ENTRIES) if find else ():
        try:
            if beside.is_symlink():
                continue
            found = load_alone(beside, report.member, max_bytes=most)
            most -= beside.stat().st_size
        except (LoadError, OSError) as problem:
            why = str(problem) if isinstance(problem, LoadError) else "a file that can't be read"
            report.skip(f"a sub-agent's file: {why.partition(';')[0]}", beside.name)
            continue
        report.add(found.report, beside.name)
        report.keep("sub-agents' files beside it", beside.name)
        others += found
    return _as_whole([*loaded, *others], report) if others else loaded


def _as_whole(found: Sequence[Conversation], report: Report) -> Conversations:
    """The conversations of several files, with sub-agents joined to what called them."""
    joined = join_sub_agents(found, report)
    report.conversations, report.messages = len(joined), sum(map(len, joined))
    return Conversations(joined, report)


def first_asking(conversations: Sequence[Conversation]) -> int:
    """The first in which a user says something, a sub-agent's if in no other; the first of all if in none."""
    asking = [i for i, found in enumerate(conversations) if any(m.role == "user" for m in found)]
    return next((i for i in asking if not is_sub_agent(conversations[i])), next(iter(asking), 0))


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
                if gc.get_count()[0] > MANY and not gc.get_freeze_count():
                    gc.freeze()  # what was read is old at once, and isn't looked through as new
                    gc.unfreeze()
                gc.enable()


def _member(format: str | None, shape: Shape | str | os.PathLike[str] | None) -> Member | None:
    """The member that the caller wants the file read by, if any; a shape becomes one."""
    if shape is None:
        return member("format", format) if format else None
    return _by_shape(shape if isinstance(shape, Shape) else Shape.read(shape))


def _by_shape(shape: Shape) -> Member:
    return Member("format", SHAPE, partial(read_mapped, shape), {"title": "Shape"})


def load_content(content: Content, shape: Shape | None = None) -> Conversations:
    """Read every conversation of a content, as `load` reads a file's."""
    with collection_paused():
        return _load_content(content, _member(None, shape))


def _load_content(content: Content, chosen: Member | None) -> Conversations:
    content = of_events(content)
    return _read_by(chosen, content, {}) if chosen else _read_by_claim(content)


def _read_by(chosen: Member, content: Content, claims: Mapping[str, float]) -> Conversations:
    report = Report(format=chosen.title, member=chosen.name, claims=dict(claims))
    read: Format = chosen.target
    return as_loaded(read(content, report), report, PurePath(content.name).stem, content.report_faults)


def _read_by_claim(content: Content) -> Conversations:
    """The conversations as the surest format reads them that doesn't find too little.

    One that reads nothing, or less than half of what could be messages, gives way to the next, and all of them to a
    shape that would read more.
    """
    claims = match_strengths(content)
    little: Conversations | None = None
    problem: LoadError | None = None
    for equally_sure in claimants(claims):
        enough = []
        for candidate in equally_sure:
            try:
                found = _read_by(candidate, content, claims)
            except LoadError as why:
                problem = problem or why
                continue
            if _reads_enough(found.report, content):
                enough.append(found)
            elif little is None or found.report.messages > little.report.messages:
                little = found
        if len(enough) == 1:
            return enough[0]
        if enough:
            raise refuse(content, claims, [found.report.member for found in enough])
    if little and not _reads_more(content, little):
        return little
    if problem and not little and (offered := offers(content)):
        raise UnknownFormat(f"{problem}. {offered[0]}", claims, (), offered)
    raise refuse(content, claims) if little or not problem else problem


def _reads_enough(report: Report, content: Content) -> bool:
    """Tell whether at least half of the records became messages that aren't known to be none."""
    broken = len(content.broken_lines)
    unread = report.skips - report.passed - broken
    return unread * 2 <= report.records - report.passed - broken


def _reads_more(content: Content, found: Conversations) -> bool:
    """Tell whether a shape that is offered would read more, no fewer of any kind, and none known to be no message."""
    for offered in offers(content)[:1]:
        with suppress(LoadError):
            guessed, known = map(_counts_said, (_read_by(_by_shape(offered.shape), content, {}), found))
            more = sum(guessed) > sum(known) + found.report.passed
            return more and all(guess >= count for guess, count in zip(guessed, known, strict=True))
    return False


def _counts_said(found: Conversations) -> tuple[int, int, int]:
    """Count a user's messages, an assistant's, and the results that have their calls."""
    messages = [message for one in found for message in one]
    calls = {call.id for message in messages for call in message.tool_calls}
    roles = Counter(message.role for message in messages)
    return roles["user"], roles["assistant"], sum(m.role == "tool" and m.tool_call_id in calls for m in messages)


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
            _report_lacks(one, report)
        else:
            report.warn("a conversation without messages", one.title)
    report_faults(report)
    whole = _as_whole(conversations, report)
    if not whole:
        records = f"{report.skips:,} record{' was' if report.skips == 1 else 's were'}"
        left_out = f": {records} left out{reasons(report.skipped)}" if report.skips else ""
        by, advice = f"as {report.format}", "give a file in which somebody speaks, or choose another format"
        if report.member == SHAPE:
            by, advice = "by the shape", "name the list, who speaks and the text as this file names them"
        raise LoadError(f"no message in it could be read {by}{left_out}; {advice}")
    return Conversations([*add_titles(whole, stem)], report)


def _report_lacks(one: Conversation, report: Report) -> None:
    """Report what hardly a conversation lacks, so that a file read the wrong way shows."""
    roles = [message.role for message in one]
    calls, results = sum(len(message.tool_calls) for message in one), roles.count("tool")
    if "user" not in roles and len(one) > 1:  # an answer alone is a file of its own kind
        report.warn("a conversation without any user message", one.title)
    if calls > 1 and not results:
        report.warn("a conversation whose calls all lack their results", one.title)
    if results > 1 and not calls:
        report.warn("a conversation whose results all lack their calls", one.title)


def _load_entries(entries: FileSet, chosen: Member | None, most: int) -> Conversations:
    """The conversations of all files in an archive or a folder, those of several files under the files' names."""
    report = Report()
    skipped: dict[str, str] = {}
    found: list[tuple[str, Conversations]] = []
    own = set[str]()  # files that took themselves
    for content in entries.contents(skipped):
        try:
            found.append((content.name, _load_any(content, chosen, most)))
            own.update({content.name} & entries.taken)
        except LoadError as problem:
            if len(entries) == 1:
                raise
            unknown = isinstance(problem, UnknownFormat)
            skipped[content.name] = "a file in no format known" if unknown else str(problem).partition(";")[0]
    found = [each for each in found if each[0] in own or each[0] not in entries.taken]
    for name, reason in skipped.items():
        if name not in entries.taken:
            report.skip(reason, name)
    if not found:
        files = f"{report.skips:,} file{'' if report.skips == 1 else 's'}"
        raise LoadError(f"no transcript is in this {entries.place} ({files}{reasons(report.skipped)})")
    for name, loaded in found:
        report.add(loaded.report, name)
    first = found[0][1].report
    report.format = first.format if len(found) == 1 else formats_read(loaded.report for _, loaded in found)
    report.member, report.claims = first.member, first.claims
    if len(found) == 1:
        return Conversations(found[0][1], report)
    all_found = [c if is_sub_agent(c) else label_conversation(c, name) for name, loaded in found for c in loaded]
    whole = _as_whole(join_resumed(all_found, report), report)
    return Conversations(arrange_sessions(whole), report)


def formats_read(reports: Iterable[Report]) -> str:
    """ "tau-bench, Codex and ShareGPT": each format once, also those that an archive's report already lists."""
    titles = sorted((found.title for found in members("format").values()), key=len, reverse=True)
    known = re.compile("|".join(map(re.escape, titles)))
    *first, last = dict.fromkeys(title for r in reports for title in known.findall(r.format) or [r.format])
    return f"{', '.join(first)} and {last}" if first else last
