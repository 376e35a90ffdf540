"""Sessions that stand in one database: OpenCode's and Kilo Code's, Goose's and Cursor's.

Each is listed by itself and addressed as `FILE#ID`. Opening one reads its rows alone, as a database of its own with the
same tables, so that a database of any size does, and no format has to know of it.

Sources: sst/opencode, packages/opencode/src/session (1.x and 2.0); block/goose,
crates/goose/src/session/session_manager.rs; getagentseal/codeburn, src/providers: opencode.ts, goose.ts, cursor.ts
(2026).
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Collection, Iterator, Mapping
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from historylab.conversation.message import instant
from historylab.errors import LoadError, TooLarge
from historylab.formats.files.content import Content
from historylab.formats.files.database import columns_by_table, open_database_file, quote_name, run_query
from historylab.formats.messages.chat_messages import iso_time
from historylab.formats.sessions.heads import first_text, parse_json, question_text
from historylab.formats.sessions.places import DATABASES

MARK = "#"
"""Between the database and the session's id."""
ASKED = 2_000  # characters of a first question that are read
SUB_AGENTS = ("sub_agent", "hidden")
"""Kinds of sessions that Goose itself began."""


class _Kind(NamedTuple):
    """A tool's database: a query for its sessions, with `id` and whatever of the columns below it has.

    Then, by table, which rows are of the session `:id`, or of one of a `tree` of it and its sub-agents.
    """

    sessions: str
    rows: Mapping[str, str]
    tree: str = "SELECT :id AS id"

    def queries(self, tables: Mapping[str, list[str]]) -> Iterator[tuple[str, str]]:
        """Each table with the query for its rows that are of the session."""
        for table, where in self.rows.items():
            named = f"{', '.join(map(quote_name, tables[table]))} FROM {quote_name(table)}"
            of_tree = where.replace("tree", "(SELECT id FROM tree)")
            yield table, f"WITH RECURSIVE tree(id) AS ({self.tree}) SELECT {named} WHERE {of_tree}"


PROJECT, TITLE = ("project", "directory", "working_dir"), ("title", "name", "description")
CHANGED = ("changed", "time_updated", "updated_at")
TREE = "SELECT :id AS id UNION SELECT s.id FROM {0} s JOIN tree ON s.parent_id = tree.id"
OPENCODE = _Kind(
    f"""
    SELECT s.*, (
        SELECT substr(CASE WHEN json_valid(p.data) THEN json_extract(p.data, '$.text') END, 1, {ASKED}) FROM part p
        WHERE p.message_id = (
            SELECT m.id FROM message m WHERE m.session_id = s.id
            AND CASE WHEN json_valid(m.data) THEN json_extract(m.data, '$.role') END = 'user'
            ORDER BY m.time_created, m.id LIMIT 1
        ) AND CASE WHEN json_valid(p.data) THEN json_extract(p.data, '$.type', '$.synthetic') END = '["text",null]'
        ORDER BY p.id LIMIT 1
    ) AS asked FROM session s
    """,
    {"session": "id IN tree", "message": "session_id IN tree", "part": "session_id IN tree"},
    TREE.format("session"),
)
OPENCODE_2 = _Kind(
    f"""
    SELECT s.*, (
        SELECT substr(CASE WHEN json_valid(m.data) THEN json_extract(m.data, '$.text') END, 1, {ASKED})
        FROM session_message m WHERE m.session_id = s.id AND m.type = 'user' ORDER BY m.seq LIMIT 1
    ) AS asked FROM session_v2 s
    """,
    {"session_v2": "id IN tree", "session_message": "session_id IN tree"},
    TREE.format("session_v2"),
)
GOOSE = _Kind(
    f"""
    SELECT s.*, (
        SELECT substr(m.content_json, 1, {4 * ASKED}) FROM messages m
        WHERE m.session_id = s.id AND m.role = 'user' ORDER BY m.id LIMIT 1
    ) AS asked FROM sessions s
    """,
    {"sessions": "id IN tree", "messages": "session_id IN tree"},
)
CURSOR = _Kind(
    f"""
    SELECT id, json_extract(said, '$.lastUpdatedAt') AS changed, json_extract(said, '$.createdAt') AS updated_at,
    json_extract(said, '$.workspaceIdentifier.uri.fsPath') AS project, json_extract(said, '$.name') AS title, coalesce((
        SELECT substr(json_extract(CAST(value AS TEXT), '$.text'), 1, {ASKED}) FROM cursorDiskKV
        WHERE key = 'bubbleId:' || id || ':' || json_extract(said, '$.fullConversationHeadersOnly[0].bubbleId')
        AND json_valid(CAST(value AS TEXT))
    ), substr(json_extract(said, '$.conversation[0].text'), 1, {ASKED})) AS asked
    FROM (
        SELECT substr(key, 14) AS id, CAST(value AS TEXT) AS said FROM cursorDiskKV
        WHERE key >= 'composerData:' AND key < 'composerData;' AND json_valid(CAST(value AS TEXT))
    )
    """,
    {
        "cursorDiskKV": "key = 'composerData:' || :id"
        " OR (key >= 'bubbleId:' || :id || ':' AND key < 'bubbleId:' || :id || ';')"
    },
)
KINDS = (OPENCODE_2, OPENCODE, GOOSE, CURSOR)
"""A database may be of several: OpenCode 2 keeps beside its own tables those of the version before."""


