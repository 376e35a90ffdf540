"""Sessions that stand in one database: each is a row of its own, and opens alone."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from bare_machine import make_home

from historylab.errors import LoadError
from historylab.formats.files import database
from historylab.formats.files.given import content_given
from historylab.formats.sessions.databases import sessions_in
from historylab.formats.sessions.find import find_sessions
from historylab.formats.sessions.places import PLACES, folders_of

GOOSE = """
CREATE TABLE sessions (id TEXT PRIMARY KEY, name TEXT, working_dir TEXT, updated_at TIMESTAMP, session_type TEXT);
CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT, role TEXT, content_json TEXT);
INSERT INTO sessions VALUES ('1', 'Salt', '/home/ines/salt', '2025-10-01 10:00:00', 'user'),
    ('2', 'Nets', '/home/ines/nets', '2025-10-02 10:00:00', 'user'),
    ('3', '', '', '', 'sub_agent'), ('4', '', '', '', '');
INSERT INTO messages (session_id, role, content_json) VALUES ('1', 'user', '[{"type": "text", "text": "Boil salt"}]'),
    ('2', 'user', '[{"type": "text", "text": "Dry nets"}]'), ('3', 'user', '[]'), ('1', 'assistant', '[]');
"""
OPENCODE = """
CREATE TABLE session (id TEXT, parent_id TEXT, directory TEXT, title TEXT, time_updated INTEGER);
CREATE TABLE message (id TEXT, session_id TEXT, time_created INTEGER, data TEXT);
CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, data TEXT);
INSERT INTO session VALUES ('ses_1', NULL, '/home/ines/kites', 'Kites', 1760000000000), ('ses_2', 'ses_1', '', '', 5),
    ('ses_3', NULL, '/home/ines/tides', 'Tides', 1770000000000);
INSERT INTO message VALUES ('m1', 'ses_1', 1, '{"role": "user"}'), ('m2', 'ses_2', 2, '{"role": "user"}'),
    ('m0', 'ses_1', 0, '{broken'), ('m3', 'ses_3', 3, '{"role": "user"}');
INSERT INTO part VALUES ('p0', 'm1', 'ses_1', '{"type": "text", "synthetic": true, "text": "Rules"}'),
    ('p1', 'm1', 'ses_1', '{'),
    ('p2', 'm1', 'ses_1', '{"type": "text", "text": "Fly kites"}'),
    ('p3', 'm3', 'ses_3', '{"type": "text", "text": "When?"}');
"""
OPENCODE_2 = """
CREATE TABLE session_v2 (id TEXT, parent_id TEXT, directory TEXT, title TEXT, time_updated INTEGER);
CREATE TABLE session_message (id TEXT, session_id TEXT, type TEXT, seq INTEGER, data TEXT);
INSERT INTO session_v2 VALUES ('ses_1', NULL, '/home/ines/kites', 'Kites', 1780000000000);
INSERT INTO session_message VALUES ('m1', 'ses_1', 'user', 1, '{"text": "Fly kites again"}');
"""
CURSOR = """
CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
INSERT INTO cursorDiskKV VALUES ('composerData:c1', CAST('{"lastUpdatedAt": 1760000000000, "workspaceIdentifier": '
    || '{"uri": {"fsPath": "/home/ines/boats"}}, "fullConversationHeadersOnly": [{"bubbleId": "b1"}]}' AS BLOB)),
    ('bubbleId:c1:b1', '{"type": 1, "text": "Paint boats"}'), ('bubbleId:c11:b1', '{"type": 1, "text": "Other"}'),
    ('composerData:c2', '{"fullConversationHeadersOnly": []}'), ('composerData:c3', '{broken'), ('composerData:c4', 7);
