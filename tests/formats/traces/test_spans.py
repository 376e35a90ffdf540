"""Spans out of every file they are exported to."""

from __future__ import annotations

import json

import pytest

from historylab.formats.base import Report
from historylab.formats.files.content import Content
from historylab.formats.traces.spans import spans_in, time_of

T = 1767600000  # 2026-01-05, 8 o'clock
OTLP = {
    "traceId": "t",
    "spanId": "s",
    "name": "chat",
    "startTimeUnixNano": "1767600000000000000",
    "attributes": [{"key": "gen_ai.usage.input_tokens", "value": {"intValue": "7"}}],
    "status": {"code": 2, "message": "overloaded"},
}
CONSOLE = {
    "name": "chat",
    "context": {"trace_id": "t", "span_id": "s"},
    "start_time": "2026-01-05T08:00:00.000000Z",
    "attributes": {"gen_ai.usage.input_tokens": 7},
    "status": {"status_code": "ERROR", "description": "overloaded"},
}
JAEGER = {
    "traceID": "t",
    "spanID": "s",
    "operationName": "chat",
    "startTime": 1767600000000000,
    "tags": [{"key": "gen_ai.usage.input_tokens", "type": "int64", "value": 7}],
}


@pytest.mark.parametrize(
    "file",
    [
        {"resourceSpans": [{"scopeSpans": [{"spans": [OTLP]}]}]},
        {"resourceSpans": [{"instrumentationLibrarySpans": [{"spans": [OTLP]}]}]},
        [OTLP],
        OTLP,
        CONSOLE,
        {"data": [CONSOLE]},
        {"data": [{"traceID": "t", "spans": [JAEGER]}]},
    ],
    ids=["otlp", "old otlp", "list", "one", "console", "data", "jaeger"],
)
def test_a_span_says_the_same_in_every_export(file):
    (span,) = spans_in(Content(json.dumps(file).encode()))
    assert (span.name, span.trace, span.id) == ("chat", "t", "s")
    assert span.started in ("2026-01-05T08:00:00+00:00", "2026-01-05T08:00:00.000000Z")
    assert span.attributes.get("gen_ai.usage.input_tokens") == 7
    assert span.failed == ("" if "operationName" in str(file) else "overloaded")


def test_a_table_with_dotted_columns_has_spans_too():
    text = 'name,context.trace_id,attributes.llm.input_messages\nchat,t,"[{""message.role"": ""user""}]"\n'
    (span,) = spans_in(Content(text.encode(), "spans.csv"))
    assert (span.trace, span.attributes.get("llm.input_messages")) == ("t", [{"message.role": "user"}])


def test_values_in_otlps_wrapping_are_unwrapped_however_deep():
    listed = {"arrayValue": {"values": [{"kvlistValue": {"values": [{"key": "a", "value": {"boolValue": True}}]}}]}}
    (span,) = spans_in(Content(json.dumps({**OTLP, "attributes": [{"key": "k", "value": listed}]}).encode()))
    assert span.attributes.get("k") == [{"a": True}]


def test_events_logged_apart_make_a_span_with_the_ids_of_theirs():
    record = {"traceId": "t", "spanId": "s", "eventName": "gen_ai.user.message", "body": {"stringValue": "hi"}}
    file = {"resourceLogs": [{"scopeLogs": [{"logRecords": [record, record]}]}]}
    (span,) = spans_in(Content(json.dumps(file).encode()))
    assert (span.id, [(name, said.given["content"]) for name, said in span.events]) == (
        "s",
        [("gen_ai.user.message", "hi")] * 2,
    )


def test_what_is_no_span_is_skipped_aloud():
    report = Report()
    assert len(list(spans_in(Content(b'[{"attributes": {}}, 5]'), report))) == 1
    assert report.skips == 1


@pytest.mark.parametrize("raw", [T, T * 1000, T * 10**6, T * 10**9, str(T * 10**9)])
def test_times_are_seconds_to_nanoseconds(raw):
    assert time_of(raw) == "2026-01-05T08:00:00+00:00"


@pytest.mark.parametrize(
    ("raw", "iso"),
    [
        ("2026-01-05 08:00:00.123456789", "2026-01-05 08:00:00.123456"),
        ("noon", None),
        (None, None),
        ([], None),
        (10**400, None),
    ],
)
def test_nanoseconds_of_iso_times_are_cut_and_no_time_is_none(raw, iso):
    assert time_of(raw) == iso
