"""The SQLite store's file: it outlives the process, several may share it, and what is no database is refused."""

from __future__ import annotations

import contextlib
import random
import re
import sqlite3
from functools import partial

import pytest
from stored_messages import fill, ids, posted

from historylab.errors import StoreError
from historylab.stores.base import Record
from historylab.stores.sqlite import SQLiteConversationStore


@pytest.mark.feature("T28", "T29")
def test_a_conversation_outlives_the_process_that_had_it(tmp_path):
    path = tmp_path / "conversations.db"
    first = fill(SQLiteConversationStore(path), posted("09:00 a: hello", isSummary=True))
    first.close()
    again = SQLiteConversationStore(str(path))
    assert again.get("room") == [posted("09:00 a: hello", isSummary=True)]
    fill(again, posted("09:00 a: hello"), posted("09:00 b: equal instants keep their order over a restart"))
    assert len(ids(again.get("room"))) == 2


@pytest.mark.feature("T28")
def test_the_columns_are_the_documents_and_what_order_needs_and_they_can_be_read_by_anyone(tmp_path):
    path = tmp_path / "conversations.db"
    fill(SQLiteConversationStore(path), posted("09:00 (kael): ja: übermorgen", "m1", mentions=["x"])).close()
    with sqlite3.connect(path) as plain:
        row = plain.execute(
            "SELECT id, conversation_id, participant_kind, participant_id, participant_display_name, content, "
            "timestamp, scope, metadata FROM stored_messages"
        ).fetchone()
        indexes = {name for (name,) in plain.execute("SELECT name FROM sqlite_master WHERE type = 'index'")}
    kael = ("m1", "room", "agent", "kael", None, "ja: übermorgen", "2026-01-01T09:00:00Z", "channel")
    assert row == (*kael, '{"mentions": ["x"]}')
    assert "idx_conv" in indexes


@pytest.mark.feature("T28")
def test_no_limit_means_every_message_not_the_oldest_hundred():
    store = fill(SQLiteConversationStore(), *(posted(f"{k // 60:02}:{k % 60:02} a: {k}") for k in range(130)))
    assert len(store.get("room")) == 130
    assert ids(store.get("room", limit=2)) == ["128", "129"]


AS_IT_WAS = """
CREATE TABLE stored_messages (
  arrival INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL, conversation_id TEXT NOT NULL,
  participant_kind TEXT NOT NULL, participant_id TEXT NOT NULL, participant_display_name TEXT, content TEXT NOT NULL,
  timestamp TEXT NOT NULL, scope TEXT NOT NULL, metadata TEXT, instant REAL NOT NULL, UNIQUE (conversation_id, id));
CREATE INDEX idx_conv ON stored_messages (conversation_id, instant, arrival);
INSERT INTO stored_messages VALUES (3, 'm' || char(0), 'room', 'user', 'a', NULL, CAST(x'68656c6c6f20eda0bd' AS TEXT),
  '2026-01-01T09:00:00Z', 'channel', NULL, 1767258000.0);
"""


def test_a_file_from_before_there_were_versions_is_brought_to_todays_with_all_it_holds(tmp_path):
    path = tmp_path / "old.db"
    with contextlib.closing(sqlite3.connect(path)) as old:
        old.executescript(AS_IT_WAS)
    for _ in range(2):
        store = fill(SQLiteConversationStore(path), posted("09:00 b: newer", "newer"))
        assert [m.content for m in store.get("room")] == ["hello \ud83d", "newer"]
        assert [m.id for m in store.search_ranked("room", "hello")] == ["m\0"]  # which no store takes any more
        assert store.write_state("key", "value") == "value"
        store.close()
    with contextlib.closing(sqlite3.connect(path)) as now:
        assert now.execute("PRAGMA user_version").fetchone() == (2,)
        assert now.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_migration_that_fails_leaves_the_file_as_it_was(tmp_path):
    path = tmp_path / "other.db"
    with contextlib.closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE stored_messages (arrival INTEGER PRIMARY KEY, text)")
    with pytest.raises(StoreError, match=r"other.db' cannot be opened.*no such column"):
        SQLiteConversationStore(path)
    with contextlib.closing(sqlite3.connect(path)) as other:
        assert other.execute("SELECT name FROM sqlite_master").fetchall() == [("stored_messages",)]
        assert other.execute("PRAGMA user_version").fetchone() == (0,)


def test_a_file_of_a_later_version_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "later.db"
    with contextlib.closing(sqlite3.connect(path)) as later:
        later.execute("PRAGMA user_version = 7")
    before = path.read_bytes()
    with pytest.raises(StoreError, match=r"later.db' cannot be opened.*version 7.*up to 2; update HistoryLab"):
        SQLiteConversationStore(path)
    assert path.read_bytes() == before


