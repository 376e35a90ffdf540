"""CSV: delimiters, quotes, line breaks and long texts in cells; other tables and prose are not claimed."""

from __future__ import annotations

import csv

import pytest

from historylab import load
from historylab.errors import LoadError, TooLarge, UnknownFormat
from historylab.formats.detect import match_strengths
from historylab.formats.files.content import Content

STAFF = '[{"role": "admin", "content": "rw"}, {"role": "admin", "content": "r"}]'
TALK = "role{0}text\nuser{0}hi\nbot{0}hello\n"


@pytest.mark.parametrize("delimiter", ",;\t|", ids=["comma", "semicolon", "tab", "bar"])
@pytest.mark.parametrize("before", ["", "\ufeff", "sep={0}\n", "\n"], ids=["bare", "bom", "excel", "blank"])
@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["lf", "crlf"])
def test_the_delimiter_is_found(delimiter, before, end):
    text = (before + TALK).format(delimiter).replace("\n", end)
    assert [(m.role, m.content) for m in load(text.encode())[0]] == [("user", "hi"), ("assistant", "hello")]


def test_cells_hold_delimiters_quotes_and_line_breaks_of_all_kinds():
    text = 'role,text\nuser,"a, ""b""\n\nc"\nbot,d\u2028e\n'
    assert [m.content for m in load(text.encode())[0]] == ['a, "b"\n\nc', "d\u2028e"]


def test_a_long_cell_is_read_and_the_limit_of_others_stays():
    before = csv.field_size_limit()
    assert len(load(f"role,text\nuser,{'x' * 200_000}\n".encode())[0][0].content) == 200_000
    assert csv.field_size_limit() == before


def test_a_table_of_many_rows_has_more_than_a_few_letters_in_each(monkeypatch):
    monkeypatch.setattr("historylab.formats.plain.csv_table.FEW_ROWS", 30)
    assert len(load(b"role,text\n" + b"user,%b\n" % (b"x" * 40) * 60)[0]) == 60
    with pytest.raises(TooLarge, match="more than 42 rows of a few letters"):
        load(b"role,text\n" + b"user,x\n" * 60)


def test_a_table_has_so_many_columns(monkeypatch):
    monkeypatch.setattr("historylab.formats.plain.csv_table.MOST_COLUMNS", 3)
    with pytest.raises(TooLarge, match="more than 3 columns"):
        load(b"role,text,a,b\nuser,hi,1,2\n", format="csv")


def test_a_report_tells_so_many_reasons_apart(monkeypatch):
    monkeypatch.setattr("historylab.formats.base.MOST_REASONS", 2)
    warned = load(b"role,text,a,b,c\nuser,hi,1,2,3\nassistant,yes,,,\n").report.warnings
    assert {reason: tally.count for reason, tally in warned.items()} == {
        "a column 'a' not read": 1,
        "a column 'b' not read": 1,
        "others": 1,
    }


def test_what_is_beyond_the_header_is_named():
    assert list(load(b"role,text\nuser,hi,more\n").report.warnings) == ["a column '' not read"]


@pytest.mark.parametrize(
    "text",
    [
        "hello there",
        "a,b\n1,2\n",
        "role,text\n",
        "Dear Anna,\nthe text, from me,\nBen",
        "role;text",
        "author,text\nMo,x\nLu,y",
    ],
)
def test_other_tables_and_prose_are_refused(text):
    with pytest.raises(UnknownFormat):
        load(text.encode())


def test_a_broken_table_is_refused_in_words():
    with pytest.raises(LoadError, match="no column says who speaks"):
        load(b"hello there", "csv")


@pytest.mark.parametrize("text", ["name,role,content\nAnn,admin,rw\nBen,admin,r\n", STAFF])
def test_a_list_of_staff_with_roles_of_their_own_is_no_chat(text):
    assert not match_strengths(Content(text.encode()))
