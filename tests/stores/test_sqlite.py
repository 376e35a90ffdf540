"""The SQLite store's file: earlier ones open, later ones are refused, and damage is a StoreError that names it."""

from __future__ import annotations

import contextlib
import random
import sqlite3
import stat
from functools import partial

import pytest
from stored_messages import fill, posted

from historylab.errors import StoreError
from historylab.stores.base import Record
from historylab.stores.sqlite import SQLiteStore
from historylab.systems.toolpack import SQLiteConversationStore

AS_IT_WAS = """
CREATE TABLE stored_messages (
  arrival INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL, conversation_id TEXT NOT NULL,
  participant_kind TEXT NOT NULL, participant_id TEXT NOT NULL, participant_display_name TEXT, content TEXT NOT NULL,
  timestamp TEXT NOT NULL, scope TEXT NOT NULL, metadata TEXT, instant REAL NOT NULL, UNIQUE (conversation_id, id));
CREATE INDEX idx_conv ON stored_messages (conversation_id, instant, arrival);
INSERT INTO stored_messages VALUES (3, 'm' || char(0), 'room', 'user', 'a', NULL, CAST(x'68656c6c6f20eda0bd' AS TEXT),
  '2026-01-01T09:00:00Z', 'channel', NULL, 1767258000.0);
"""


WORD_INDEX = """
CREATE VIRTUAL TABLE stored_words USING fts5 (content, content='stored_messages', content_rowid='arrival');
CREATE TRIGGER stored_words_insert AFTER INSERT ON stored_messages BEGIN
  INSERT INTO stored_words (rowid, content) VALUES (new.arrival, new.content); END;
"""


def test_a_file_from_before_there_were_versions_is_brought_to_todays_with_all_it_holds(tmp_path):
    path = tmp_path / "old.db"
    with contextlib.closing(sqlite3.connect(path)) as old:
        old.executescript(AS_IT_WAS)
    for _ in range(2):
        messages, store = fill(SQLiteConversationStore(path), posted("09:00 b: newer", "newer")), SQLiteStore(path)
        assert [m.content for m in messages.get("room")] == ["hello \ud83d", "newer"]
        assert store.write_state("key", "value") == "value"
        messages.close()
        store.close()
    with contextlib.closing(sqlite3.connect(path)) as now:
        assert now.execute("PRAGMA user_version").fetchone() == (2,)
        assert now.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_file_with_the_word_index_of_an_earlier_version_keeps_it_and_is_written_on(tmp_path):
    path = tmp_path / "indexed.db"
    with contextlib.closing(sqlite3.connect(path)) as old:
        old.executescript(AS_IT_WAS + WORD_INDEX)
    messages = fill(SQLiteConversationStore(path), posted("09:00 b: newer", "newer"))
    assert [m.content for m in messages.get("room")] == ["hello \ud83d", "newer"]
    messages.close()
    with contextlib.closing(sqlite3.connect(path)) as now:
        assert now.execute("SELECT count(*) FROM stored_words WHERE stored_words MATCH 'newer'").fetchone() == (1,)


def test_a_migration_that_fails_leaves_the_file_as_it_was(tmp_path):
    path = tmp_path / "other.db"
    with contextlib.closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE stored_messages (arrival INTEGER PRIMARY KEY, text)")
    with pytest.raises(StoreError, match=r"other.db' cannot be opened.*no such column"):
        SQLiteStore(path)
    with contextlib.closing(sqlite3.connect(path)) as other:
        assert other.execute("SELECT name FROM sqlite_master").fetchall() == [("stored_messages",)]
        assert other.execute("PRAGMA user_version").fetchone() == (0,)


def test_a_file_of_a_later_version_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "later.db"
    with contextlib.closing(sqlite3.connect(path)) as later:
        later.execute("PRAGMA user_version = 7")
    before = path.read_bytes()
    with pytest.raises(StoreError, match=r"later.db' cannot be opened.*version 7.*up to 2; update HistoryLab"):
        SQLiteStore(path)
    assert path.read_bytes() == before


def test_a_damaged_state_is_a_store_error_that_names_it(tmp_path):
    store = SQLiteStore(tmp_path / "state.db")
    for damage in ("x'ff41'", "CAST(x'ff' AS TEXT)", "x''"):
        store.delete_state(0)
        store.write_state("summary", "text")
        with contextlib.closing(sqlite3.connect(tmp_path / "state.db")) as plain:
            plain.execute(f"UPDATE stored_state SET value = {damage}")
            plain.commit()
        for ask in (partial(store.read_state, ["summary"]), partial(store.write_state, "summary", "text")):
            with pytest.raises(StoreError, match="state 'summary' is damaged"):
                ask()


def test_a_damaged_record_is_a_store_error(tmp_path):
    path = tmp_path / "records.db"
    for column, damages in {
        "conversation": ("x'ff41'", "CAST(x'ff' AS TEXT)"),
        "at": ("'soon'", "1e999", "x'00'"),
        "line": ("x'7b7d'", "CAST(x'ff' AS TEXT)", "char(10)"),
    }.items():
        for damage in damages:
            store = SQLiteStore(path)
            store.append_records([Record("a", 1.0, "{}")])
            with contextlib.closing(sqlite3.connect(path)) as plain:
                plain.execute(f"UPDATE stored_records SET {column} = {damage}")
                plain.commit()
            with pytest.raises(StoreError, match="damaged"):
                store.read_records()
            if column != "line":
                with pytest.raises(StoreError, match="damaged"):
                    store.recorded_conversations()
            with contextlib.closing(sqlite3.connect(path)) as plain:
                plain.execute("DELETE FROM stored_records")
                plain.commit()
            store.close()


