"""Langfuse: downloads, exports and blob rows of the same calls."""

from __future__ import annotations

import json

import pytest

from historylab.conversation.message import Usage
from historylab.formats.load import load

ASK, SAY = {"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}
CAMEL = {"id": "o", "traceId": "t", "type": "GENERATION", "startTime": "2026-01-05T08:00:00Z", "sessionId": "s"}
SNAKE = {"id": "o", "trace_id": "t", "type": "GENERATION", "start_time": "2026-01-05 08:00:00.000000"}
BOTH = {"input": [ASK], "output": SAY}


ALL = Usage(10, 2, 5, 3)


def loaded(value: object):
    return load(json.dumps(value).encode())


@pytest.mark.parametrize(
    "file",
    [
        {"id": "t", "sessionId": "s", "observations": [{**CAMEL, **BOTH}]},
        {"trace": {"id": "t", "sessionId": "s"}, "observations": [{**CAMEL, **BOTH}]},
        {"id": "s", "traces": [{"id": "t", "sessionId": "s", "observations": [{**CAMEL, **BOTH}]}]},
        [{**CAMEL, **BOTH}],
        [{**SNAKE, "session_id": "s", "input": json.dumps([ASK]), "output": json.dumps(SAY)}],
        {"id": "t", "sessionId": "s", "timestamp": "2026-01-05T08:00:00Z", "observations": [], **BOTH},
    ],
    ids=["trace", "download", "session", "export", "blob", "trace without observations"],
)
def test_every_way_out_has_the_same_conversation(file):
    (conversation,) = loaded(file)
    assert [m.content for m in conversation] == ["hi", "hello"]
    assert conversation.metadata["conversation_id"] == "s"


def test_a_generation_inside_another_is_not_said_twice():
    inner = {**CAMEL, **BOTH, "id": "inner", "parentObservationId": "o"}
    (conversation,) = loaded([{**CAMEL, **BOTH}, inner])
    assert (len(conversation), conversation.branches) == (2, ())


CALL = {"id": "c1", "type": "function", "function": {"name": "tides", "arguments": '{"port": "Ostend"}'}}
CALLING, TIDES = {"role": "assistant", "content": None, "tool_calls": [CALL]}, "low at 4"
RESULT = {"role": "tool", "tool_call_id": "c1", "content": TIDES}


def generation(id: str, parent: str | None, second: int, sent: object, said: object, tokens: int = 1):
    place = {"id": id, "parentObservationId": parent, "startTime": f"2026-01-05T08:00:0{second}Z"}
    return {**CAMEL, **place, "input": sent, "output": said, "usageDetails": {"input": tokens, "output": 1}}


def test_a_call_that_the_client_below_printed_keeps_its_tools_and_has_the_usage_of_the_client():
    printed = f"user: hi\nassistant: None\ntool: {TIDES}"
    (conversation,) = loaded(
        [
            generation("a", "run", 1, [ASK], CALLING, 900),
            generation("b", "a", 2, [ASK], "None", 10),
            generation("c", "run", 3, [ASK, CALLING, RESULT], "hello", 900),
            generation("d", "c", 4, printed, "hello", 20),
        ]
    )
    assert [(m.role, m.content, m.tool_call_id) for m in conversation] == [
        ("user", "hi", None),
        ("assistant", "", None),
        ("tool", TIDES, "c1"),
        ("assistant", "hello", None),
    ]
    assert conversation.branches == ()
    assert [usage.input for usage in conversation.recorded.usage] == [10, 20]


def test_a_run_around_its_calls_is_none_of_them():
    (conversation,) = loaded(
        [
            generation("run", None, 1, {"prompt": "hi"}, "hello", 900),
            generation("a", "run", 2, [ASK], CALLING, 10),
            generation("b", "run", 3, [ASK, CALLING, RESULT], "hello", 20),
        ]
    )
    assert ([m.content for m in conversation], conversation.branches) == (["hi", "", TIDES, "hello"], ())
    assert [usage.input for usage in conversation.recorded.usage] == [10, 20]


def test_another_call_inside_one_stays():
    found = loaded([generation("a", None, 1, [ASK], "hello"), generation("b", "a", 2, "Is this rude?", "no")])
    assert sorted(m.content for conversation in found for m in conversation) == ["Is this rude?", "hello", "hi", "no"]


@pytest.mark.parametrize(
    ("given", "usage"),
    [
        ({"input": 10, "output": 2, "total": 12}, Usage(10, 2)),
        ({"input": 10, "output": 2, "input_cached_tokens": 5}, Usage(10, 2, 5)),
        (
            {"input": 10, "output": 2, "cache_read_input_tokens": 5, "cache_creation_input_tokens": 3},
            Usage(10, 2, 5, 3),
        ),
        ({"promptTokens": 10, "completionTokens": 2}, Usage(10, 2)),
    ],
)
def test_usage_counts_what_was_cached_apart(given, usage):
    (conversation,) = loaded([{**CAMEL, **BOTH, "usageDetails": given}])
    assert conversation.recorded.usage == (usage,)


def test_an_input_too_large_for_the_export_is_named():
    found = loaded([{**CAMEL, "input": "<truncated due to size exceeding limit>", "output": SAY}])
    assert any("left out of the export for its size" in reason for reason in found.report.warnings)
