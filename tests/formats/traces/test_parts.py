"""Messages with parts, as OpenTelemetry's conventions have them."""

from __future__ import annotations

import pytest

from historylab.conversation.message import ToolCall
from historylab.formats.base import Report
from historylab.formats.traces.parts import NO_SUMMARY, has_parts, read_parts_messages


def read(*parts: object, role: str = "assistant"):
    report = Report()
    return read_parts_messages([{"role": role, "parts": list(parts)}], report, "span"), report


def text(content: str) -> dict:
    return {"type": "text", "content": content}


def test_texts_join_and_reasoning_is_kept_apart():
    (message,), _ = read({"type": "reasoning", "content": "hm"}, text("one"), text("two"))
    assert (message.content, message.metadata) == ("one\ntwo", {"thinking": "hm"})


def test_calls_have_json_arguments_and_results_are_messages_before_the_text_beside_them():
    (message,), _ = read({"type": "tool_call", "id": "1", "name": "f", "arguments": {"a": 1}})
    assert message.tool_calls == (ToolCall("1", "f", '{"a":1}'),)
    messages, _ = read(text("thanks"), {"type": "tool_call_response", "id": "1", "response": [2]}, role="user")
    assert [(m.role, m.content, m.tool_call_id) for m in messages] == [("tool", "[2]", "1"), ("user", "thanks", None)]


def test_media_leave_their_kind_and_what_was_said_in_them():
    parts = (
        {"type": "blob", "modality": "audio", "content": "AAAA", "transcript": "hello"},
        {"type": "uri", "modality": "image", "uri": "x"},
        {"type": "file", "modality": "document", "file_id": "7"},
    )
    (message,), _ = read(*parts, role="user")
    assert (message.content, message.media) == ("hello", ("audio", "image", "file"))


def test_a_compaction_is_marked_and_its_summary_read_where_there_is_one():
    (message,), report = read({"type": "compaction", "content": "so far"}, text("go on"), role="user")
    assert (message.content, message.metadata["compaction"], report.remarks) == ("so far\ngo on", True, 0)
    (hidden,), report = read({"type": "compaction"})
    assert (hidden.content, list(report.warnings)) == ("", [NO_SUMMARY])


def test_a_part_of_another_type_is_named():
    _, report = read({"type": "server_tool_call", "name": "search"}, text("found"))
    assert list(report.warnings) == ["a part of type 'server_tool_call' not read"]


@pytest.mark.parametrize(
    ("parts", "own"),
    [
        ([text("x")], True),
        ([{"type": "compaction"}], True),
        ([{"text": "x"}], False),  # Gemini
        ([{"type": "text", "text": "x"}], False),  # AI SDK
        ([], False),
    ],
)
def test_they_are_told_from_other_messages_with_parts(parts, own):
    assert has_parts([{"role": "user", "parts": parts}]) is own
