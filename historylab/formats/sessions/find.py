"""Sessions of coding agents on this machine, the newest first, and those of them that a search is for.

Nothing is read until it is asked for, then only the beginning of each file: the project, and the first thing asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from stat import S_ISREG

from historylab.errors import LoadError
from historylab.formats.sessions.databases import MARK, sessions_in
from historylab.formats.sessions.heads import read_head
from historylab.formats.sessions.places import DATABASES, PLACES, SessionPlace, folders_of
from historylab.formats.titles import opening, printable

LONGEST = 80  # characters of an opening question
DIGEST = 64  # characters of a folder's name that Gemini CLI made of the project's path
LATEST = 253_402_300_800  # seconds since 1970 at the end of the year 9999
SEPARATORS = frozenset("/\\")  # no path has them in a name
SUBAGENT = "agent-"  # begins the files of Claude Code's subagents, which belong to a session


@dataclass(frozen=True)
class Session:
    """One session. `project` is the folder worked in, as far as anything says; `question` the first thing asked.

    `path` is a file, a folder, or one session of a database as `load` takes it, `FILE#ID`, whose size isn't known.
    """

    tool: str
    path: Path
    question: str
    project: str
    changed: datetime
    size: int | None


def find_sessions() -> list[Session]:
    """The sessions of this machine, newest first. Folders and files that can't be read are left out."""
    found = {session.path: session for place in PLACES for session in _sessions_at(place)}
    return sorted(found.values(), key=lambda session: session.changed, reverse=True)


def matching_sessions(found: Iterable[Session], search: str = "", project: str = "") -> list[Session]:
    """Those that have every word of a search in their question, project or path, and this in their project."""
    words, within = search.casefold().split(), project.casefold()
    texts = ((one, f"{one.question}\n{one.project}\n{one.path}".casefold()) for one in found)
    return [one for one, text in texts if all(word in text for word in words) and within in one.project.casefold()]


def _sessions_at(place: SessionPlace) -> Iterator[Session]:
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
                    yield _list_file(place, path, found.st_mtime, found.st_size)
            except (OSError, LoadError):
                continue


def _list_database(place: SessionPlace, path: Path, changed: float) -> Iterator[Session]:
    for row in sessions_in(path):
        at = row.changed if 0 <= row.changed < LATEST else changed
        if row.id.isprintable() and SEPARATORS.isdisjoint(row.id):
            address = path.with_name(f"{path.name}{MARK}{row.id}")
            yield _session(place, address, (row.question, row.project), at, None)


def _list_file(place: SessionPlace, path: Path, changed: float, size: int) -> Session:
    question, project = read_head(path)
    above = path.parents[place.up - 1].name if place.up else ""
    named = project or (above[:12] if len(above) == DIGEST else above)
    return _session(place, path.parent if place.whole else path, (question, named), changed, size)


def _session(place: SessionPlace, path: Path, said: tuple[str, str], changed: float, size: int | None) -> Session:
    question, project = map(printable, said)
    at = datetime.fromtimestamp(changed, UTC)
    return Session(place.tool, path, opening(question, LONGEST), project, at, size)
