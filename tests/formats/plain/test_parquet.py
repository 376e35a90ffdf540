"""Parquet tables: what their rows may hold, and what is wrong with them."""

from __future__ import annotations

import json
import sys

import pytest
from binary_samples import table

from historylab.errors import LoadError, TooLarge
from historylab.formats.files import parquet_rows
from historylab.formats.files.parquet_rows import ParquetRows
from historylab.formats.load import load
from historylab.formats.plain import parquet
from historylab.formats.shapes.shape import Shape

HI = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "yes"}]


@pytest.mark.parametrize(
    "rows",
    [
        [{"messages": HI}],
        [{"messages": json.dumps(HI)}],
        [{"turns": HI}],
        [{"conversations": [{"from": "human", "value": "hi"}, {"from": "gpt", "value": "yes"}]}],
        HI,
        [{"speaker": m["role"], "utterance": m["content"]} for m in HI],
    ],
    ids=["structs", "JSON text", "other column", "ShareGPT", "flat", "flat, other names"],
)
def test_rows_hold_conversations_or_messages(rows):
    loaded = load(table(rows))
    assert [[(m.role, m.content) for m in c] for c in loaded] == [[("user", "hi"), ("assistant", "yes")]]
    assert (loaded.report.member, loaded.report.skips) == ("parquet", 0)


def test_a_table_in_which_nobody_speaks_is_refused_by_its_columns():
    with pytest.raises(LoadError, match="keys a, b"):
        load(table([{"a": 1, "b": "x"}]))


def test_columns_can_be_mapped():
    rows = [{"p": "mia", "w": "hi"}, {"p": "hal", "w": "yes"}]
    loaded = load(table(rows), mapping=Shape("p", "w", roles={"mia": "user", "hal": "assistant"}))
    assert [m.role for m in loaded[0]] == ["user", "assistant"]


def test_rows_are_read_in_batches_and_no_more_than_fit(monkeypatch):
    monkeypatch.setattr(parquet_rows, "BATCH_BYTES", 100)
    rows = [{"messages": [{"role": "user", "content": f"{n}"}]} for n in range(50)]
    assert [c[0].content for c in load(table(rows, row_group_size=20))] == [str(n) for n in range(50)]
    monkeypatch.setattr(parquet, "MAX_ROW_BYTES", 100)
    with pytest.raises(TooLarge, match="the rows of this table take more than 0 MB"):
        load(table(rows))


@pytest.mark.parametrize(
    "rows",
    [
        [{"role": "user", "content": "x" * 20_000}, {"role": "assistant", "content": "x" * 20_000}] * 50,
        [{"messages": [{"role": "user", "content": "x" * 20_000}] * 50}],
        [{"role": "user", "content": "x" * 2_000_000}],
    ],
    ids=["in each row", "in one row", "compressed"],
)
def test_a_file_is_not_decoded_to_many_times_its_size(monkeypatch, rows):
    assert load(table(rows))
    monkeypatch.setattr(parquet_rows, "LEAST_DECODED", 500_000)
    monkeypatch.setattr(parquet_rows, "TIMES", 1)
    with pytest.raises(TooLarge, match="take more than 0 MB"):
        load(table(rows))


def test_one_whose_pages_unfold_to_too_much_is_refused_undecoded(monkeypatch):
    monkeypatch.setattr(parquet_rows, "LEAST_DECODED", 500_000)
    monkeypatch.setattr(parquet_rows, "TIMES", 1)
    with pytest.raises(TooLarge, match="take more than 0 MB"):
        ParquetRows(table([{"role": "user", "content": "x" * 2_000_000}]))


def test_texts_are_read_alike_whether_they_are_written_once_or_in_each_row():
    rows = [{"messages": [{"role": "user", "content": "hi"}], "of": {"deep": [["a", None]]}, "n": n} for n in range(9)]
    once, each = (ParquetRows(table(rows, use_dictionary=shared)) for shared in (True, False))
    assert [*once.rows()] == [*each.rows()] and len([*once.rows(columns=["n"])]) == 9


def test_without_pyarrow_the_refusal_names_the_format_and_the_command(monkeypatch):
    data = table(HI)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(
        LoadError, match=r"this is a Parquet table; reading it needs pyarrow: pip install \"historylab\[formats\]"
    ):
        load(data)


def test_bytes_are_read_as_the_text_they_are():
    assert load(table([{"role": "user", "content": "hé".encode()}]))[0][0].content == "hé"
    rows = [{"messages": json.dumps(HI).encode()}]
    assert [m.content for m in load(table(rows))[0]] == ["hi", "yes"]


def test_a_table_without_rows_is_refused_as_such():
    with pytest.raises(LoadError, match="the table has no rows"):
        load(table(HI[:0]))


def test_a_table_has_no_more_rows_than_fit_into_memory(monkeypatch):
    monkeypatch.setattr(parquet_rows, "MAX_ITEMS", 1)
    with pytest.raises(TooLarge, match="the table holds more than 1 rows"):
        load(table(HI))
