"""Reported contexts of the whole history: none after a compaction, marked or not, nor a call beside it."""

from __future__ import annotations

from random import Random

from reported_sessions import claude_session

from historylab.counters.reported_contexts import context_by_request, full_at, reported_contexts


def test_every_request_of_a_session_that_was_sent_whole_counts():
    session = claude_session(12, lambda _, visible: 16_000 + 1.3 * visible)
    assert len(reported_contexts(session)[0]) == 12
    assert (context_by_request(session)[:-1] > 0).all()
    assert full_at(session) is None


def test_a_context_that_falls_to_a_third_while_its_messages_grow_shows_a_compaction():
    session = claude_session(20, lambda k, visible: 6_000 + visible if k < 12 else 7_000 + 50 * k, words=1_000)
    before = int(reported_contexts(session)[1].max())
    assert len(reported_contexts(session)[0]) == 12
    assert not context_by_request(session)[12:].any()
    assert full_at(session) == before > 15_000


def test_a_small_fall_is_none():
    session = claude_session(20, lambda k, visible: (16_000 + visible) * (0.86 if k in (12, 13) else 1), words=400)
    assert len(reported_contexts(session)[0]) == 20
    assert full_at(session) is None


def test_a_call_beside_the_conversation_says_nothing_of_the_others():
    session = claude_session(20, lambda k, visible: 300 if k == 12 else 16_000 + visible, words=400)
    assert context_by_request(session)[12] == 0
    assert (context_by_request(session)[13:20] > 0).all()
    assert full_at(session) is None


def test_usage_that_jumps_up_and_down_is_no_compaction():
    dice = Random(7)
    session = claude_session(25, lambda _, visible: 16_790 + visible * dice.uniform(0.5, 2), words=800)
    assert len(reported_contexts(session)[0]) == 25
