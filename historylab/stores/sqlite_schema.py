"""The tables of an SQLite file, and how a file of an earlier version becomes one of today's.

`stored_messages` is `systems/toolpack`'s; every file has it, as earlier versions of HistoryLab open no file without.
Theirs have an index of its words besides, `stored_words`, which triggers of the file keep and nothing here reads.
"""

from __future__ import annotations

import sqlite3

from historylab.errors import StoreError

VERSION = 2  # kept in PRAGMA user_version; 0 is a new file, or one from before there were versions
TO_VERSION_1 = (
    """CREATE TABLE IF NOT EXISTS stored_messages (
      arrival INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL,
      conversation_id TEXT NOT NULL,
      participant_kind TEXT NOT NULL,
      participant_id TEXT NOT NULL,
      participant_display_name TEXT,
      content TEXT NOT NULL,
      timestamp TEXT NOT NULL,
      scope TEXT NOT NULL,
      metadata TEXT,
      instant REAL NOT NULL,
      UNIQUE (conversation_id, id)
    )""",
    "CREATE INDEX IF NOT EXISTS idx_conv ON stored_messages (conversation_id, instant, arrival)",
    """CREATE TABLE IF NOT EXISTS stored_state (
      key TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL, written REAL NOT NULL)""",
)
TO_VERSION_2 = (
    """CREATE TABLE stored_records (
      number INTEGER PRIMARY KEY AUTOINCREMENT, conversation TEXT NOT NULL, at REAL NOT NULL, line TEXT NOT NULL)""",
    "CREATE INDEX idx_record_conversations ON stored_records (conversation, number, at)",
)
MIGRATIONS = (TO_VERSION_1, TO_VERSION_2)
"""What each version adds to the one before."""


def migrate(connection: sqlite3.Connection) -> None:
    """Bring a file to today's version, all of it or nothing. Raises StoreError for one of a later version."""
    if _version(connection) == VERSION:
        return
    if _version(connection) == 0 and _is_of_others(connection):
        raise StoreError("it is the database of another program; give another file")
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        for statements in MIGRATIONS[_version(connection) :]:  # read again: another process may have been first
            for statement in statements:
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {VERSION}")


def _is_of_others(connection: sqlite3.Connection) -> bool:
    """True for a file without a version that holds tables and none of ours: it is another program's."""
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    return bool(tables) and "stored_messages" not in tables


def _version(connection: sqlite3.Connection) -> int:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if not 0 <= version <= VERSION:
        raise StoreError(
            f"its schema has version {version}, and this HistoryLab knows versions up to {VERSION}; update HistoryLab"
        )
    return int(version)