def test_of_records_that_the_database_refuses_no_state_is_kept(tmp_path):
    store = SQLiteStore(tmp_path / "records.db")
    with store._file.connection() as connection:
        connection.execute(
            "CREATE TRIGGER full BEFORE INSERT ON stored_records BEGIN SELECT RAISE(ABORT, 'no room'); END"
        )
    with pytest.raises(StoreError, match="no room"):
        store.append_records([Record("a", 1.0, "{}")], {"key": "value"})
    assert store.read_state(["key"]) == {}


def test_a_deleted_conversation_cannot_be_read_off_the_file(tmp_path):
    path = tmp_path / "records.db"
    store = SQLiteStore(path)
    store.append_records([Record("a", 1.0, '{"secret": "swordfish"}'), Record("b", 1.0, '{"left": 1}')])
    assert store.delete_conversations(["a"]) == 1
    left = b"".join(file.read_bytes() for file in tmp_path.iterdir())  # a killed process closes none
    assert (b"swordfish" in left, b"left" in left) == (False, True)
    store.close()
    assert b"swordfish" not in path.read_bytes()


def test_a_file_that_is_no_database_is_refused_by_name(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("these are notes, and long enough to be looked at as a database of any kind\n" * 20)
    with pytest.raises(StoreError, match=r"notes\.txt' cannot be opened as a conversation store"):
        SQLiteStore(path)


def test_a_closed_store_says_so_in_our_words():
    store = SQLiteStore()
    store.close()
    with pytest.raises(StoreError, match="closed"):
        store.write_state("key", "value")


@pytest.mark.slow
def test_whatever_byte_of_the_file_is_damaged_only_store_errors_come_of_it(tmp_path):
    path, dice = tmp_path / "state.db", random.Random(338)
    store = SQLiteStore(path)
    store.write_states({f"key {k}": "text " * 40 for k in range(20)})
    store.append_records(Record("room", k, f'"{"text " * 40}"') for k in range(20))
    store.close()
    whole = path.read_bytes()
    for _ in range(200):
        broken = bytearray(whole)
        for _ in range(dice.randint(1, 40)):
            broken[dice.randrange(len(broken))] = dice.randrange(256)
        path.write_bytes(bytes(broken))
        with contextlib.suppress(StoreError):
            ask_everything(SQLiteStore(path))


def ask_everything(store: SQLiteStore) -> None:
    for ask in (
        lambda: store.read_state(["key 1"]),
        lambda: store.write_state("key", "value"),
        store.read_records,
        store.recorded_conversations,
        lambda: store.append_records([Record("a", 0, "{}")]),
        lambda: store.delete_records(0),
    ):
        with contextlib.suppress(StoreError):
            ask()
    store.close()


def test_a_path_that_no_file_can_have_is_refused():
    with pytest.raises(StoreError, match="cannot be opened as a conversation store"):
        SQLiteStore("a\0b")


def records_in(store) -> list[str]:
    return [record.text for record in store.read_records()]


@pytest.fixture
def watched(tmp_path):
    """A store with a record, and its file."""
    file = tmp_path / "r.db"
    store = SQLiteStore(file)
    store.append_records([Record("c", 1.0, "before")])
    yield store, file
    store.close()


def remove(file) -> None:
    for one in file.parent.glob(f"{file.name}*"):
        one.unlink()


def test_a_file_that_was_deleted_is_begun_anew_at_the_next_use(watched, caplog):
    store, file = watched
    remove(file)
    store.append_records([Record("c", 2.0, "after")])
    assert records_in(store) == ["after"] and store.replaced == 1
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "was deleted; it is begun anew" in caplog.text
    other = SQLiteStore(file)
    assert records_in(other) == ["after"]
    other.close()


def test_another_store_in_its_place_is_gone_on_with(watched, tmp_path):
    store, file = watched
    other = SQLiteStore(tmp_path / "other.db")
    other.append_records([Record("c", 2.0, "of the other")])
    other.close()
    remove(file)
    (tmp_path / "other.db").rename(file)
    store.append_records([Record("c", 3.0, "after")])
    assert records_in(store) == ["of the other", "after"]


@pytest.mark.parametrize("what", ["text", "database", "nothing to open"])
def test_what_is_no_store_in_its_place_is_an_error_each_time_until_it_is_gone(watched, what):
    store, file = watched
    remove(file)
    match what:
        case "text":
            file.write_text("shopping list\n" * 100)
        case "database":
            theirs = sqlite3.connect(file)
            theirs.execute("CREATE TABLE songs (title)")
            theirs.close()
        case _:
            file.mkdir()
    before = file.read_bytes() if file.is_file() else b""
    for _ in range(2):
        with pytest.raises(StoreError):
            store.append_records([Record("c", 2.0, "lost")])
    assert not before or file.read_bytes() == before
    file.rmdir() if file.is_dir() else file.unlink()
    store.append_records([Record("c", 3.0, "after")])
    assert records_in(store) == ["after"]
