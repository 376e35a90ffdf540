"""What one request sends otherwise than the one before it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as some

from historylab import Settings, replay
from historylab.agent.request import request_of
from historylab.agent.request_changes import request_changes, shared_beginning
from historylab.formats.samples import load_sample


def records(letters: str) -> list[dict]:
    return [{"role": "user", "content": letter} for letter in letters]


def sketch(before: str, now: str) -> str:
    """ "=a -b +c": the runs as signs and letters."""
    return signs(request_changes(records(before), records(now)))


def signs(runs) -> str:
    marks = {"same": "=", "removed": "-", "added": "+", "changed": "~"}
    return " ".join(marks[run.kind] + "".join(r["content"] for r in run.records) for run in runs)


@pytest.mark.parametrize(
    ("before", "now", "runs"),
    [
        ("", "ab", "+ab"),
        ("ab", "abcd", "=ab +cd"),
        ("abcd", "acde", "=a -b =cd +e"),
        ("Sxab", "Szab", "=S -x +z =ab"),
        ("ab", "ab", "=ab"),
        ("aa", "aaa", "=aa +a"),
        ("abc", "", "-abc"),
    ],
)
def test_what_is_the_same_gone_or_new_stands_in_its_order(before, now, runs):
    assert sketch(before, now) == runs


@given(some.text("abc", max_size=9), some.text("abc", max_size=9))
def test_the_runs_are_both_requests_again(before, now):
    runs = request_changes(records(before), records(now))
    assert "".join(r["content"] for run in runs if run.kind != "removed" for r in run.records) == now
    there = [r for run in runs if run.kind != "added" for r in run.before or run.records]
    assert "".join(r["content"] for r in there) == before
    for run in runs:
        of = before if run.kind == "removed" else now
        assert of[run.first : run.first + len(run.records)] == "".join(r["content"] for r in run.records)


def test_a_message_with_another_text_is_one_that_changed():
    def request(summary, result):
        answer = {"role": "tool", "content": result, "tool_call_id": "c1"}
        return [{"role": "system", "content": summary}, {"role": "user", "content": "go"}, answer]

    runs = request_changes(request("so far: a and b", "all of it"), request("so far: a and b, then c", "cleared"))
    assert signs(runs) == "~so far: a and b, then c =go ~cleared"
    assert [run.before[0]["content"] for run in runs if run.before] == ["so far: a and b", "all of it"]
    assert [run.first for run in runs] == [0, 1, 2]


def test_a_result_of_another_call_and_other_words_are_other_messages():
    old = [{"role": "tool", "content": "same words", "tool_call_id": "c1"}, {"role": "user", "content": "one two"}]
    new = [{"role": "tool", "content": "same words", "tool_call_id": "c2"}, {"role": "user", "content": "three four"}]
    assert signs(request_changes(old, new)) == "-same wordsone two +same wordsthree four"


def test_many_messages_between_are_one_change():
    assert len(request_changes(records("ab" * 900), records("ba" * 900))) == 2


def test_the_shared_beginning_is_where_the_plans_say_the_prefix_ends():
    timeline = replay(load_sample()[0], Settings())
    for number in (1, 20, 82):
        runs = request_changes(request_of(timeline.plans[number - 1]), request_of(timeline.plans[number]))
        kept_all = not timeline.steps[number].changed.left
        assert (shared_beginning(runs) == len(request_of(timeline.plans[number - 1]))) == kept_all
