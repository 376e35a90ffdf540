"""Where a recording is: a folder, a file or a database."""

from __future__ import annotations

import os
from errno import EISDIR
from pathlib import Path

from historylab.errors import StoreError
from historylab.formats.traces.recorded_lines import RECORDING_FILE
from historylab.registry import member
from historylab.settings.names import RECORD
from historylab.stores.base import Store, open_store

FILES = frozenset({".db", ".sqlite", ".sqlite3"})


def open_recording(place: str | os.PathLike[str]) -> Store:
    """The store of a recording, with all that a Trimmer keeps; close it when done.

        recordings/                              a folder, made if there is none; the store is its historylab.db
        recordings/mine.db                       an SQLite file
        sqlite:///mine.db · postgresql://…       a store by its URL

    A folder or file made here can be read by its owner alone. Raises StoreError; no error repeats a password.
    """
    if isinstance(place, str) and "://" in place:
        return open_store(place)
    file = recording_file(place)
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if file.is_dir():
            raise IsADirectoryError(EISDIR, os.strerror(EISDIR))
        if not file.exists():  # to close what another store of this process has open would give up that one's locks
            os.close(os.open(file, os.O_CREAT | os.O_RDWR, 0o600))
    except (OSError, ValueError) as problem:  # a ValueError: a NUL in the path
        reason = getattr(problem, "strerror", None) or problem
        raise StoreError(f"{str(place)!r:.200} cannot hold a recording: {reason}; give a folder") from None
    store: Store = member("store", "sqlite").target(file)
    return store


def named_place() -> str:
    """The place that the environment names; empty if it names none."""
    return os.environ.get(RECORD, "")


def default_place() -> str:
    """The folder in the user's data directory, for what is recorded without another being named."""
    data = os.environ.get("XDG_DATA_HOME") or os.path.join(os.path.expanduser("~"), ".local", "share")
    return os.path.join(data, "historylab", "recordings")


def place_in_words(place: str) -> str:
    """A place for display: a database by its address without a password, a file or folder by its whole path."""
    scheme, is_url, rest = place.partition("://")
    return f"{scheme}://{rest.rpartition('@')[2].partition('?')[0]}" if is_url else os.path.abspath(place)


def recording_file(place: str | os.PathLike[str]) -> Path:
    """The SQLite file of a recording that is no URL."""
    path = Path(os.path.expanduser(place))
    return path if path.suffix.lower() in FILES and not os.path.isdir(path) else path / RECORDING_FILE
