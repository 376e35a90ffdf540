"""SQLite databases of others: opened in memory or read-only, with every fault a LoadError."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from typing import Any

from historylab.errors import LoadError

MAGIC = b"SQLite format 3\0"
WAL_VERSIONS = slice(18, 20)  # of the header: 2 asks for a -wal file, which bytes don't have


@contextmanager
def opened(data: bytes) -> Iterator[sqlite3.Connection]:
    """A connection to the database in these bytes. Whatever SQLite finds wrong with it is a LoadError."""
    copy = bytearray(data)
    copy[WAL_VERSIONS] = b"\1\1"
    try:
        with closing(sqlite3.connect(":memory:")) as connection:
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
    with opened(data) as connection:
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        return {
            name: frozenset(row[1] for row in connection.execute(f"PRAGMA table_info({_quoted(name)})"))
            for name in names
        }


def rows_of(data: bytes, query: str) -> Iterator[dict[str, Any]]:
    """The rows of a query, by column name."""
    with opened(data) as connection:
        cursor = connection.execute(query)
        names = [column[0] for column in cursor.description]
        for row in cursor:
            yield dict(zip(names, row, strict=True))


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
