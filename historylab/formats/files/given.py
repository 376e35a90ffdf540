"""The path or the bytes that `load` was given, as a content; and whether it is a folder."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath

from historylab.errors import LoadError, TooLarge
from historylab.formats.files.content import Content
from historylab.formats.files.object_stores import ObjectFile, is_address
from historylab.formats.sessions.databases import database_session, read_session
from historylab.formats.traces.recorded_lines import RECORDING_FILE


def folder_given(given: str | os.PathLike[str] | bytes) -> Path | None:
    """The folder at that path, unless it is a recording's."""
    path = Path(given) if isinstance(given, str | os.PathLike) else None
    try:
        return path if path and path.is_dir() and not (path / RECORDING_FILE).is_file() else None
    except (OSError, ValueError):  # ValueError: a NUL in the path
        return None  # reading it says why


def content_given(given: str | os.PathLike[str] | bytes, name: str, max_bytes: int) -> Content:
    """The content of a file, of one session of a database (`FILE#ID`), or of bytes.

    Raises LoadError where there is none, TooLarge over the limit.
    """
    if isinstance(given, bytes | bytearray | memoryview):
        _refuse_over(max_bytes, len(given), "this")
        return Content(bytes(given), name)
    if not isinstance(given, str | os.PathLike):
        raise LoadError(f"load takes a path or bytes, not a {type(given).__name__}; encode a text first")
    if is_address(address := os.fspath(given)):
        with ObjectFile(address) as file:
            _refuse_over(max_bytes, file.size, repr(address))
            return Content(file.readall(), name or PurePosixPath(address).name)
    path = Path(given)
    try:
        if found := database_session(os.fspath(given)):
            return read_session(*found, max_bytes)
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
        raise LoadError(f"{str(path)!r} is no regular file")
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
