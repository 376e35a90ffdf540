"""The PostgreSQL store's database: its schema, its connections, and what is refused."""

from __future__ import annotations

import threading

import pytest
from postgres_cluster import on_postgres

from historylab.errors import StoreError
from historylab.stores.base import Record, open_store
from historylab.stores.postgres import PostgresStore
from historylab.stores.postgres_connections import Connections

pytestmark = on_postgres
TABLES = "SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()"


def in_threads(work, count: int) -> list:
    """What each thread's call gave or raised; all begin together."""
    start, done = threading.Barrier(count), []

    def run(me: int):
        start.wait()
        try:
            done.append(work(me))
        except Exception as problem:
            done.append(problem)

    threads = [threading.Thread(target=run, args=(me,)) for me in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return done


def test_stores_that_open_a_new_database_at_once_make_its_tables_once(postgres):
    url = postgres.place(default_transaction_isolation="serializable")
    stores = [open_store(url) for _ in range(5)]
    assert (
        in_threads(lambda me: stores[me].write_state("key", str(me)), 5) == [stores[0].read_state(["key"])["key"]] * 5
    )
    for store in stores:
        store.close()


def test_a_database_of_a_later_version_or_with_others_tables_is_refused_and_left_alone(postgres):
    later, others = postgres.place(), postgres.place()
    postgres.execute(
        "CREATE TABLE historylab_schema (version integer); INSERT INTO historylab_schema VALUES (7)", later
    )
    postgres.execute("CREATE TABLE historylab_state (theirs text)", others)
    with pytest.raises(StoreError, match=r"version 7.*up to 2; update HistoryLab"):
        open_store(later).read_records()
    with pytest.raises(StoreError, match=r"cannot be opened: relation .historylab_state. already exists"):
        open_store(others).read_records()
    assert [postgres.execute(TABLES, url) for url in (later, others)] == [[(1,)], [(1,)]]


WITH_MESSAGES = """
CREATE TABLE historylab_schema (version integer NOT NULL);
INSERT INTO historylab_schema VALUES (1);
CREATE TABLE historylab_messages (
  arrival bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, content text NOT NULL, words tsvector NOT NULL);
CREATE INDEX historylab_messages_words ON historylab_messages USING gin (words);
INSERT INTO historylab_messages (content, words) VALUES ('hello', 'hello');
CREATE TABLE historylab_state (
  key_hash bytea PRIMARY KEY, key text NOT NULL, value text NOT NULL,
  written timestamptz NOT NULL DEFAULT clock_timestamp());
INSERT INTO historylab_state (key_hash, key, value) VALUES (sha256('summary'), 'summary', 'text');
"""
"""Of an earlier version, which kept messages as well."""


def test_a_database_of_an_earlier_version_is_brought_to_todays_and_its_messages_are_left_alone(postgres):
    url = postgres.place()
    postgres.execute(WITH_MESSAGES, url)
    for number in (1, 2):
        store = open_store(url)
        assert store.read_state(["summary"]) == {"summary": "text"}
        assert store.append_records([Record("a", 1.0, "{}")]) == number
        store.close()
    assert postgres.execute("SELECT version FROM historylab_schema", url) == [(2,)]
    assert postgres.execute("SELECT content, words::text FROM historylab_messages", url) == [("hello", "'hello'")]


def test_a_database_that_keeps_few_texts_is_refused(postgres):
    postgres.execute("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0")
    with pytest.raises(StoreError, match=r"encoding is LATIN1.*ENCODING 'UTF8'"):
        open_store(postgres.url(dbname="latin")).read_records()


def test_of_records_that_the_database_refuses_no_state_is_kept(postgres):
    url = postgres.place()
    store = open_store(url)
    store.append_records([Record("a", 1.0, "{}")])
    postgres.execute("ALTER TABLE historylab_records ADD CHECK (conversation <> 'b')", url)
    with pytest.raises(StoreError):
        store.append_records([Record("b", 1.0, "{}")], {"key": "value"})
    assert store.read_state(["key"]) == {}


def test_a_damaged_row_is_a_store_error_that_names_it(postgres):
    url = postgres.place()
    store = open_store(url)
    store.write_state("summary", "text")
    store.append_records([Record("a", 1.0, "{}")])
    for damage in ("chr(64976)", "chr(64976) || 'zzzz'"):
        postgres.execute(f"UPDATE historylab_state SET value = {damage}", url)
        postgres.execute(f"UPDATE historylab_records SET line = {damage}", url)
        with pytest.raises(StoreError, match=r"record \d+ is damaged"):
            store.read_records()
        with pytest.raises(StoreError, match="state 'summary' is damaged"):
            store.read_state(["summary"])
    store.close()


def test_threads_share_a_few_connections_and_a_closed_store_has_none(postgres):
    connections, together, inside, most = Connections(postgres.url(), 2), threading.Barrier(2), [], []

    def two_at_once(connection) -> int:
        inside.append(1)
        together.wait()
        most.append(len(inside))
        together.wait()
        inside.pop()
        return connection.execute("SELECT 1").fetchone()[0]

    assert in_threads(lambda me: connections.read(two_at_once), 6) == [1] * 6
    assert most == [2] * 6
    connections.close()
    connections.close()
    with pytest.raises(StoreError, match="is closed"):
        connections.read(two_at_once)


def test_a_store_is_called_by_its_database_alone(postgres):
    store = PostgresStore(postgres.url(password="secret"))
    assert repr(store) == "PostgresStore('postgresql:///postgres')"


def test_a_read_that_loses_its_connection_is_asked_once_more_and_not_twice(postgres):
    connections, asked = Connections(postgres.url(), 2), []

    def reads(connection):
        asked.append(1)
        if len(asked) in times:
            connection.execute("SELECT pg_terminate_backend(pg_backend_pid())")
        return connection.execute("SELECT 1").fetchone()[0]

    times = (1,)
    assert (connections.read(reads), len(asked)) == (1, 2)
    times = (3, 4)
    with pytest.raises(StoreError, match="terminating connection"):
        connections.read(reads)
    assert (connections.read(reads), len(asked)) == (1, 5)
    connections.close()