def test_without_fts5_all_but_ranked_search_works_and_the_words_are_indexed_once_it_is_there(tmp_path, monkeypatch):
    path = tmp_path / "plain.db"
    with monkeypatch.context() as without:
        without.setattr("historylab.stores.sqlite_schema.knows_fts5", lambda connection: False)
        without.setattr("historylab.stores.sqlite.knows_fts5", lambda connection: False)
        store = fill(SQLiteConversationStore(path), posted("09:00 a: hello"))
        assert ids(store.search("room", "hell")) == ["hello"]
        with pytest.raises(StoreError, match="FTS5"):
            store.search_ranked("room", "hello")
        store.close()
    assert ids(SQLiteConversationStore(path).search_ranked("room", "hello")) == ["hello"]


def test_a_damaged_state_is_a_store_error_that_names_it(tmp_path):
    store = SQLiteConversationStore(tmp_path / "state.db")
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
            store = SQLiteConversationStore(path)
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


def test_a_deleted_conversation_cannot_be_read_off_the_file(tmp_path):
    path = tmp_path / "records.db"
    store = SQLiteConversationStore(path)
    store.append_records([Record("a", 1.0, '{"secret": "4711"}'), Record("b", 1.0, '{"left": 1}')])
    assert store.delete_conversations(["a"]) == 1
    left = b"".join(file.read_bytes() for file in tmp_path.iterdir())  # a killed process closes none
    assert (b"4711" in left, b"left" in left) == (False, True)
    store.close()
    assert b"4711" not in path.read_bytes()


def test_a_file_that_is_no_database_is_refused_by_name(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("these are notes, and long enough to be looked at as a database of any kind\n" * 20)
    with pytest.raises(StoreError, match=r"notes\.txt' cannot be opened as a conversation store"):
        SQLiteConversationStore(path)


def test_a_closed_store_says_so_in_our_words():
    store = SQLiteConversationStore()
    store.close()
    with pytest.raises(StoreError, match="closed"):
        store.append(posted("09:00 a: hello"))


WHO = ("participant_kind", "participant_id", "participant_display_name")
COLUMNS = ("id", *WHO, "content", "timestamp", "scope", "metadata", "instant")
DAMAGE = ["x'ff41'", "5", "x'00'", "'{'", "'[1]'", "'7'", "''", "CAST(x'ff' AS TEXT)", "1e999"]


@pytest.mark.parametrize("column", COLUMNS)
def test_a_damaged_row_is_a_store_error_that_names_it_or_still_a_message(tmp_path, column):
    path = tmp_path / "conversations.db"
    store = SQLiteConversationStore(path)
    for damage in DAMAGE:
        fill(store, posted("09:00 a: hello", isSummary=True))
        with contextlib.closing(sqlite3.connect(path)) as plain:
            plain.execute(f"UPDATE stored_messages SET {column} = {damage}")
            plain.commit()
        for read in (store.get, partial(store.search, query=""), partial(store.search_ranked, query="hello")):
            try:
                found = read("room")
            except StoreError as problem:
                assert re.search(r"message .* of 'room' is damaged", str(problem)), damage
            else:
                assert found == [type(message).from_dict(message.to_dict()) for message in found], damage
        store.clear_conversation("room")
    store.close()


@pytest.mark.slow
def test_whatever_byte_of_the_file_is_damaged_only_store_errors_come_of_it(tmp_path):
    path, dice = tmp_path / "conversations.db", random.Random(338)
    fill(SQLiteConversationStore(path), *(posted(f"09:{k:02} a: {'text ' * 40}{k}", n=k) for k in range(40))).close()
    whole = path.read_bytes()
    for _ in range(200):
        broken = bytearray(whole)
        for _ in range(dice.randint(1, 40)):
            broken[dice.randrange(len(broken))] = dice.randrange(256)
        path.write_bytes(bytes(broken))
        with contextlib.suppress(StoreError):
            ask_everything(SQLiteConversationStore(path))


def ask_everything(store: SQLiteConversationStore) -> None:
    for ask in (
        lambda: store.get("room"),
        lambda: store.search("room", "text"),
        lambda: store.search_ranked("room", "text 7"),
        lambda: store.write_state("key", "value"),
        lambda: store.append(posted("10:00 a: more")),
        lambda: store.delete_messages("room", ["1"]),
        lambda: store.conversation_count,
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
        SQLiteConversationStore("a\0b")
