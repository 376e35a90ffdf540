"""SQLite databases of others: what their schema makes of little is not read into memory."""

from __future__ import annotations

import sqlite3

import pytest

from historylab.errors import LoadError, TooLarge
from historylab.formats.files.database import query_rows, tables_of


def database(*statements: str) -> bytes:
    with sqlite3.connect(":memory:") as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()
        data = connection.serialize()
    connection.close()
    return data


def test_rows_are_read_by_the_names_of_their_columns():
    data = database("CREATE TABLE said (who TEXT, what TEXT)", "INSERT INTO said VALUES ('user', 'hi'), ('bot', NULL)")
    assert tables_of(data) == {"said": {"who", "what"}}
    assert [*query_rows(data, "SELECT * FROM said")] == [{"who": "user", "what": "hi"}, {"who": "bot", "what": None}]


def test_a_value_longer_than_its_file_is_not_made():
    made = "what TEXT GENERATED ALWAYS AS (hex(zeroblob(3000000))) VIRTUAL"
    data = database(f"CREATE TABLE said (who TEXT, {made})", "INSERT INTO said VALUES ('user')")
    assert tables_of(data) == {"said": {"who"}}
    with pytest.raises(LoadError, match="too big"):
        [*query_rows(data, "SELECT what FROM said")]


@pytest.mark.parametrize(
    "query", ["SELECT * FROM said", "SELECT 1 AS n FROM said a, said b, said c"], ids=["default", "join"]
)
def test_rows_that_take_many_times_the_file_are_refused(monkeypatch, query):
    monkeypatch.setattr("historylab.formats.files.database.LEAST_TAKEN", 10_000)
    data = database(
        "CREATE TABLE said (who TEXT)",
        *("INSERT INTO said VALUES ('user')",) * 200,
        f"ALTER TABLE said ADD COLUMN what TEXT DEFAULT '{'x' * 3000}'",
    )
    with pytest.raises(TooLarge, match="unfolds to more than"):
        [*query_rows(data, query)]