class SessionRow(NamedTuple):
    """One session of a database: what is asked first, the project, and when it changed, in seconds (NaN: not told)."""

    id: str
    question: str
    project: str
    changed: float


def sessions_in(path: Path) -> Iterator[SessionRow]:
    """The sessions of a database in which somebody asks something. Raises LoadError for one that can't be read."""
    listed = set[str]()
    with open_database_file(path) as connection:
        kinds = _kinds_of(columns_by_table(connection))
        for row in chain.from_iterable(run_query(connection, kind.sessions) for kind in kinds):
            asked, session = row.get("asked"), row.get("id")
            of_tool = row.get("parent_id") or row.get("session_type") in SUB_AGENTS
            if not isinstance(asked, str) or not isinstance(session, str) or session in listed or of_tool:
                continue
            listed.add(session)
            parts = parse_json(asked.encode(errors="replace"), "trailing-strings") if asked.startswith("[{") else None
            question = question_text(parts or asked) or first_text(row, TITLE)
            yield SessionRow(session, question, first_text(row, PROJECT), _time_in(row))


def _kinds_of(tables: Collection[str]) -> list[_Kind]:
    return [kind for kind in KINDS if kind.rows.keys() <= set(tables)]


def _time_in(row: Mapping[str, Any]) -> float:
    """Seconds since 1970; NaN where no column tells."""
    return instant(
        iso_time(next((row[name] for name in CHANGED if isinstance(row.get(name), str | int | float)), None))
    )


# -- one of them


def database_session(given: str) -> tuple[Path, str] | None:
    """The database and the id, of `FILE#ID`; None for anything else."""
    at = given.find(MARK)
    while at > 0:
        path = Path(given[:at])
        if path.suffix in DATABASES and path.is_file():
            return None if os.path.exists(given) else (path, given[at + 1 :])
        at = given.find(MARK, at + 1)
    return None


def read_session(path: Path, session: str, most: int) -> Content:
    """The rows of one session as a database with the same tables. LoadError without any, TooLarge over `most` bytes."""
    taken = 0
    with open_database_file(path) as connection, closing(sqlite3.connect(":memory:")) as copy:
        tables = columns_by_table(connection)
        for table, columns in tables.items():
            if not table.startswith("sqlite_"):
                copy.execute(f"CREATE TABLE {quote_name(table)} ({', '.join(map(quote_name, columns))})")
        for table, query in (each for kind in _kinds_of(tables) for each in kind.queries(tables)):
            for row in run_query(connection, query, id=session):
                taken += sum(len(value) for value in row.values() if isinstance(value, str | bytes))
                if taken > most:
                    raise TooLarge(f"this session holds more than {most / 1e6:,.0f} MB, which isn't read")
                copy.execute(f"INSERT INTO {quote_name(table)} VALUES ({', '.join('?' * len(row))})", (*row.values(),))
        if not taken:
            raise LoadError(f"no session {session[:80]!r} is in this database; list them with `historylab open`")
        copy.commit()
        return Content(copy.serialize(), path.name)
