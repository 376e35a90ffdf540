"""Sessions of coding agents on this machine, the newest first, and those of them that a search is for.

Nothing is read until it is asked for, then only the beginning of each file: the project, and the first thing asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from stat import S_ISREG
from time import time

from historylab.errors import LoadError
from historylab.formats.sessions.databases import MARK, sessions_in
from historylab.formats.sessions.heads import read_head
from historylab.formats.sessions.places import DATABASES, PLACES, TASK, SessionPlace, folders_of
from historylab.formats.titles import opening, printable

LONGEST = 80  # characters of an opening question
DIGEST = 64  # characters of a folder's name that Gemini CLI made of the project's path
LATEST = 253_402_300_800  # seconds since 1970 at the end of the year 9999
DAY = 86_400  # seconds by which clocks may differ; a later date than that is a wrong one
SEPARATORS = frozenset("/\\")  # no path has them in a name
SUBAGENT = "agent-"  # begins the files of Claude Code's subagents, which belong to a session


@dataclass(frozen=True)
class Session:
    """One session: a file, a folder, or one of a database as `load` takes it, `FILE#ID`, whose size isn't known.

    `format` reads it, if that is known. Its question and project are read from its file once somebody asks for them.
    """

    tool: str
    path: Path
    changed: datetime
    size: int | None
    format: str = ""
    said: tuple[str, str] | None = None
    named: str = ""

    @cached_property
    def _head(self) -> tuple[str, str]:
        try:
            question, project = map(printable, self.said or read_head(_file_of(self.path)))
        except OSError:
            question, project = "", ""
        return opening(question, LONGEST), project or self.named

    @property
    def question(self) -> str:
        """The first thing asked; empty where nothing is, or where the file can't be read."""
        return self._head[0]

    @property
    def project(self) -> str:
        """The folder worked in, or what the tool calls it, as far as anything says."""
        return self._head[1]


def _file_of(path: Path) -> Path:
    """The file that tells most of a session, which may be a folder."""
    return next((path / name for name, _ in TASK if (path / name).is_file()), path)


class FoundSessions(list[Session]):
    """Sessions in order.

    Attributes:
        unread: the databases that can't be read, or not to their end, each with the reason.
    """

    def __init__(self, found: Iterable[Session] = (), unread: Iterable[tuple[Path, str]] = ()) -> None:
        super().__init__(found)
        self.unread = tuple(unread)


def find_sessions() -> FoundSessions:
    """The sessions of this machine, newest first; those dated in the future come last.

    Folders that can't be read are left out.
    """
    unread: list[tuple[Path, str]] = []
    found = {session.path: session for place in PLACES for session in _sessions_at(place, unread)}
    until = _moment(time() + DAY)
    ordered = sorted(found.values(), key=lambda one: (one.changed < until, one.changed), reverse=True)
    return FoundSessions(ordered, unread)


def matching_sessions(found: Iterable[Session], search: str = "", project: str = "") -> list[Session]:
    """The sessions that have every word of a search in their question, project or path, and this in their project."""
    words, within = search.casefold().split(), project.casefold().strip()
    return [one for one in found if _has_words(one, words) and (not within or within in one.project.casefold())]


def _has_words(session: Session, words: list[str]) -> bool:
    text = f"{session.question}\n{session.project}\n{session.path}".casefold() if words else ""
    return all(word in text for word in words)


def _sessions_at(place: SessionPlace, unread: list[tuple[Path, str]]) -> Iterator[Session]:
    """The sessions of a place. Symbolic links are not followed out of the folder."""
    for folder in folders_of(place):
        for path in folder.glob(place.pattern):
            try:
                found = path.lstat()
                if not S_ISREG(found.st_mode) or not found.st_size or path.name.startswith(SUBAGENT):
                    continue
                if path.suffix in DATABASES:
                    yield from _list_database(place, path, found.st_mtime)
                else:
                    whole = path.parent if place.whole else path
                    above = path.parents[place.up - 1].name if place.up else ""
                    named = printable(above[:12] if len(above) == DIGEST else above)
                    yield Session(place.tool, whole, _moment(found.st_mtime), found.st_size, place.format, named=named)
            except OSError:
                continue
            except LoadError as problem:
                unread.append((path, str(problem)))


def _list_database(place: SessionPlace, path: Path, changed: float) -> Iterator[Session]:
    for row in sessions_in(path):
        at = row.changed if 0 <= row.changed < LATEST else changed
        if row.id.isprintable() and SEPARATORS.isdisjoint(row.id):
            address = path.with_name(f"{path.name}{MARK}{row.id}")
            yield Session(place.tool, address, _moment(at), None, place.format, (row.question, row.project))


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
