"""The record of a decision: asked for or not there, numbers and names, and no text unless that is asked for, too."""

from __future__ import annotations

import logging
import sys
from types import SimpleNamespace

import pytest

from historylab import Settings, Trimmer, trim
from historylab.trimming.decision_log import COMPACTED

SECRET = "the vault opens with a swordfish"
MESSAGES = [
    {"role": "system", "content": f"You guard it: {SECRET}."},
    *[{"role": role, "content": f"{SECRET}, {k}"} for k in range(6) for role in ("user", "assistant")],
    {"role": "user", "content": f"Is it true that {SECRET}?"},
]
LAST_2 = Settings(length=2)


@pytest.fixture
def asked(monkeypatch):
    """Asks for records, at level INFO or another."""
    logger = logging.getLogger("historylab.decisions")
    yield lambda level="INFO": logger.setLevel(level)
    logger.setLevel(logging.NOTSET)


class Span:
    """A span of an application, as OpenTelemetry's are used."""

    def __init__(self, *, recording=True, **attributes):
        self.recording, self.attributes, self.events = recording, attributes, []

    def is_recording(self):
        return self.recording

    def add_event(self, name, attributes):
        self.events.append((name, dict(attributes)))

    def set_attribute(self, name, value):
        self.attributes[name] = value


def fields_of(record):
    return {name: value for name, value in vars(record).items() if name.startswith(("historylab.", "gen_ai."))}


def the_span(monkeypatch, span):
    monkeypatch.setitem(sys.modules, "opentelemetry.trace", SimpleNamespace(get_current_span=lambda: span))
    return span


def test_a_request_is_one_record_of_numbers(asked, caplog):
    asked()
    Trimmer(LAST_2).trim(MESSAGES)
    (record,) = caplog.records
    fields = fields_of(record)
    assert (record.name, record.levelname) == ("historylab.decisions", "INFO")
    assert fields.pop("historylab.settings")
    before, after = fields.pop("historylab.tokens_before"), fields.pop("historylab.tokens_after")
    assert before > after > 0
    assert fields == {
        "gen_ai.request.model": LAST_2.model,
        "historylab.messages": 14,
        "historylab.kept": 3,
        "historylab.pinned": 1,
        "historylab.truncated": 0,
        "historylab.summarized": 0,
        "historylab.dropped": 10,
        "historylab.reason.last_n": 10,
        "historylab.summary_tokens": 0,
        "historylab.budget": 8000,
        "historylab.over_budget": False,
    }
    assert record.getMessage() == f"4 of 14 messages sent, {after:,} of {before:,} tokens, for a budget of 8,000"


@pytest.mark.parametrize("settings", [LAST_2, Settings(policy="all", budget=150, pruner="relevance")])
def test_no_text_of_the_conversation_is_in_it(asked, caplog, monkeypatch, settings):
    span = the_span(monkeypatch, Span())
    asked()
    Trimmer(settings).trim(MESSAGES)
    assert "swordfish" not in f"{[vars(record) for record in caplog.records]} {span.events}"


def test_at_level_debug_it_says_why_each_message_is_cut(asked, caplog):
    asked("DEBUG")
    Trimmer(Settings(policy="all", budget=150, pruner="relevance")).trim(MESSAGES)
    (record,) = caplog.records
    lines = fields_of(record)["historylab.why"].splitlines()
    assert len(lines) == fields_of(record)["historylab.dropped"]
    assert lines[0].startswith(
        "message 1, user, dropped: Over the budget, which allows 150, and less relevant to “Is it true"
    )


def test_a_level_of_another_logger_asks_for_nothing(caplog, monkeypatch):
    span = the_span(monkeypatch, Span())
    caplog.set_level("DEBUG")
    caplog.set_level("DEBUG", "historylab")
    Trimmer(LAST_2).trim(MESSAGES)
    assert not [record for record in caplog.records if record.name == "historylab.decisions"]
    assert not span.events


def test_what_is_only_looked_at_is_no_decision(asked, caplog):
    asked()
    Trimmer(LAST_2).plan(MESSAGES)
    assert not caplog.records


def test_of_a_long_list_trim_tells_the_whole(asked, caplog):
    asked()
    long = [MESSAGES[0], *MESSAGES[1:-1] * 60, MESSAGES[-1]]
    told = trim(long, LAST_2)
    assert fields_of(caplog.records[0])["historylab.messages"] == len(long)
    logging.getLogger("historylab.decisions").setLevel(logging.NOTSET)
    assert trim(long, LAST_2) == told


def test_a_span_is_told_what_was_cut(asked, monkeypatch):
    asked()
    span = the_span(monkeypatch, Span(**{"gen_ai.operation.name": "invoke_agent"}))
    Trimmer(LAST_2).trim(MESSAGES)
    ((name, fields),) = span.events
    assert name == COMPACTED
    assert fields["historylab.tokens_before"] > fields["historylab.tokens_after"]
    assert fields["historylab.reason.last_n"] == 10
    assert span.attributes[COMPACTED] is True


def test_a_span_that_is_none_of_a_model_has_the_event_alone(asked, monkeypatch):
    asked()
    span = the_span(monkeypatch, Span(**{"http.route": "/chat"}))
    Trimmer(LAST_2).trim(MESSAGES)
    assert span.events
    assert COMPACTED not in span.attributes


@pytest.mark.parametrize(("recording", "settings"), [(False, LAST_2), (True, Settings())])
def test_nothing_is_told_without_a_recording_span_or_where_nothing_was_cut(asked, monkeypatch, recording, settings):
    asked()
    span = the_span(monkeypatch, Span(recording=recording))
    Trimmer(settings).trim(MESSAGES)
    assert not span.events


def test_opentelemetrys_own_spans_take_the_event(asked):
    sdk = pytest.importorskip("opentelemetry.sdk.trace", reason="opentelemetry-sdk is not installed")
    asked()
    with sdk.TracerProvider().get_tracer("an app").start_as_current_span("chat") as span:
        span.set_attribute("gen_ai.operation.name", "chat")
        Trimmer(LAST_2).trim(MESSAGES)
    (event,) = span.events
    assert (event.name, event.attributes["historylab.dropped"]) == (COMPACTED, 10)
    assert span.attributes[COMPACTED] is True
