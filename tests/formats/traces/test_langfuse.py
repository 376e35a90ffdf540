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
