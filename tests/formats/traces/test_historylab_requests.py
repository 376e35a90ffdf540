"""Recordings: lines that hold what is new become the requests they were, and what can't is named."""

from __future__ import annotations

import json
from itertools import count
from typing import Any

import pytest

from historylab import load
from historylab.errors import LoadError
from historylab.formats.load import Conversations

NUMBERS = count(1)


def line(*said: str, answer: str | None = "ok", **fields: Any) -> dict[str, Any]:
    """A line with new messages, "u: hello" of the user, and its answer."""
    roles = {"u": "user", "a": "assistant", "s": "system"}
    items = [{"role": roles[text[0]], "content": text[3:]} for text in said]
    response = answer and {"choices": [{"message": {"role": "assistant", "content": answer}}], "model": "gpt-4o"}
    made = {"historylab": "request", "version": 1, "id": f"r-{next(NUMBERS)}", "conversation": "c", "request": {}}
    made |= {"api": "chat_completions", "response": response, **fields}
    return {**made, "request": {"messages": items, **made["request"]}}


def after(before: dict[str, Any], *said: str, same: int, **fields: Any) -> dict[str, Any]:
    return line(*said, after=before["id"], same=same, **fields)


def read(*lines: Any) -> Conversations:
    return load("".join(f"{json.dumps(each)}\n" for each in lines).encode(), "historylab_requests")


def texts(conversation) -> list[str]:
    return [message.content for message in conversation]


def test_a_request_goes_on_from_the_one_it_names():
    first = line("s: brief", "u: one", answer="1", request={"model": "gpt-4o", "tools": [{"name": "t"}]})
    second = after(first, "a: 1", "u: two", same=2, answer="2", unchanged=["model", "tools"])
    (found,) = read(first, second)
    assert texts(found) == ["brief", "one", "1", "two", "2"]
    assert found.recorded.tools.count == 1
    assert "tools" not in found[4].metadata


def test_other_leading_messages_take_the_place_of_those_before():
    first = line("s: monday", "u: one", answer="1")
    leading = [{"role": "system", "content": "tuesday"}]
    second = after(first, "a: 1", "u: two", same=2, leading=leading, answer="2")
    third = after(second, "a: 2", "u: three", same=4, answer="3")
    loaded = read(first, second, third)
    assert [texts(found) for found in loaded] == [["monday", "one", "1", "two", "2", "three", "3"]]
    assert "a system prompt other than the one before; the first of them is read" in loaded.report.warnings


def test_an_edit_and_a_second_answer_are_branches():
    first = line("u: one", answer="1")
    second = after(first, "a: 1", "u: two", same=1, answer="2")
    edited = after(second, "u: other", same=2, answer="3")
    (found,) = read(first, second, edited)
    assert texts(found) == ["one", "1", "other", "3"]
    assert [texts(branch) for branch in found.branches] == [["one", "1", "two", "2"]]


def test_a_request_whose_beginning_is_missing_is_named_and_the_others_are_read():
    lost = line("u: lost")
    loaded = read(after(lost, "a: ok", "u: more", same=1), line("u: whole"))
    assert [texts(found) for found in loaded] == [["whole", "ok"]]
    assert list(loaded.report.skipped) == ["a request that goes on from one which is not in the file"]


def test_of_tags_and_titles_the_newest_count():
    kinds = [("tags", ["a"]), ("title", "First"), ("tags", ["b", "c"]), ("title", "Then")]
    said = [{"historylab": kind, kind: value, "conversation": "c"} for kind, value in kinds]
    (found,) = read(said[0], line("u: hello", app="ferries"), *said[1:], {"historylab": "proxy", "mode": "trim"})
    assert (found.title, found.metadata["tags"], found.metadata["app"]) == ("Then", ["b", "c"], "ferries")


def test_a_request_of_no_named_conversation_is_one_by_itself():
    assert len(read(line("u: one", answer="1"), line("u: two", answer="2", conversation=""))) == 2


def test_lines_of_unknown_kinds_are_counted():
    loaded = read(line("u: hello"), {"historylab": "weather"}, {"other": 1}, line("u: x", api="telepathy"))
    assert sum(tally.count for tally in loaded.report.skipped.values()) == 3


def test_a_request_without_an_answer_waits_for_the_one_that_is_asked_again():
    failed = line("u: hello", answer=None, status=429, error="slow down")
    loaded = read(failed, after(failed, same=1, answer="hi"))
    assert [texts(found) for found in loaded] == [["hello", "hi"]]
    assert "a request without an answer (slow down)" in loaded.report.warnings


def test_what_was_decided_stands_with_the_answer():
    plan = {"tokens": 50, "before": 400, "budget": 60, "over": False, "decisions": "D3K1"}
    sent = {"mode": "trim", "settings": {"budget": 60}, "plan": plan, "state": {"key": "value", "bad": 5}}
    trimmed = line("u: hello", **sent, started="2026-11-23T07:30:00+00:00", seconds=1.5)
    (found,) = read(trimmed)
    assert found[1].metadata == {
        "model": "gpt-4o",
        "sent_mode": "trim",
        "sent_under": {"budget": 60},
        "decisions": "D3K1",
        "sent_tokens": 50,
        "whole_tokens": 400,
    }
    assert found.metadata["noted_state"] == {"key": "value"}
    assert [m.timestamp for m in found] == ["2026-11-23T07:30:00+00:00", "2026-11-23T07:30:01.500000+00:00"]
    for untouched in ({"mode": "audit"}, {"untrimmed": "fault"}, {"plan": {**plan, "tokens": 400}}):
        (found,) = read({**trimmed, **untouched})
        assert "sent_tokens" not in found[1].metadata


def test_a_body_that_no_api_takes_is_read_as_far_as_it_goes():
    broken = line("u: hello")
    broken["request"]["messages"].insert(0, {"role": "user", "content": 5})
    loaded = read(broken, after(broken, "a: ok", "u: more", same=2))
    assert texts(loaded[0]) == ["hello", "ok", "more", "ok"]
    assert loaded.report.skipped


def test_a_file_of_nothing_but_other_lines_is_refused():
    with pytest.raises(LoadError):
        read({"historylab": "proxy", "mode": "trim"})
