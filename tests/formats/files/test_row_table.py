"""Rows of a table as conversations: columns by their names, conversations told apart, order, JSON in cells."""

from __future__ import annotations

import json

import pytest

from historylab.conversation.message import ToolCall
from historylab.errors import LoadError
from historylab.formats.base import Report
from historylab.formats.files.row_table import rows_to_conversations


def read(*rows: object) -> tuple[list, Report]:
    report = Report()
    return list(rows_to_conversations([(f"row {i}", row) for i, row in enumerate(rows, 1)], report)), report


def said(conversation) -> str:
    return " ".join(f"{m.role[0]}:{m.content}" for m in conversation)


@pytest.mark.parametrize(
    ("who", "what"),
    [("role", "content"), ("Speaker", "Utterance"), ("sender_type", "text"), ("From", "message"), ("author", "BODY")],
)
def test_columns_are_known_by_their_names(who, what):
    (conversation,), report = read({who: "human", what: "hi"}, {who: "bot", what: "hello"})
    assert said(conversation) == "u:hi a:hello"
    assert report.remarks == 0


def test_conversations_are_told_apart_and_rows_follow_their_numbers():
    rows = [("b", 2, "bot", "two"), ("a", 1, "user", "A"), ("b", 1, "user", "one"), ("b", 10, "user", "ten")]
    found, report = read(*({"Chat ID": c, "turn": t, "role": r, "text": x} for c, t, r, x in rows))
    assert [(c.title, said(c)) for c in found] == [("b", "u:one a:two u:ten"), ("a", "u:A")]
    assert list(report.warnings) == ["rows put in the order of their 'turn'"]


@pytest.mark.parametrize(
    ("times", "order"),
    [
        (("2026-01-01T10:00:02Z", "2026-01-01T12:00:01+02:00"), "ba"),
        ((1767261602.5, 1767261601.5), "ba"),
        ((1767261602500, 1767261601500), "ba"),
        (("1767261602.000200", "1767261602.000100"), "ba"),
        (("2026-01-01T10:00:02Z", None), "ab"),
        (("2026-01-01T10:00:02Z", ""), "ab"),
        ((float("nan"), 5), "ab"),
        (("soon", "later"), "ab"),
    ],
)
def test_rows_follow_their_times_and_a_missing_one_reorders_nothing(times, order):
    (conversation,), _ = read(*({"role": "user", "text": t, "date": at} for t, at in zip("ab", times, strict=True)))
    assert "".join(m.content for m in conversation) == order


def test_a_row_given_twice_is_read_once_but_not_one_said_twice():
    row = {"id": 1, "role": "user", "text": "yes", "time": 1767261601}
    (conversation,), report = read(row, row, row | {"time": 1767261602}, row | {"id": 2}, row | {"id": None})
    assert (len(conversation), report.skips) == (4, 1)


def test_names_are_kept_and_the_one_who_answers_is_the_assistant():
    (pair,), report = read(*({"speaker": who, "text": "x"} for who in ("Anna", "Ben", "Anna")))
    assert [(m.role, m.name) for m in pair] == [("user", "Anna"), ("assistant", "Ben"), ("user", "Anna")]
    assert list(report.warnings) == ["no word says who is who: 'Ben' read as the assistant; 'Anna' read as the user"]
    (room,), report = read(*({"speaker": who, "text": "x"} for who in ("Anna", "Ben", "Cleo", "Anna")))
    assert {m.role for m in room} == {"user"}


def test_an_unknown_role_is_kept_and_named():
    (conversation,), report = read({"role": "user", "text": "x"}, {"role": "narrator", "text": "y"})
    assert conversation[1].role == "narrator"
    assert list(report.warnings) == ["unknown role 'narrator', kept as conversation"]


def test_cells_hold_calls_parts_and_models():
    call = [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}]
    parts = [{"type": "text", "text": "see"}, {"type": "image_url", "image_url": {"url": "u"}}]
    empty = {"tool_calls": "", "tool_call_id": None, "model": float("nan")}
    (conversation,), _ = read(
        empty | {"role": "user", "content": json.dumps(parts)},
        empty | {"role": "assistant", "content": None, "tool_calls": json.dumps(call), "model": "m-1"},
        empty | {"role": "tool", "content": '{"a": 1}', "tool_call_id": "c"},
    )
    assert (conversation[0].content, conversation[0].media) == ("see", ("image",))
    assert conversation[1].tool_calls == (ToolCall("c", "f", "{}"),)
    assert (conversation[2].content, conversation[2].tool_call_id) == ('{"a": 1}', "c")
    assert conversation.recorded.model == "m-1"
    assert conversation.columns.clean


@pytest.mark.parametrize("write", [json.dumps, str, list], ids=["JSON", "Python", "as it is"])
def test_a_cell_holds_a_conversation(write):
    messages = [{"role": "user", "content": "it's"}, {"role": "assistant", "content": "so"}]
    found, report = read({"id": 7, "messages": write(messages), "split": "x"}, {"id": 8, "messages": "none"})
    assert [(c.title, said(c)) for c in found] == [("7", "u:it's a:so")]
    assert list(report.skipped) == ["a row without messages in 'messages'"]
    assert list(report.warnings) == ["a column 'split' not read"]


@pytest.mark.parametrize(
    "rows",
    [[], ["x"], [{"a": 1}], [{"role": "user"}], [{"author": "Anna", "text": "five stars"}], [{"role": 1, "text": 2}]],
    ids=str,
)
def test_a_table_in_which_nobody_speaks_is_refused_with_its_columns(rows):
    with pytest.raises(LoadError, match="no column says who speaks"):
        read(*rows)


def test_a_row_that_is_none_is_skipped_by_name():
    (conversation,), report = read({"role": "user", "text": "x"}, 5, None)
    assert len(conversation) == 1
    assert list(report.skipped) == ["a number, not a row", "null, not a row"]


def test_a_number_too_large_for_an_order_leaves_the_rows_as_they_stand():
    (conversation,), _ = read(*({"turn": n, "role": "user", "text": x} for n, x in ((10**400, "one"), (1, "two"))))
    assert said(conversation) == "u:one u:two"
