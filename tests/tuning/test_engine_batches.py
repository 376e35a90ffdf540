"""`measure_batch`: the rows of a sweep from a table of conversations, under one schema, whatever the rows hold."""

from __future__ import annotations

import json
import pickle

import pandas
import pyarrow as pa
import pytest
from sketches import conv

from historylab import Settings, load, measure_batch
from historylab.errors import SettingsError
from historylab.formats.messages.chat_messages import to_record
from historylab.pricing import Prices
from historylab.tuning.measures import COLUMNS
from historylab.tuning.sweep import grid, sweep

CANDIDATES = grid(Settings(), budget=[40, 400], **{"pruner.fifo.unit": ["turn", "block"]})
CHATS = [json.dumps([to_record(m) for m in conv(said)]) for said in ("s u a u a(t) a u", "u:30 a u:9 a u")]


def table(*cells, ids=None):
    return pa.table({"id": ids or [f"chat {n}" for n in range(len(cells))], "messages": pa.array(cells)})


def test_rows_are_those_of_a_sweep():
    found = measure_batch(table(*CHATS), CANDIDATES)
    expected = sweep([load(text.encode())[0] for text in CHATS], CANDIDATES)
    assert found["id"].to_pylist() == ["chat 0"] * 4 + ["chat 1"] * 4
    columns = [name for name in expected if name not in ("conversation", "file")]
    assert found.column_names == ["id", *columns, "error"]
    assert {"budget", "pruner.fifo.unit", "settings", *COLUMNS, "cost_none", "ratio_automatic"} <= {*columns}
    pandas.testing.assert_frame_equal(found.to_pandas()[columns], expected[columns])
    assert found["error"].null_count == 8


def test_a_row_that_cannot_be_read_says_why_and_knows_nothing_else():
    two = json.dumps([{"title": "one", "messages": json.loads(CHATS[0])}, {"messages": json.loads(CHATS[1])}])
    found = measure_batch(table(CHATS[0], "{", None, two), CANDIDATES[:2]).to_pylist()
    assert [row["error"] is None for row in found] == [True, True] + [False] * 6
    assert [row["id"] for row in found[::2]] == ["chat 0", "chat 1", "chat 2", "chat 3"]
    assert "2 conversations" in found[6]["error"]
    for row in found[2:]:
        settings = {"id", "candidate", "settings", "pruner.fifo.unit", "error"}
        assert {name for name, value in row.items() if value is not None} == settings


def test_a_cell_that_is_a_key_is_not_quoted():
    key = "sk-proj-" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3z" * 2
    [row] = measure_batch(pa.table({"id": ["a"], "messages": [key]}), [Settings()]).to_pylist()
    assert "begins '[redacted]'" in row["error"]
    assert "aB3dE5" not in row["error"]


def test_the_schema_is_one_whatever_the_rows_hold():
    cells = [(), (None,), CHATS, (json.dumps([{"role": "user", "content": "hi"}]),)]
    tables = [table(*some) for some in cells]
    tables[0] = tables[1].slice(0, 0)
    schemas = [measure_batch(given.set_column(1, "messages", given["messages"].cast("string")), CANDIDATES).schema
               for given in tables]  # fmt: skip
    assert all(schema == schemas[0] for schema in schemas)
    assert {str(schemas[0].field(name).type) for name in ("references", "budget", "requests")} == {"int64"}


def test_whatever_a_worker_is_given_measures_the_same():
    expected = measure_batch(table(*CHATS, ids=[7, 8]), CANDIDATES)
    texts = expected["settings"].to_pylist()[:4]
    there = pickle.loads(pickle.dumps(measure_batch))
    lists = pa.array([json.loads(text) for text in CHATS])
    for given in (
        table(*CHATS, ids=[7, 8]).to_batches()[0],
        table(*CHATS, ids=[7, 8]).to_pandas(),
        pa.table({"id": [7, 8], "messages": lists}),
    ):
        assert there(given, texts).equals(expected)
    assert there(table(*CHATS, ids=[7, 8]), texts, format="chat_completions").drop("title") == expected.drop("title")
    assert expected["id"].type == pa.int64()


def test_prices_and_what_was_sent_are_those_of_a_sweep():
    found = measure_batch(table(CHATS[0]), [CANDIDATES[0], "as-sent"], prices=Prices(1, 2), caches=())
    assert found["settings"].to_pylist()[1] == "as-sent"
    assert not any(name.startswith("cost_") for name in found.column_names)


@pytest.mark.parametrize(
    ("given", "candidates", "said"),
    [
        (pa.table({"id": [1]}), CANDIDATES, "no column 'messages'"),
        (table(CHATS[0]), [], "no settings"),
        (table(CHATS[0]), ["budget=3"], "neither the JSON of settings"),
        (table(CHATS[0]), ['{"budged": 3}'], "budged"),
    ],
)
def test_what_can_be_no_batch_is_refused(given, candidates, said):
    with pytest.raises(SettingsError, match=said):
        measure_batch(given, candidates)


def test_ids_may_be_texts_as_polars_hands_them_over():
    ids = pa.array(["a", "b"], pa.string_view())
    assert measure_batch(table(*CHATS, ids=ids), CANDIDATES[:2])["id"].to_pylist() == ["a", "a", "b", "b"]


def test_two_columns_of_one_name_and_candidates_that_are_no_settings_are_refused():
    given = table(CHATS[0])
    with pytest.raises(SettingsError, match="several columns 'messages'"):
        measure_batch(given.append_column("messages", given["messages"]), CANDIDATES)
    for candidates, kind in (([{"budget": 3}], "dict"), (CANDIDATES[0], "tuple")):
        with pytest.raises(SettingsError, match=f"not a Python {kind}"):
            measure_batch(given, candidates)
