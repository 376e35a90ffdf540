"""Cache reads as reported beside those that what was sent could have had."""

from __future__ import annotations

from recorded_sessions import OPUS, session
from sketches import conv

from historylab import Settings, replay
from historylab.costs.cache_reads import cache_reads
from historylab.costs.traffic import billed_traffic
from historylab.pricing import prices_of

READ = [(5, 0, 9000), (5, 9000, 500), (5, 9500, 500)]


def reads(conversation):
    timeline = replay(conversation, Settings(policy="all", pruner="off", overhead=8000, model=OPUS))
    return cache_reads(timeline, prices_of(OPUS), billed_traffic(timeline))


def test_what_was_read_stands_beside_what_was_to_be_expected():
    found = reads(session(READ))
    assert (found.requests, found.of, found.reported) == (3, 3, 18_500)
    assert 16_000 < found.predicted < 18_500
    assert found.lost == ()


def test_a_request_that_read_less_than_was_left_in_the_cache_is_named_with_its_cause():
    found = reads(session([*READ[:2], (5, 2000, 8000)], minutes=[0, 1, 12]))
    (lost,) = found.lost
    assert (lost.request, lost.read, lost.cause) == (2, 2000, "pause")


def test_a_request_that_read_less_than_predicted_is_named_although_the_usage_before_left_little():
    found = reads(session([(5, 9000, 0), (900, 0, 0), (5, 9000, 0)]))
    assert [lost.request for lost in found.lost] == [1]


def test_without_usage_there_is_nothing_to_say():
    assert reads(conv("u a u a")) is None
