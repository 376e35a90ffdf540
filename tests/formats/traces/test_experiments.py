"""Logs of tools that trace and score experiments: which of their rows are model calls."""

from __future__ import annotations

import json

import pytest

from historylab.formats.load import load

ASK, DONE = {"role": "user", "content": "hi"}, {"role": "assistant", "content": "done"}
SPAN = {
    "id": "s",
    "root_span_id": "t",
    "input": [ASK],
    "output": [{"message": DONE}],
    "span_attributes": {"type": "llm"},
}
CALL = {"id": "c", "op_name": "chat", "started_at": "2026-01-05T08:00:00Z", "inputs": {"messages": [ASK]}}
CALL |= {"output": {"choices": [{"message": DONE}]}, "summary": {"usage": {"m": {"prompt_tokens": 3}}}}
RESULT = {"promptIdx": 0, "testIdx": 0, "prompt": {"raw": "hi"}, "response": {"output": "done"}, "provider": "a:m"}


def loaded(*rows: dict[str, object]):
    return load("\n".join(map(json.dumps, rows)).encode(), name="rows.jsonl")


@pytest.mark.parametrize("row", [SPAN, CALL, RESULT], ids=["Braintrust", "Weave", "promptfoo"])
def test_a_row_is_what_was_asked_and_answered(row):
    assert [(m.role, m.content) for m in loaded(row)[0]] == [("user", "hi"), ("assistant", "done")]


def test_a_span_of_another_type_is_passed_over():
    found = loaded(SPAN, {**SPAN, "span_attributes": {"type": "score"}})
    assert (len(found), found.report.passed) == (1, 1)


def test_the_usage_of_weaves_calls_is_counted_where_it_was_used():
    found = loaded({**CALL, "id": "above", "inputs": {}}, {**CALL, "parent_id": "above"}, {**CALL, "summary": None})
    assert (len(found), found[0].recorded.usage[0].input, found.report.passed) == (1, 3, 2)


def test_a_call_that_failed_is_named():
    assert "a model call that failed (no such model)" in loaded({**RESULT, "error": "no such model"}).report.warnings


@pytest.mark.parametrize(
    ("provider", "model"),
    [
        ("openai:chat:gpt-4o", "gpt-4o"),
        ("openai:gpt-4o", "gpt-4o"),
        ("bedrock:amazon.nova-micro-v1:0", "amazon.nova-micro-v1:0"),
        ("ollama:chat:llama3:8b", "llama3:8b"),
        ("echo", "echo"),
    ],
)
def test_the_model_of_a_promptfoo_provider_may_hold_a_colon(provider, model):
    assert loaded({**RESULT, "provider": {"id": provider}})[0].recorded.model == model


def test_each_result_of_promptfoo_is_a_conversation():
    assert len(loaded(RESULT, {**RESULT, "promptIdx": 1}, {**RESULT, "promptIdx": 2})) == 3


@pytest.mark.parametrize("wrong", [3, "x", [], {"a": 1}, None])
def test_wrong_kinds_of_values_are_no_traceback(wrong):
    for row in (SPAN, CALL, RESULT):
        for name in row.keys() - {"span_attributes", "root_span_id", "op_name", "started_at"}:
            assert loaded(row, {**row, name: wrong})
