"""Mentu's stored rows, and flat messages of other systems, in the shapes they come in."""

from __future__ import annotations

import json

import pytest

from historylab.conversation.message import ToolCall
from historylab.errors import UnknownFormat
from historylab.formats.load import load
from historylab.formats.messages.flat_messages import flat_conversation

CALL = {"id": "t1", "role": "tool_use", "content": "", "tool_name": "Read", "tool_input": {"path": "a"}}
RESULT = {"id": "result_t1", "role": "tool_result", "content": "text"}
ASK, SAY = {"id": "u", "role": "user", "content": "hi"}, {"id": "a", "role": "assistant", "content": "yes"}
ROWS = [ASK, CALL, RESULT, SAY]


def as_json(value) -> bytes:
    return json.dumps(value).encode()


@pytest.mark.parametrize(
    "content",
    [as_json(ROWS), as_json({"agent_messages": ROWS}), b"\n".join(map(as_json, ROWS))],
    ids=["list", "object", "lines"],
)
def test_rows_become_messages_with_their_calls_paired(content):
    loaded = load(content)
    assert str(loaded.report) == "Mentu agent messages: 4 records, 4 messages, 0 skipped"
    assert [m.role for m in loaded[0]] == ["user", "assistant", "tool", "assistant"]
    assert loaded[0][1].tool_calls == (ToolCall("t1", "Read", '{"path":"a"}'),)
    assert loaded[0].columns.clean


def test_rows_are_one_conversation_per_id_in_the_order_of_their_times():
    times = [f"2026-01-01T10:00:0{n}Z" for n in range(4)]
    rows = [row | {"conversation_id": id, "created_at": at} for id in "ab" for row, at in zip(ROWS, times, strict=True)]
    loaded = load(as_json(rows[::-1]))
    assert [c.metadata["conversation_id"] for c in loaded] == ["b", "a"]
    assert all([m.role[0] for m in c] == ["u", "a", "t", "a"] for c in loaded)
    assert list(loaded.report.warnings) == ["rows put in the order of their times"]


def test_call_rows_in_a_row_are_one_message_with_several_calls():
    second = CALL | {"id": "t2"}
    (conversation,) = load(as_json([ASK, CALL, second, RESULT | {"id": "result_t2"}, RESULT, SAY]))
    assert [len(m.tool_calls) for m in conversation] == [0, 2, 0, 0, 0]
    assert [m.tool_call_id for m in conversation if m.role == "tool"] == ["t2", "t1"]


def test_a_result_that_names_no_call_belongs_to_the_oldest_waiting_in_its_turn():
    unanswered, result = CALL | {"id": "t0"}, {"role": "tool_result", "content": "r"}
    (conversation,) = load(as_json([ASK, unanswered, SAY, ASK, CALL, result, SAY]))
    assert [m.tool_call_id for m in conversation if m.role == "tool"] == ["t1"]


def test_other_rows_are_told_by_the_tables_columns():
    row = {"conversation_id": "c", "tool_name": None, "created_at": "2026-01-01T10:00:00Z"}
    assert load(as_json([ASK | row])).report.format == "Mentu agent messages"
    assert load(as_json([ASK])).report.format == "OpenAI Chat Completions"


def test_what_is_skipped_and_unknown_is_counted():
    loaded = load(as_json([*ROWS, 5, {"content": "x"}, {"role": "narrator", "content": "x"}]))
    assert {reason: tally.first for reason, tally in loaded.report.skipped.items()} == {
        "a number, not an object": "[4]",
        "no role": "[5]",
    }
    assert list(loaded.report.warnings) == ["unknown role 'narrator', kept as conversation"]


@pytest.mark.parametrize("wrong", [[], {"a": 1}])
def test_a_row_whose_conversations_id_is_none_is_skipped(wrong):
    loaded = load(as_json([*ROWS, ASK | {"conversation_id": wrong}]))
    assert (len(loaded), len(loaded[0])) == (1, len(ROWS))
    assert next(iter(loaded.report.skipped)).startswith("conversation_id is a")


@pytest.mark.parametrize("back", range(5))
def test_where_a_clock_goes_back_no_result_is_parted_from_its_call(back):
    rows = [*ROWS, SAY | {"content": "more"}]
    times = [f"2026-01-01T{9 if k >= back else 10:02}:00:0{k}Z" for k in range(len(rows))]
    loaded = load(as_json([row | {"created_at": at} for row, at in zip(rows, times, strict=True)]))
    assert loaded[0].columns.clean
    assert loaded.report.messages == len(rows)
    told = {0: [], 2: ["times that go back, left in the order of the file"]}
    assert list(loaded.report.warnings) == told.get(back, ["rows put in the order of their times"])


def test_conversations_are_told_apart_by_a_session_or_a_thread_too():
    rows = [row | {"session_id": id} for row in (CALL, RESULT) for id in ("a", "b")]
    assert [[m.role for m in c] for c in load(as_json(rows))] == [["assistant", "tool"]] * 2


def test_what_is_not_read_of_a_row_or_beside_the_rows_is_named():
    call = CALL | {"tool_input": {"path": "a"}, "content": "reading a"}
    result = RESULT | {"content": "short", "tool_output": "long", "created_at": "soon"}
    loaded = load(as_json({"title": "t", "rows": [ASK | {"mood": "fine"}, call, result]}))
    assert list(loaded.report.warnings) == [
        "a field 'title' not read",
        "a field 'mood' not read",
        "a field 'content' not read",
        "a field 'tool_output' not read",
        "a timestamp that is no time",
    ]
    assert not load(as_json([ASK, CALL, RESULT | {"content": "same", "tool_output": "same"}])).report.warnings


def test_mycoders_flat_messages_are_read_too():
    call = {"role": "tool_use", "id": "x", "name": "shell", "content": '{"command": "ls"}'}
    result = {"role": "tool_result", "tool_use_id": "x", "content": "a b", "is_error": False}
    (conversation,) = load(as_json([ASK, call, result]))
    assert conversation[1].tool_calls == (ToolCall("x", "shell", '{"command": "ls"}'),)
    assert [m.source for m in flat_conversation([ASK, call, result])] == [ASK, call, result]


@pytest.mark.parametrize("foreign", [{"role": ["tool_use"]}, {"nobody": "knows"}, {"role": "user", "parts": []}])
def test_other_files_are_not_claimed(foreign):
    with pytest.raises(UnknownFormat):
        load(as_json([foreign]))
