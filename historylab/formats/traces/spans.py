"""Spans of OpenTelemetry and its relatives, out of whatever file they were exported to.

OTLP JSON (`resourceSpans`, and `resourceLogs` for events), the SDK's console output, Phoenix (flat, nested, or as a
table with dotted columns), Jaeger, and tables with capitalised columns.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from historylab.formats.base import Report, kind_of
from historylab.formats.files.content import Content
from historylab.formats.messages.chat_messages import iso_time
from historylab.formats.messages.fields import as_list, unpack_json
from historylab.formats.messages.paths import value_at
from historylab.formats.messages.walker import text_at
from historylab.formats.traces.attributes import DEEPEST, Attributes
from historylab.formats.traces.rows import rows_in

PACKED = ("stringValue", "intValue", "doubleValue", "boolValue", "bytesValue")
IDS = {
    "trace": ("traceId", "trace_id", "traceID", "TraceId", "context.trace_id"),
    "id": ("spanId", "span_id", "spanID", "SpanId", "context.span_id"),
    "parent": ("parentSpanId", "parent_span_id", "parent_id", "ParentSpanId"),
    "name": ("name", "operationName", "SpanName", "span_name"),
    "started": ("startTimeUnixNano", "start_time", "startTime", "start_time_unix_nano", "Timestamp", "timeUnixNano"),
    "ended": ("endTimeUnixNano", "end_time", "endTime", "end_time_unix_nano"),
}
"""Fact about a span → the fields it goes by."""

RECORDS = "logRecords"
HOLDERS = (
    *("resourceSpans", "scopeSpans", "instrumentationLibrarySpans", "spans", "data", "traces", "batches"),
    *("resourceLogs", "scopeLogs", "instrumentationLibraryLogs", RECORDS),
)
"""Lists in which spans are, or lists of them, or the events of some."""

ATTRIBUTES = ("attributes", "tags", "SpanAttributes", "span_attributes")
EVENTS = ("events", "logs", "Events")
FINER = re.compile(r"(?<=\.\d{6})\d+")  # than microseconds


@dataclass
class Span:
    """One span, with its events as (name, attributes). Times are ISO, `failed` is the error it ended with."""

    attributes: Attributes
    events: list[tuple[str, Attributes]] = field(default_factory=list)
    name: str = ""
    id: str = ""
    trace: str = ""
    parent: str = ""
    started: str | None = None
    ended: str | None = None
    failed: str = ""
    where: str = ""


def spans_in(content: Content, report: Report | None = None, most: int | None = None) -> Iterator[Span]:
    """Every span of a file, in its order; what is none is skipped on the report. `most`: of any list."""
    if most and not report:
        return iter(content.once(("spans", most), lambda: list(_spans_of(content, None, most))))
    return _spans_of(content, report, most)


def _spans_of(content: Content, report: Report | None, most: int | None) -> Iterator[Span]:
    later: dict[tuple[str, str], Span] = {}
    for where, value in rows_in(content, most):
        yield from _spans(value, where, report, most, later)
    yield from later.values()  # events logged apart from their spans


def _spans(
    value: Any, where: str, report: Report | None, most: int | None, later: dict[tuple[str, str], Span]
) -> Iterator[Span]:
    """The spans in a value. Events in OTLP's logs are added to a span of their own, which stands for the logged one."""
    if not isinstance(value, dict):
        if report:
            report.skip(f"{kind_of(value)}, not a span", where)
        return
    held = [name for name in HOLDERS if isinstance(value.get(name), list)]
    if not held or any(name in value for name in ATTRIBUTES):
        yield _span(value, where)
        return
    for name in held:
        for i, item in enumerate(value[name][:most]):
            if name == RECORDS and isinstance(item, dict):
                key = str(item.get("traceId", "")), str(item.get("spanId", ""))
                later.setdefault(key, _span({**item, "attributes": []}, where)).events.append(_event(item))
            else:
                yield from _spans(item, f"{where} {name}[{i}]".strip(), report, most, later)


