"""What applications log as the input and the output of a model call, in whatever shape."""

from __future__ import annotations

import json

import pytest

from historylab.formats.base import Report
from historylab.formats.traces.logged import logged_answer, logged_input, usage_given

USER = {"role": "user", "content": "hi"}
SAID = {"role": "assistant", "content": "hello"}


def sent(value: object):
    return logged_input(value, Report(), "row")


def answered(value: object) -> list[str]:
    return [f"{m.role}: {m.content}" for m in logged_answer(value, Report(), "row")]


@pytest.mark.parametrize(
    "value",
    [
        "hi",
        ["hi"],
        [USER],
        [[USER]],
        USER,
        json.dumps([USER]),
        {"messages": [USER]},
        {"messages": json.dumps([USER])},
        {"input": [USER]},
        {"input": "hi"},
        {"question": "hi"},
        {"prompt": "hi"},
        {"prompts": ["hi"]},
        {"kwargs": {"messages": [USER]}},
        {"inputs": {"messages": [[USER]]}},
        {"messages": [{"content": "hi"}]},
        {"messages": [{"role": "user", "parts": [{"type": "text", "content": "hi"}]}]},
    ],
    ids=str,
)
def test_an_input_is_one_question_however_it_is_wrapped(value):
    assert [(m.role, m.content) for m in sent(value).messages] == [("user", "hi")]


@pytest.mark.parametrize("system", ["be kind", [{"type": "text", "text": "be kind"}], {"parts": [{"text": "be kind"}]}])
def test_a_prompt_beside_the_messages_comes_first(system):
    for name in ("system", "instructions", "systemInstruction"):
        assert [m.role for m in sent({name: system, "messages": [USER]}).messages] == ["system", "user"]


def test_a_history_beside_the_newest_question_comes_before_it():
    messages = sent({"chat_history": [USER, SAID], "input": "and now?"}).messages
    assert [m.content for m in messages] == ["hi", "hello", "and now?"]


def test_a_body_says_its_model_tools_and_parameters():
    body = {"model": "m", "tools": ['{"name": "f"}'], "temperature": 0, "max_tokens": None, "messages": [USER]}
    assert sent(body).about == {"model": "m", "tools": [{"name": "f"}], "parameters": {"temperature": 0}}


def test_other_fields_of_a_body_are_named_in_its_order():
    report = Report()
    logged_input({"messages": [USER], "h": 1, "g": [1], "f": 1, "e": [1], "d": 1, "c": [1]}, report, "")
    assert list(report.kept) == ["h", "f", "d"]
    assert list(report.warnings) == [f"a field {name!r} not read" for name in "gec"]


@pytest.mark.parametrize(
    "value",
    [
        "hello",
        SAID,
        [SAID],
        {"content": "hello"},
        {"output": "hello"},
        {
            "role": "assistant",
            "type": "message",
            "stop_reason": "end_turn",
            "content": [{"type": "text", "text": "hello"}],
        },
        {"choices": [{"message": SAID}]},
        {"choices": [{"text": "hello"}]},
        {"generations": [[{"text": "hello"}]]},
        {"messages": [USER, SAID]},
        {"output": {"messages": [USER, SAID]}},
        json.dumps({"choices": [{"message": SAID}]}),
    ],
    ids=str,
)
def test_an_output_is_one_answer_however_it_is_wrapped(value):
    assert answered(value) == ["assistant: hello"]


def test_of_several_choices_the_first_answers_and_the_others_are_named():
    report = Report()
    assert len(logged_answer({"choices": [{"message": SAID}, {"message": SAID}]}, report, "row")) == 1
    assert report.remarks == 1


@pytest.mark.parametrize("value", [None, 5, {}, [], "", {"error": {"code": 1}}])
def test_what_answers_nothing_is_no_answer(value):
    assert answered(value) == []


def test_an_unknown_list_is_skipped_aloud():
    report = Report()
    assert logged_input([{"shoe": 1}], report, "row 7").messages == []
    assert report.skips


@pytest.mark.parametrize(
    "value",
    [
        {"usage": {"n": 1}},
        {"usageMetadata": {"n": 1}},
        {"llm_output": {"token_usage": {"n": 1}}},
        {"choices": [{"message": {"usage_metadata": {"n": 1}}}]},
        '{"usage": {"n": 1}}',
    ],
)
def test_usage_is_found_where_apis_and_frameworks_put_it(value):
    assert usage_given(value) == {"n": 1}
