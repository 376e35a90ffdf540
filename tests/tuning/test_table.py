"""A sweep's table on disk: no text of a file is a formula in its CSV, and all of it comes back."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal
from sketches import conv

from historylab import Conversation, Settings
from historylab.errors import LoadError, SettingsError
from historylab.tuning.sweep import grid, sweep
from historylab.tuning.table import ENDINGS, defuse_formula, fuse_formula, read_table, write_table

FORMULAS = [
    "=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\tx", "  =cmd|' /C calc'!A0", "＝1", "＠x", "%0A", "|x",
    "\ufeff=1", "\u200b=1", "\n=1", "'=1", "''=1", "a;=1", "a\t+1", "a\n=1", "; @x", '";=1',
]  # fmt: skip


@pytest.mark.parametrize("text", FORMULAS)
def test_no_text_of_a_file_is_a_formula_in_a_csv(text):
    shown = defuse_formula(text)
    for cell in re.split(r"[;\t\r\n]", shown):  # however a spreadsheet splits it
        assert not cell.strip('\ufeff\u200b "').startswith(tuple("=+-@＝＋－＠%|")), shown
    assert not shown.startswith(("\t", "\r"))
    assert fuse_formula(shown) == text


@given(st.text(alphabet="=+-@'; \t\r\nx＝\ufeff", max_size=12))
def test_a_text_comes_back_from_a_csv_as_it_was(text):
    assert fuse_formula(defuse_formula(text)) == text


@pytest.mark.parametrize("number", [-5, -0.5, 0, True, None, "x", "2-1", "a@b"])
def test_a_number_stays_a_number_and_plain_text_as_it_is(number):
    assert defuse_formula(number) is number or defuse_formula(number) == number


def test_a_files_title_runs_in_no_spreadsheet_and_is_read_back(tmp_path):
    title, path = "=cmd|' /C calc'!A0", str(tmp_path / "table.csv")
    table = sweep([Conversation(conv("s u a u a"), title=title)], [Settings()])
    write_table(table, path)
    assert ",'=cmd" in "," + Path(path).read_text("utf-8").replace("\n", ",").replace('"', "")
    assert read_table(path)["title"].tolist() == table["title"].tolist() == [title]
    assert (read_table(path)["tokens_total"] == table["tokens_total"]).all()


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_table_comes_back_from_disk(tmp_path, ending):
    table = sweep([conv("s u a(t) a u"), conv("u:30 a u")], grid(Settings(), budget=[40, 400], pruner=["fifo", "off"]))
    path = str(tmp_path / f"table{ending}")
    write_table(table, path)
    assert_frame_equal(read_table(path), table, check_dtype=False)


def test_no_table_of_ours_is_refused(tmp_path):
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    with pytest.raises(LoadError, match="no column 'settings'"):
        read_table(str(tmp_path / "other.csv"))
    with pytest.raises(SettingsError, match="kind of table"):
        read_table("table.xlsx")
    with pytest.raises(LoadError, match="there is no file"):
        read_table("no-such-table.parquet")
    (tmp_path / "broken.parquet").write_text("not one")
    with pytest.raises(LoadError, match="can't be read"):
        read_table(str(tmp_path / "broken.parquet"))
