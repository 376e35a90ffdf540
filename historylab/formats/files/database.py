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
    try:
        with closing(sqlite3.connect(":memory:")) as connection:
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, max(LEAST_TAKEN, len(data)))
            connection.deserialize(bytes(copy))
            connection.execute("PRAGMA trusted_schema = OFF")
            connection.execute("PRAGMA query_only = ON")
            connection.text_factory = lambda text: text.decode("utf-8", "replace")
            yield connection
    except UnicodeDecodeError:  # of what SQLite says is wrong
        raise LoadError("this SQLite database can't be read: it is damaged") from None
    except (sqlite3.Error, OverflowError) as problem:
        raise LoadError(f"this SQLite database can't be read: {str(problem)[:80]}") from None


def tables_of(data: bytes) -> Mapping[str, frozenset[str]]:
    """Table → its columns."""
    with open_database(data) as connection:
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        return {
            name: frozenset(row[1] for row in connection.execute(f"PRAGMA table_info({_quote(name)})"))
            for name in names
        }


def query_rows(data: bytes, query: str) -> Iterator[dict[str, Any]]:
    """The rows of a query, by column name. TooLarge if they take many times what is in the file."""
    most, taken = max(LEAST_TAKEN, TIMES * len(data)), 0
    with open_database(data) as connection:
        cursor = connection.execute(query)
        names = [column[0] for column in cursor.description]
        for row in cursor:
            taken += OF_A_ROW + sum(len(value) for value in row if isinstance(value, str | bytes))
            if taken > most:
                raise TooLarge(f"this SQLite database unfolds to more than {most / 1e6:,.0f} MB, which isn't read")
            yield dict(zip(names, row, strict=True))


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
