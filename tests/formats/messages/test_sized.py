"""Requests of which only the size is known: what conversations they make, and that those sizes are what counts."""

from __future__ import annotations

import math

import pytest

from historylab import Settings, replay
from historylab.conversation.conversation import Conversation
from historylab.conversation.exchange import Exchange
from historylab.conversation.message import Message, known_size
from historylab.counters.base import open_counter, token_column, with_factor
from historylab.counters.calibration import calibrate
from historylab.formats.base import Report
from historylab.formats.messages.sized import IN_PART, OPENING, PAUSED, SIZES, SMALLER, sized_conversations
from historylab.registry import members
from historylab.reports.report import report
from historylab.reports.shown import Shown
from historylab.tuning.measures import measure
from historylab.tuning.replayed import MeasureOptions
from historylab.wording.losses import RECALL_UNKNOWN


def sizes(*rows: tuple[int, int], key: str = "k", **fields):
    report = Report()
    requests = [
        Exchange([], conversation=key, usage={"input": sent, "output": made}, about={"model": "gpt-5"}, **fields)
        for sent, made in rows
    ]
    return list(sized_conversations(requests, report)), report


def known(conversation: Conversation) -> list[int | None]:
    return [known_size(message) for message in conversation]


def test_what_a_request_grew_by_is_the_answer_before_it_and_new_input():
    (conversation,), report = sizes((1000, 50), (1300, 20))
    assert [m.role for m in conversation] == ["user", "assistant", "user", "assistant"]
    assert known(conversation) == [1000, 50, 250, 20]
    assert conversation.recorded.textless
    assert (conversation.recorded.model, [u.output for u in conversation.recorded.usage]) == ("gpt-5", [50, 20])
    assert {reason: tally.count for reason, tally in report.warnings.items()} == {OPENING: 1, SIZES: 2}


def test_cache_reads_and_writes_belong_to_the_context():
    usage = {"input": 10, "cache_reads": 900, "cache_writes": 90, "output": 5}
    (conversation,) = sized_conversations([Exchange([], usage=usage)], Report())
    assert known(conversation) == [1000, 5]


def test_a_request_smaller_than_the_one_before_begins_a_conversation():
    found, report = sizes((1000, 50), (400, 20), (500, 10))
    assert [known(c) for c in found] == [[1000, 50], [400, 20, 80, 10]]
    assert [c.title for c in found] == ["k, part 1", "k, part 2"]
    assert SMALLER in report.warnings


def test_of_an_answer_that_was_not_sent_again_whole_what_the_context_grew_by_is_history():
    (conversation,), report = sizes((1000, 500), (1100, 20))
    assert known(conversation) == [1000, 100, 0, 20]
    assert IN_PART in report.warnings
    assert conversation.recorded.usage[0].output == 500


def test_models_and_keys_are_apart():
    requests = [
        Exchange([], conversation=key, usage={"input": 100, "output": 1}, about={"model": model})
        for key, model in (("a", "x"), ("a", "y"), ("b", "x"))
    ]
    assert len(list(sized_conversations(requests, Report()))) == 3


def test_requests_of_no_session_are_one_of_each_agent_until_a_long_pause():
    times = ("2026-01-01T10:00", "2026-01-01T10:59", "2026-01-01T12:00")
    requests = [
        Exchange([], usage={"input": 100}, about={"agent_type": agent}, started=time)
        for agent in ("a", "b")
        for time in times
    ]
    report = Report()
    assert [c.title for c in sized_conversations(requests, report)] == ["a 1", "a 2", "b 1", "b 2"]
    assert report.warnings[PAUSED].count == 2


@pytest.mark.parametrize("name", members("counter"))
def test_every_counter_takes_the_known_size(name):
    (conversation,), _ = sizes((1000, 50), (1300, 20))
    counter = open_counter(name, "gpt-5")
    assert token_column(conversation, counter).tolist() == [1000, 50, 250, 20]
    assert token_column(conversation, with_factor(counter, 1.5)).tolist() == [1000, 50, 250, 20]


@pytest.mark.parametrize(
    "message",
    [Message("user", "hi", metadata={"tokens": 900}), Message("user", metadata={"tokens": "900"})]
    + [Message("user", metadata={"tokens": size}) for size in (-1, True, 10**12)],
)
def test_only_a_message_without_text_has_a_size_and_only_a_plausible_one(message):
    assert known_size(message) is None


def test_a_request_weighs_what_the_log_says_whatever_is_cut():
    (conversation,), _ = sizes((9000, 500), (12_000, 500), (15_000, 500))
    timeline = replay(conversation, Settings(budget=8000, model="gpt-5"))
    assert timeline.untrimmed.tolist() == [9003, 12_003, 15_003]  # with the framing of a request
    assert [plan.tokens for plan in timeline.plans] == [9003, 11_503, 11_503]


def test_sizes_are_not_calibrated_by_themselves():
    (conversation,), _ = sizes((1000, 50), (1300, 20), (1500, 10))
    assert calibrate(conversation, open_counter("exact", "gpt-5")) is None


def test_conversations_of_other_sizes_have_other_digests():
    (one,), _ = sizes((1000, 50))
    (other,), _ = sizes((1001, 50))
    assert one.digest != other.digest


def test_what_it_keeps_is_unknown_and_said_to_be():
    (conversation,), _ = sizes((9000, 500), (12_000, 500))
    assert RECALL_UNKNOWN in report([Shown(replay(conversation, Settings(budget=8000)))], 1)
    row = measure(replay(conversation, Settings(budget=8000)), MeasureOptions())
    assert all(math.isnan(row[name]) for name in ("references", "references_kept", "links_kept", "losses"))
