"""The tables of the SQLite store, and how a file of an earlier version becomes one of today's."""

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

ENTRY = "(rowid, room, content) VALUES (new.arrival, 'c' || hex(new.conversation_id), new.content)"
REMOVAL = """INSERT INTO stored_words (stored_words, rowid, room, content)
VALUES ('delete', old.arrival, 'c' || hex(old.conversation_id), old.content)"""
WORDS = (
    """CREATE VIRTUAL TABLE stored_words USING fts5(
      room, content, content = '', tokenize = 'unicode61 remove_diacritics 0')""",
    """INSERT INTO stored_words (rowid, room, content)
    SELECT arrival, 'c' || hex(conversation_id), content FROM stored_messages""",
    f"CREATE TRIGGER words_added AFTER INSERT ON stored_messages BEGIN INSERT INTO stored_words {ENTRY}; END",
    f"CREATE TRIGGER words_removed AFTER DELETE ON stored_messages BEGIN {REMOVAL}; END",
    f"""CREATE TRIGGER words_changed AFTER UPDATE OF content, conversation_id ON stored_messages
    BEGIN {REMOVAL}; INSERT INTO stored_words {ENTRY}; END""",
)
"""An index of words that holds no text; the conversation is a word of its own, so that a search reads no other's."""


def migrate(connection: sqlite3.Connection) -> None:
    """Bring a file to today's version, all of it or nothing. Raises StoreError for one of a later version."""
    if _version(connection) == VERSION and (_has_words(connection) or not knows_fts5(connection)):
        return
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        for statements in MIGRATIONS[_version(connection) :]:  # read again: another process may have been first
            for statement in statements:
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {VERSION}")
        if knows_fts5(connection) and not _has_words(connection):
            for statement in WORDS:
                connection.execute(statement)


def knows_fts5(connection: sqlite3.Connection) -> bool:
    """Whether this SQLite was built with FTS5, its full-text search."""
    return ("fts5",) in connection.execute("PRAGMA module_list").fetchall()


def _has_words(connection: sqlite3.Connection) -> bool:
    return connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'stored_words'").fetchone() is not None


def _version(connection: sqlite3.Connection) -> int:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if not 0 <= version <= VERSION:
        raise StoreError(
            f"its schema has version {version}, and this HistoryLab knows versions up to {VERSION}; update HistoryLab"
        )
    return int(version)