def _span(value: dict[str, Any], where: str) -> Span:
    if held := value_at(value, ATTRIBUTES):
        given = _attributes_of(held)
    else:  # a table's row: "attributes.llm.model_name"
        cut = len("attributes.")
        given = {key[cut:] if key.startswith("attributes.") else key: cell for key, cell in value.items()}
    said = {what: value_at(value, names) for what, names in IDS.items()}
    if kind := value.get("span_kind"):
        given = {"openinference.span.kind": kind, **given}
    name, id, trace, parent = (str(said[what] or "") for what in ("name", "id", "trace", "parent"))
    started, ended = time_of(said["started"]), time_of(said["ended"])
    events = [_event(event) for event in as_list(unpack_json(value_at(value, EVENTS))) if isinstance(event, dict)]
    return Span(Attributes(given), events, name, id, trace, parent, started, ended, _failure(value), where)


def conversation_keys(spans: list[Span], names: tuple[str, ...]) -> list[str]:
    """The key of each span's conversation: of these attributes, on it or any span of its trace; else the trace."""
    keys = [span.attributes.text(*names) for span in spans]
    named = {span.trace: key for span, key in zip(spans, keys, strict=True) if key}
    return [key or named.get(span.trace, span.trace) for span, key in zip(spans, keys, strict=True)]


def _attributes_of(given: Any) -> dict[str, Any]:
    """Attributes as OTLP and Jaeger list them (`key`, `value`), or as an object."""
    given = unpack_json(given)
    if isinstance(given, dict):
        return {str(key): _plain_value(value) for key, value in given.items()}
    pairs = [pair for pair in as_list(given) if isinstance(pair, dict) and isinstance(pair.get("key"), str)]
    return {pair["key"]: _plain_value(pair.get("value")) for pair in pairs}


def time_of(raw: Any) -> str | None:
    """An ISO time of one, or of seconds to nanoseconds since 1970."""
    if isinstance(raw, str):
        raw = raw.strip().replace(" UTC", "+00:00")
        raw = int(raw) if raw.isdecimal() and len(raw) < 25 else FINER.sub("", raw)
    return iso_time(raw / 1e9 if type(raw) is int and 10**17 < raw < 10**25 else raw)


def _plain_value(value: Any, deep: int = 0) -> Any:
    """The value in OTLP's wrapping: {"stringValue": "…"}, {"arrayValue": {"values": […]}}."""
    if not isinstance(value, dict) or deep > DEEPEST:
        return value
    if len(value) == 1:
        kind, held = next(iter(value.items()))
        if kind in PACKED:
            return int(held) if kind == "intValue" and str(held).lstrip("-").isdecimal() else held
        values = as_list(held.get("values")) if isinstance(held, dict) else []
        if kind == "arrayValue":
            return [_plain_value(item, deep + 1) for item in values]
        if kind == "kvlistValue":
            pairs = [pair for pair in values if isinstance(pair, dict)]
            return {str(pair.get("key")): _plain_value(pair.get("value"), deep + 1) for pair in pairs}
    return value


def _event(given: dict[str, Any]) -> tuple[str, Attributes]:
    """The name of an event and what it says, in its attributes or its body."""
    said = _attributes_of(given.get("attributes") or given.get("fields") or {})
    body = _plain_value(given.get("body"))
    said |= body if isinstance(body, dict) else {"content": body} if isinstance(body, str) else {}
    name = given.get("name") or given.get("eventName") or said.get("event.name") or given.get("event.name") or ""
    return str(name), Attributes(said)


def _failure(value: dict[str, Any]) -> str:
    """The error in the span's status; empty if it ended well."""
    code = value_at(value, ("status.code", "status.status_code", "status", "status_code", "StatusCode"))
    if str(code).rpartition("_")[2].upper() not in ("ERROR", "2"):
        return ""
    return text_at(value, ("status.message", "status.description", "status_message")) or "error"
