"""Loading in words: formats by where they come from, sizes, and what of a file was read."""

from __future__ import annotations

from historylab import Conversation, Message, ToolCall
from historylab.formats.base import Report
from historylab.formats.load import load
from historylab.formats.shapes.shape import Shape
from historylab.registry import members
from historylab.wording.loading import (
    BEST_KNOWN,
    best_known_formats,
    file_size,
    formats_by_folder,
    read_in_words,
    reasons_in_words,
    size_in_words,
)


def test_every_format_is_named_once_under_a_heading():
    named = [member.name for group in formats_by_folder().values() for member in group]
    assert sorted(named) == sorted(members("format"))
    assert list(formats_by_folder()) == ["Products", "APIs", "Frameworks", "Traces and logs", "Plain files"]


def test_the_best_known_formats_are_formats():
    assert len(best_known_formats()) == len(BEST_KNOWN)


def test_a_size_leaves_out_what_there_is_none_of():
    assert size_in_words(Conversation([Message("user", "Hi")])) == "1 message, 1 turn"
    call = Message("assistant", tool_calls=(ToolCall("1", "look"),))
    assert size_in_words(Conversation([call])) == "1 message, 1 tool call"


def test_a_file_that_holds_something_is_never_said_to_have_0_kb():
    assert [file_size(size) for size in (0, 456, 12_000, 1_234_567)] == ["0 kB", "1 kB", "12 kB", "1.2 MB"]


def test_a_report_says_what_was_read_and_what_was_not():
    report = Report(format="Claude Code", records=2, messages=2, conversations=1)
    assert read_in_words(report) == "Read as Claude Code: 2 messages; nothing was left out."
    assert list(reasons_in_words(report)) == []
    report.skip("a record of another kind", "line 3")
    report.warn("empty content", "line 1")
    report.keep("model", "line 1")
    assert read_in_words(report) == "Read as Claude Code: 2 messages from 2 of 3 records; 1 was left out, 1 remark."
    assert list(reasons_in_words(report)) == [
        "Left out, 1 ×: a record of another kind, first at line 3",
        "Read, 1 ×: empty content, first at line 1",
        "Kept beside the messages: model",
    ]


def test_a_field_mapping_is_no_format_and_is_yours():
    loaded = load(b'[{"who": "bot", "said": "Hello."}]', shape=Shape("who", "said"))
    assert read_in_words(loaded.report) == "Read by your shape: 1 message; nothing was left out."
