"""The tables of the PostgreSQL store, and how a database of an earlier version becomes one of today's.

A database that an earlier version of HistoryLab made has a table `historylab_messages`, too, which nothing reads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from historylab.errors import StoreError

if TYPE_CHECKING:
    import psycopg

VERSION = 2
LOCK = 0x486973746F7279  # the same in every process that migrates
TO_VERSION_1 = """
CREATE TABLE historylab_schema (version integer NOT NULL);
INSERT INTO historylab_schema VALUES (1);
CREATE TABLE historylab_state (
  key_hash bytea PRIMARY KEY,
  key text NOT NULL,
  value text NOT NULL,
  written timestamptz NOT NULL DEFAULT clock_timestamp()
);
"""
TO_VERSION_2 = """
CREATE TABLE historylab_records (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  conversation text NOT NULL,
  room bytea NOT NULL,
  at double precision NOT NULL,
  line text NOT NULL
);
CREATE INDEX historylab_record_rooms ON historylab_records (room, number);
UPDATE historylab_schema SET version = 2;
"""
MIGRATIONS = (TO_VERSION_1, TO_VERSION_2)
"""What each version adds to the one before."""

HAS_VERSION = "SELECT 1 FROM pg_catalog.pg_class WHERE relname = 'historylab_schema' AND pg_table_is_visible(oid)"
"""Not `to_regclass`, which remembers within a transaction that there was no such table."""


def migrate(connection: psycopg.Connection) -> None:
    """Bring a database to today's version, all of it or nothing. Raises StoreError for one of a later version."""
    encoding = connection.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        raise StoreError(f"its encoding is {encoding}, which keeps few texts; create the database with ENCODING 'UTF8'")
    if _version(connection) < VERSION:
        with connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (LOCK,))
            for statements in MIGRATIONS[_version(connection) :]:  # read again: another process may have been first
                connection.execute(statements)


def _version(connection: psycopg.Connection) -> int:
    """0 for a new database."""
    table = connection.execute(HAS_VERSION).fetchone()
    rows = connection.execute("SELECT version FROM historylab_schema").fetchall() if table else [(0,)]
    if len(rows) != 1 or not 0 <= rows[0][0] <= VERSION:
        found = ", ".join(str(version) for (version,) in rows) or "none"
        raise StoreError(
            f"its schema has version {found}, and this HistoryLab knows versions up to {VERSION}; update HistoryLab"
        )
    return int(rows[0][0])
