"""The rows of an export, whatever it was written as."""

from __future__ import annotations

import json

import pytest

from historylab.formats.files.content import Content, ValuesContent
from historylab.formats.load import load
from historylab.formats.traces.rows import rows_in

ROWS = [{"a": 1}, {"a": 2}]
TABLE = ValuesContent([(f"row {i}", row) for i, row in enumerate(ROWS)])


@pytest.mark.parametrize(
    "content",
    [
        Content(json.dumps(ROWS).encode()),
        Content("\n".join(map(json.dumps, ROWS)).encode()),
        Content(json.dumps({"data": ROWS}).encode()),
        Content(json.dumps({"runs": ROWS}).encode("utf-16")),
        TABLE,
        TABLE.sample,
    ],
    ids=["list", "lines", "object", "utf-16", "table", "sample of a table"],
)
def test_rows_are_the_same_in_every_file(content):
    assert [row for _, row in rows_in(content)] == ROWS


def test_cells_of_a_csv_table_that_hold_json_are_read_as_such_and_empty_ones_are_not_there():
    content = Content(b'a,b\n"[{""c"": 1}]",\n')
    assert list(rows_in(content)) == [("line 2", {"a": [{"c": 1}]})]


def test_a_parquet_table_of_runs_is_read_as_runs():
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    said = {"inputs": '{"question": "hi"}', "outputs": '{"answer": "hello"}'}
    file = arrow.BufferOutputStream()
    parquet.write_table(arrow.Table.from_pylist([{"id": "r", "run_type": "llm", "trace_id": "t", **said}]), file)
    (conversation,) = load(file.getvalue().to_pybytes())
    assert [m.content for m in conversation] == ["hi", "hello"]
