"""Grok exports: senders in any case, times in three forms, answers generated anew."""

from __future__ import annotations

import json

import pytest

from historylab import load


def export(*responses: object, wrapped: bool = True, **about: object):
    held = [{"response": r} if wrapped and isinstance(r, dict) else r for r in responses]
    return load(json.dumps({"conversations": [{"conversation": about, "responses": held}]}).encode())


def said(sender: str, message: str, **more: object) -> dict:
    return {"sender": sender, "message": message, **more}


@pytest.mark.parametrize("wrapped", [True, False])
def test_senders_may_be_written_in_any_case(wrapped):
    loaded = export(said("Human", "hi"), said("ASSISTANT", "yes"), said("assistant", "so"), wrapped=wrapped)
    assert loaded.report.member == "grok"
    assert [m.role for m in loaded[0]] == ["user", "assistant", "assistant"]


@pytest.mark.parametrize(
    "time",
    [{"$date": {"$numberLong": "1767225600000"}}, {"$date": "2026-01-01T00:00:00+00:00"}, "2026-01-01T00:00:00+00:00"],
    ids=["number", "date", "text"],
)
def test_times_are_read_in_each_form(time):
    assert export(said("human", "hi", create_time=time))[0][0].timestamp == "2026-01-01T00:00:00+00:00"


def test_a_missing_time_reorders_nothing_and_one_that_is_none_is_named():
    loaded = export(
        said("human", "a", create_time="2026-01-02"), said("assistant", "b"), said("human", "c", create_time="soon")
    )
    assert "".join(m.content for m in loaded[0]) == "abc"
    assert list(loaded.report.warnings) == ["a timestamp that is no time"]


def test_an_answer_generated_anew_is_a_branch():
    ask, old, new = (said("human", "hi", _id="1"), said("assistant", "old", _id="2"), said("assistant", "new", _id="3"))
    times = [{"create_time": f"2026-01-01T00:00:0{i}Z"} for i in range(3)]
    follows = {"parent_response_id": "1"}
    (conversation,) = export(ask | times[0], new | times[2] | follows, old | times[1] | follows)
    assert [m.content for m in conversation] == ["hi", "new"]
    assert [[m.content for m in branch] for branch in conversation.branches] == [["hi", "old"]]


def test_a_response_given_twice_is_read_once_but_not_one_said_twice():
    yes = [said("human", "yes", _id=id) for id in "112"]
    loaded = export(*yes, said("human", "yes"))
    assert ([m.content for m in loaded[0]], loaded.report.skips) == (["yes"] * 3, 1)


def test_model_and_thinking_are_kept():
    answer = said("assistant", "yes", model="grok-x", thinking_trace="hm")
    (conversation,) = export(said("human", "hi"), answer, title="T", id="c")
    assert (conversation.title, conversation.recorded.model, conversation[1].metadata["thinking"]) == (
        "T",
        "grok-x",
        "hm",
    )


def test_a_response_of_nothing_but_thinking_keeps_its_id():
    thought = said("assistant", "", _id="1", thinking_trace="hm")
    (conversation,) = export(said("human", "hi", _id="0"), thought, said("assistant", "yes", _id="2"))
    assert [(m.id, m.content, m.metadata) for m in conversation] == [
        ("0", "hi", {}),
        ("1", "", {"thinking": "hm"}),
        ("2", "yes", {}),
    ]


def test_what_cannot_be_read_is_named():
    report = export(said("human", "hi", odd=1), 5, {"message": "x"}, said("human", ""), said("owl", "hoo")).report
    assert list(report.skipped) == ["a number, not an object", "sender is null, not text"]
    assert list(report.warnings) == [
        "a field 'odd' not read",
        "empty content",
        "unknown sender 'owl', kept as conversation",
    ]
