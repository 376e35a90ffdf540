"""toolpack's SQLite store: a conversation outlives the process, and anyone can read the file."""

from __future__ import annotations

import contextlib
import random
import re
import sqlite3
from functools import partial

import pytest
from stored_messages import fill, ids, posted

from historylab.errors import StoreError
from historylab.stores.base import Record, open_store
from historylab.systems.toolpack import SQLiteConversationStore


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


WITH_WORDS = """
CREATE VIRTUAL TABLE stored_words USING fts5(
  room, content, content = '', tokenize = 'unicode61 remove_diacritics 0');
CREATE TRIGGER words_added AFTER INSERT ON stored_messages BEGIN INSERT INTO stored_words (rowid, room, content)
  VALUES (new.arrival, 'c' || hex(new.conversation_id), new.content); END;
CREATE TRIGGER words_removed AFTER DELETE ON stored_messages BEGIN
  INSERT INTO stored_words (stored_words, rowid, room, content)
  VALUES ('delete', old.arrival, 'c' || hex(old.conversation_id), old.content); END;
"""
"""What earlier versions of HistoryLab add to a file: an index of the messages' words."""


def test_a_file_with_an_index_of_words_opens_and_that_is_kept_for_the_versions_that_read_it(tmp_path):
    path = tmp_path / "old.db"
    fill(SQLiteConversationStore(path), posted("09:00 a: first")).close()
    with contextlib.closing(sqlite3.connect(path)) as old:
        old.executescript(WITH_WORDS)
    store = fill(SQLiteConversationStore(path), posted("09:01 a: hello"), posted("09:02 b: gone"))
    store.delete_messages("room", ["gone"])
    assert ids(store.search("room", "hell")) == ["hello"]
    store.close()
    with contextlib.closing(sqlite3.connect(path)) as plain:
        found = [
            plain.execute("SELECT count(*) FROM stored_words (?)", (word,)).fetchone() for word in ("hello", "gone")
        ]
    assert found == [(1,), (0,)]


def test_state_and_records_may_be_kept_in_the_same_file(tmp_path):
    path = tmp_path / "one.db"
    messages, others = SQLiteConversationStore(path), open_store(f"sqlite:///{path}")
    fill(messages, posted("09:00 a: hello"))
    assert others.write_state("key", "value") == "value"
    others.append_records([Record("room", 0, "{}")])
    messages.clear_conversation("room")
    assert (len(others.read_records()), others.read_state(["key"])) == (1, {"key": "value"})
    messages.close()
    others.close()


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
        for read in (store.get, partial(store.search, query="")):
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
        lambda: store.append(posted("10:00 a: more")),
        lambda: store.delete_messages("room", ["1"]),
        lambda: store.conversation_count,
    ):
        with contextlib.suppress(StoreError):
            ask()
    store.close()
