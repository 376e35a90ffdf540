"""An SQLite file, or a database in memory, in today's schema: one connection, whose failures are all StoreError.

One connection behind a lock serialises threads; several processes may share a file on a local disk (WAL, which network
file systems don't keep). A commit is on disk before a block ends. The first use opens the file for good, so that a
server may make a store and fork: SQLite allows no connection to be carried into a fork. Each use looks whether the file
is still in its place: one that was deleted is made anew, and one that was put there is opened, if it is a store. Texts
are bound as bytes and cast, because a lone surrogate (an emoji that a JavaScript channel cut in two) is text to Python
but not to SQLite.
"""

from __future__ import annotations

import logging
import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from historylab.errors import StoreError
from historylab.stores.sqlite_schema import migrate

TEXT = "CAST(? AS TEXT)"
SECONDS_TO_WAIT = 30  # for another process that is writing
DELETED, REPLACED = ("deleted", "begun anew"), ("replaced by another file", "gone on with, if it is a store")

log = logging.getLogger("historylab.stores")


class SQLiteFile:
    """The file of one store. Safe under threads."""

    def __init__(self, path: str | os.PathLike[str]):
        in_memory = os.fspath(path) in (":memory:", "")
        self._path = path if in_memory else os.path.abspath(path)  # whatever the working directory is later
        self._lock = threading.RLock()
        self._process, self._closed, self.replaced = os.getpid(), False, 0
        self._connection: sqlite3.Connection | None = _connect(self._path)
        if not in_memory:  # what is wrong with the file has been said
            self._connection.close()
            self._connection = None
        self._opened = _identity(self._path)

    def close(self) -> None:
        """Close the file; the store cannot be used afterwards."""
        with self._lock:
            self._closed = True
            if self._connection and self._process == os.getpid():
                self._connection.close()

    @contextmanager
    def connection(self) -> Iterator[sqlite3.Connection]:
        """The connection, for one thread at a time; what goes wrong with it is a StoreError."""
        with self._lock:
            if self._closed:
                raise StoreError(f"the conversation store in {str(self._path)!r} is closed")
            if self._opened != (found := _identity(self._path)):
                self._let_go(found is None)
            if self._connection is None:
                self._connection, self._process = _connect(self._path), os.getpid()
            if self._process != os.getpid():
                raise StoreError(
                    f"the store in {str(self._path)!r} was used before this process was forked; open its own"
                )
            try:
                yield self._connection
            except (sqlite3.Error, UnicodeDecodeError) as problem:  # the latter: an error that quotes what is damaged
                raise StoreError(f"the conversation store in {str(self._path)!r} failed: {problem}") from problem

    def _let_go(self, gone: bool) -> None:
        """Close a file that is in its place no more, so that the one that is, or a new one, is opened."""
        if self._connection and self._process == os.getpid():
            self._connection.close()  # SQLite sees that its file was moved, and leaves what stands there alone
            self._connection = None
        try:
            if gone:  # one that stands there may be open elsewhere in this process: to close it would give up its locks
                os.close(os.open(self._path, os.O_CREAT | os.O_RDWR, 0o600))
        except OSError as problem:
            raise StoreError(f"{str(self._path)!r} is gone, and can't be made anew: {problem.strerror}") from None
        self.replaced, self._opened = self.replaced + 1, _identity(self._path)
        log.warning("%s was %s; it is %s", self._path, *(DELETED if gone else REPLACED))

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """One transaction: on disk when this is left without an exception, undone otherwise."""
        with self.connection() as connection, connection:
            connection.execute("BEGIN IMMEDIATE")
            yield connection

    @contextmanager
    def deletion(self) -> Iterator[sqlite3.Connection]:
        """One transaction, after which what went is in no file beside the database either."""
        with self.connection() as connection:
            with connection:
                connection.execute("BEGIN IMMEDIATE")
                yield connection
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # while another reads it, the next one does it


def _identity(path: str | os.PathLike[str]) -> tuple[int, int] | None:
    """The file that stands there; None for none, as where the database is in memory."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino


def _connect(path: str | os.PathLike[str]) -> sqlite3.Connection:
    """A connection that commits only where it is told to, to a file in today's schema."""
    try:
        connection = sqlite3.connect(path, timeout=SECONDS_TO_WAIT, isolation_level=None, check_same_thread=False)
        try:
            connection.text_factory = _text
            migrate(connection)
            with suppress(sqlite3.OperationalError):  # while others have it open, it stays as it is: slower, as safe
                connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA secure_delete = ON")  # what was deleted can't be read off the file
        except BaseException:
            connection.close()
            raise
    except (sqlite3.Error, StoreError, ValueError) as problem:  # a ValueError: a path with a NUL, which no file has
        raise StoreError(f"{str(path)!r} cannot be opened as a conversation store: {problem}") from problem
    return connection


def _text(raw: bytes) -> str | bytes:
    """As it was bound; bytes that are no text stay bytes, so that what reads the row can say which one is damaged."""
    try:
        return raw.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return raw


def as_bytes(text: str) -> bytes:
    """A text as it is bound, where the statement has TEXT."""
    return text.encode("utf-8", "surrogatepass")
