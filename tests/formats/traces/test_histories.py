"""Histories that grow: what is new is read, and the whole is what it would be if it were read whole."""

from __future__ import annotations

import json

import pytest

from historylab.formats.base import Report
from historylab.formats.traces.parts import Histories


def item(text: str, **part) -> dict:
    return {"role": "user", "parts": [{"type": "text", "content": text}, *([part] if part else [])]}


def texts(messages) -> list[str] | None:
    return None if messages is None else [message.content for message in messages]


@pytest.mark.parametrize(
    "dump",
    [json.dumps, lambda items: json.dumps(items, separators=(",", ":")), lambda items: json.dumps(items, indent=1)],
)
def test_a_history_that_grows_shares_the_messages_of_the_one_before(dump):
    histories = Histories()
    first = histories.read(dump([item("a")]), Report(), "1")
    second = histories.read(dump([item("a"), item("b")]), Report(), "2")
    assert (texts(first), texts(second)) == (["a"], ["a", "b"])
    assert dump is not json.dumps or second[0] is first[0]


def test_what_only_begins_alike_is_read_by_itself():
    histories = Histories()
    histories.read('[{"role": "user", "parts": [{"type": "text", "content": "a"}]}]', Report(), "1")
    other = '[{"role": "user", "parts": [{"type": "text", "content": "ab"}]}]'
    assert texts(histories.read(other, Report(), "2")) == ["ab"]


def test_remarks_on_what_was_read_before_are_told_of_the_longer_history_too():
    histories, first, second = Histories(), Report(), Report()
    histories.read(json.dumps([item("a", type="server_tool_call")]), first, "1")
    histories.read(json.dumps([item("a", type="server_tool_call"), item("b", type="server_tool_call")]), second, "2")
    assert [tally.count for report in (first, second) for tally in report.warnings.values()] == [1, 2]


@pytest.mark.parametrize(
    "text", ["hello", "[", "[]", '[{"role": "user", "content": "hi"}]', '{"role": "user"}', "[1, 2]"]
)
def test_anything_else_is_left_to_others(text):
    assert Histories().read(text, Report(), "1") is None


def test_the_same_history_sent_again_is_the_same():
    histories, text = Histories(), json.dumps([item("a")])
    assert texts(histories.read(text, Report(), "1")) == texts(histories.read(text, Report(), "2")) == ["a"]
