"""SQLite databases of others: opened in memory or read-only, with every fault a LoadError.

A schema can make much of little: by generated columns, defaults and joins. So no value is longer than the file, and
what a query returns takes at most a multiple of it.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from time import monotonic
from typing import Any

from historylab.errors import LoadError, TooLarge

MAGIC = b"SQLite format 3\0"
WAL_VERSIONS = slice(18, 20)  # of the header: 2 asks for a -wal file, which bytes don't have
BESIDE = ("-wal", "-shm", "-journal")
"""Endings of the files that SQLite keeps beside a database while it is in use."""
LEAST_TAKEN, TIMES = 1_000_000, 10
"""Bytes that rows may take whatever the size of the file, and how often its size."""
OF_A_ROW = 100
"""Bytes that a row takes beside its values."""
MOST_VALUE = 100_000_000
"""Bytes of a value in a database that is read in place."""
SECONDS, STEPS = 10, 100_000
"""The longest that such a database is read, looked at every so many steps of SQLite's."""


def read_database(path: Path) -> bytes:
    """The bytes of a database, with what a program that has it open has written and not yet moved into it."""
    wal = Path(f"{path}{BESIDE[0]}")
    if wal.exists() and wal.stat().st_size:
        uri = f"{path.absolute().as_uri()}?mode=ro"
        with suppress(sqlite3.Error), closing(sqlite3.connect(uri, uri=True)) as connection:
            return connection.serialize()
    return path.read_bytes()


def is_beside_database(path: str) -> bool:
    """Whether it is one of the files that SQLite keeps beside a database."""
    return any(path.endswith(ending) and os.path.exists(path.removesuffix(ending)) for ending in BESIDE)


@contextmanager
def open_database(data: bytes) -> Iterator[sqlite3.Connection]:
    """A connection to the database in these bytes. Whatever SQLite finds wrong with it is a LoadError."""
    copy = bytearray(data)
    copy[WAL_VERSIONS] = b"\1\1"
    with _connect(":memory:", len(data)) as connection:
        connection.deserialize(bytes(copy))
        yield connection


@contextmanager
def open_database_file(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection to the database in that file, of any size, which is left as it is; a LoadError as above.

    Without a -wal file nobody has one of that kind open: reading it otherwise would leave such a file there.
    """
    try:
        with path.open("rb") as file:
            idle = file.read(WAL_VERSIONS.stop)[WAL_VERSIONS] == b"\2\2" and not Path(f"{path}{BESIDE[0]}").exists()
    except OSError as problem:
        raise LoadError(f"this SQLite database can't be read: {(problem.strerror or '').lower()}") from None
    with _connect(f"{path.absolute().as_uri()}?{'immutable=1' if idle else 'mode=ro'}", MOST_VALUE) as connection:
        until = monotonic() + SECONDS
        connection.set_progress_handler(lambda: monotonic() > until, STEPS)
        yield connection


@contextmanager
def _connect(place: str, longest: int) -> Iterator[sqlite3.Connection]:
    try:
        with closing(sqlite3.connect(place, timeout=1, uri=True)) as connection:
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, max(LEAST_TAKEN, longest))
            connection.execute("PRAGMA trusted_schema = OFF")
            connection.execute("PRAGMA query_only = ON")
            connection.text_factory = lambda text: text.decode("utf-8", "replace")
            yield connection
    except UnicodeDecodeError:  # of what SQLite says is wrong
        raise LoadError("this SQLite database can't be read: it is damaged") from None
    except (sqlite3.Error, OverflowError) as problem:
        late = getattr(problem, "sqlite_errorcode", 0) == sqlite3.SQLITE_INTERRUPT
        why = f"it takes longer than {SECONDS} seconds" if late else str(problem)[:80]
        raise LoadError(f"this SQLite database can't be read: {why}") from None


def tables_of(data: bytes) -> Mapping[str, frozenset[str]]:
    """Table → its columns."""
    with open_database(data) as connection:
        return {name: frozenset(columns) for name, columns in columns_by_table(connection).items()}


def columns_by_table(connection: sqlite3.Connection) -> Mapping[str, list[str]]:
    """Table → its columns, in their order."""
    names = [name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    return {name: [row[1] for row in connection.execute(f"PRAGMA table_info({quote_name(name)})")] for name in names}


def query_rows(data: bytes, query: str) -> Iterator[dict[str, Any]]:
    """The rows of a query, by column name. TooLarge if they take many times what is in the file."""
    most, taken = max(LEAST_TAKEN, TIMES * len(data)), 0
    with open_database(data) as connection:
        for row in run_query(connection, query):
            taken += OF_A_ROW + sum(len(value) for value in row.values() if isinstance(value, str | bytes))
            if taken > most:
                raise TooLarge(f"this SQLite database unfolds to more than {most / 1e6:,.0f} MB, which isn't read")
            yield row


def run_query(connection: sqlite3.Connection, query: str, **given: str) -> Iterator[dict[str, Any]]:
    """The rows of a query, by column name."""
    cursor = connection.execute(query, given)
    names = [column[0] for column in cursor.description]
    return (dict(zip(names, row, strict=True)) for row in cursor)


def quote_name(name: str) -> str:
    """A name as SQL has it."""
    return '"' + name.replace('"', '""') + '"'