"""
SCHEMAS = {"sessions.db": GOOSE, "opencode.db": OPENCODE, "state.vscdb": CURSOR}


@pytest.fixture
def kept(tmp_path, request) -> Path:
    """A database of the tool that the test is about."""
    name, script = request.param
    connection = sqlite3.connect(tmp_path / name)
    connection.executescript(script)
    connection.close()
    return tmp_path / name


def table_sizes(path: str) -> dict[str, int]:
    content = content_given(path, "", 10**9)
    return {table: len(list(content.rows(f'SELECT * FROM "{table}"'))) for table in content.tables}


@pytest.mark.parametrize(
    ("kept", "listed"),
    [
        (("sessions.db", GOOSE), {"1": ("Boil salt", "/home/ines/salt"), "2": ("Dry nets", "/home/ines/nets")}),
        (
            ("opencode.db", OPENCODE),
            {"ses_1": ("Fly kites", "/home/ines/kites"), "ses_3": ("When?", "/home/ines/tides")},
        ),
        (("state.vscdb", CURSOR), {"c1": ("Paint boats", "/home/ines/boats")}),
    ],
    indirect=["kept"],
    ids=SCHEMAS,
)
def test_each_session_of_a_database_is_listed_with_its_question_and_project(kept, listed):
    assert {row.id: (row.question, row.project) for row in sessions_in(kept)} == listed
    assert all(1.7e9 < row.changed < 1.8e9 for row in sessions_in(kept))


@pytest.mark.parametrize(
    ("kept", "session", "sizes"),
    [
        (("sessions.db", GOOSE), "1", {"sessions": 1, "messages": 2}),
        (("opencode.db", OPENCODE), "ses_1", {"session": 2, "message": 3, "part": 3}),
        (("state.vscdb", CURSOR), "c1", {"ItemTable": 0, "cursorDiskKV": 2}),
    ],
    indirect=["kept"],
    ids=SCHEMAS,
)
def test_a_session_opens_as_a_database_of_its_rows_and_those_of_its_sub_agents(kept, session, sizes):
    assert table_sizes(f"{kept}#{session}") == sizes


@pytest.mark.parametrize("kept", SCHEMAS.items(), indirect=True, ids=SCHEMAS)
def test_a_session_that_is_not_there_is_refused_and_the_database_left_as_it_was(kept):
    before = kept.read_bytes(), sorted(kept.parent.iterdir())
    with pytest.raises(LoadError, match="no session 'other' is in this database"):
        content_given(f"{kept}#other", "", 10**9)
    assert (kept.read_bytes(), sorted(kept.parent.iterdir())) == before


@pytest.mark.parametrize("kept", [("opencode.db", OPENCODE + OPENCODE_2)], indirect=True)
def test_a_database_of_two_versions_lists_each_session_once_and_opens_it_from_both(kept):
    assert {row.id: row.question for row in sessions_in(kept)} == {"ses_1": "Fly kites again", "ses_3": "When?"}
    sizes = {"session": 2, "message": 3, "part": 3, "session_v2": 1, "session_message": 1}
    assert table_sizes(f"{kept}#ses_1") == sizes


@pytest.mark.parametrize("kept", [("a#b.db", GOOSE)], indirect=True)
def test_a_name_with_the_mark_in_it_is_still_the_files(kept):
    assert table_sizes(str(kept))["sessions"] == 4
    assert table_sizes(f"{kept}#2")["sessions"] == 1


@pytest.mark.parametrize("kept", [("sessions.db", GOOSE)], indirect=True)
def test_sessions_of_a_database_are_rows_of_the_machines_list(kept, monkeypatch):
    make_home(kept.parent, monkeypatch)
    monkeypatch.setenv("GOOSE_PATH_ROOT", str(kept.parent))
    place = next(place for place in PLACES if place.tool == "Goose")
    (kept.parent / "data/sessions").mkdir(parents=True)
    moved = kept.rename(next(folders_of(place)) / kept.name)
    found = [(one.tool, str(one.path), one.question, one.size) for one in find_sessions()]
    assert found == [("Goose", f"{moved}#2", "Dry nets", None), ("Goose", f"{moved}#1", "Boil salt", None)]


@pytest.mark.parametrize("data", [b"SQLite format 3\0", b"SQLite format 3\0" + b"\2" * 5000, b"no database"])
def test_what_is_no_database_lists_no_session(tmp_path, data):
    path = tmp_path / "sessions.db"
    path.write_bytes(data)
    with pytest.raises(LoadError, match="can't be read"):
        list(sessions_in(path))


@pytest.mark.parametrize(
    ("locked", "seconds", "why"), [(True, 10, "database is locked"), (False, -1, "it takes longer than -1 seconds")]
)
def test_a_database_that_cannot_be_read_is_named_with_the_reason(tmp_path, monkeypatch, locked, seconds, why):
    make_home(tmp_path, monkeypatch)
    monkeypatch.setenv("GOOSE_PATH_ROOT", str(tmp_path))
    monkeypatch.setattr(database, "SECONDS", seconds)
    monkeypatch.setattr(database, "STEPS", 1)
    path = tmp_path / "data/sessions/sessions.db"
    path.parent.mkdir(parents=True)
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.executescript(GOOSE)
        writer.execute("BEGIN EXCLUSIVE" if locked else "BEGIN")
        assert find_sessions().unread == ((path, f"this SQLite database can't be read: {why}"),)


def test_a_database_in_use_is_read_with_what_was_just_written(tmp_path):
    path = tmp_path / "sessions.db"
    writer = sqlite3.connect(path)
    writer.execute("PRAGMA journal_mode = WAL")
    writer.executescript(GOOSE)
    assert [row.question for row in sessions_in(path)] == ["Boil salt", "Dry nets"]
    writer.close()
