"""Requests that lost their cached prefix, with the cause that the file shows or none."""

from __future__ import annotations

import pytest
from recorded_sessions import OPUS, session

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.conversation.usage import usage_by_request
from historylab.costs.broken_prefix import find_break
from historylab.costs.lost_prefix import cache_lifetime, lost_prefixes

KEPT = [(5, 0, 9000), (5, 9000, 500), (5, 9500, 500)]
LOST = [(5, 0, 9000), (5, 9000, 500), (5, 2000, 8000)]


def causes(conversation: Conversation) -> list[tuple[int, str]]:
    return [(lost.request, lost.cause) for lost in lost_prefixes(conversation)]


def test_what_grows_and_is_read_lost_nothing():
    assert lost_prefixes(session(KEPT)) == ()


def test_without_any_sign_the_cause_is_unknown():
    (lost,) = lost_prefixes(session(LOST))
    assert (lost.request, lost.cached, lost.read, lost.cause, lost.seconds) == (2, 9500, 2000, "unknown", 60)


@pytest.mark.parametrize(
    ("about", "cause"),
    [
        ({"minutes": [0, 1, 7]}, "pause"),
        ({"minutes": [0, 1, 5.9]}, "unknown"),
        ({"minutes": [0, 1, 7], "cache_writes_1h": 8000}, "unknown"),
        ({"more": {2: {"model": "claude-haiku-4-5"}}}, "model"),
        ({"more": {1: {"tools": [{"name": "a"}]}, 2: {"tools": [{"name": "b"}]}}}, "tools"),
        ({"more": {1: {"tools": [{"name": "a"}]}, 2: {"tools": [{"name": "a"}]}}}, "unknown"),
        ({"more": {2: {"tools": [{"name": "b"}]}}}, "tools"),
        ({"more": {1: {"tools": [{"name": "a"}]}, 2: {"tools": []}}}, "tools"),
        ({"more": {1: {"tools": [{"name": "a"}]}}}, "unknown"),
        ({"more": {2: {"system_prompt_changed": True}}}, "prompt"),
        ({"minutes": [0, 1, 7], "more": {2: {"system_prompt_changed": True}}}, "prompt"),
        ({"minutes": [0, 1, 7], "more": {2: {"model": "claude-haiku-4-5"}}}, "model"),
    ],
)
def test_a_cause_is_what_the_file_shows(about, cause):
    assert causes(session(LOST, **about)) == [(2, cause)]


GROWN = [(5, 0, 9000), (5, 9000, 500), (5, 9500, 5500), (5, 15_000, 5000)]


@pytest.mark.parametrize(
    ("read", "broke_at", "after_system"),
    [
        (0, 0, False),
        (2000, 0, True),  # smaller than the first request: no message of it was found
        (9000, 1, False),  # all that the first request sent
        (9500, 3, False),
        (11_900, 3, False),  # within the two messages between that request and the next
        (12_100, 4, False),
        (15_000, 5, False),
    ],
)
def test_the_usage_shows_where_the_beginning_broke(read, broke_at, after_system):
    (lost,) = lost_prefixes(session([*GROWN, (5, read, 20_500 - read)]))
    assert (lost.cause, lost.broke_at, lost.after_system) == ("unknown", broke_at, after_system)


def test_a_place_is_not_guessed_where_the_first_request_has_much_before_it():
    messages = Conversation(list(session(GROWN).messages))
    assert find_break(messages, 2000, 1000, [(5, 9000)]) is None
    assert find_break(messages, 1000, 1000, [(5, 9000)]) == 0  # the smallest prefix ever read
    assert find_break(messages, 5000, 1000, [(1, 4000), (3, 9000), (5, 6000)]) is None  # cut in between
    assert find_break(messages, 4000, 1000, [(1, 4000), (3, 9000), (5, 8800)]) == 1  # a little was left out


def test_what_was_lost_is_paid_for_as_it_was_written():
    def dollars(**usage):
        return float(lost_prefixes(session(LOST, **usage))[0].dollars)

    # claude-opus-4-5 in dollars a million: input 5, read 0.50, written 6.25, for an hour 10; 7,500 of 9,500 tokens
    assert dollars() == pytest.approx(7500 * (6.25 - 0.50) / 1e6)
    assert dollars(cache_writes_1h=8000) == pytest.approx(7500 * (10 - 0.50) / 1e6)
    assert dollars(cache_writes_1h=4000) == pytest.approx(7500 * (8.125 - 0.50) / 1e6)
    unpriced = {i: {"model": "nobody-knows-it"} for i in range(3)}
    assert lost_prefixes(session(LOST, more=unpriced))[0].dollars is None


def test_what_no_cache_was_written_for_is_paid_as_input():
    (lost,) = lost_prefixes(session([(9000, 0, 0), (500, 9000, 0), (9900, 128, 0)]))
    assert float(lost.dollars) == pytest.approx((9000 - 128) * (5 - 0.50) / 1e6)


def test_the_models_and_the_pause_are_told():
    (lost,) = lost_prefixes(session(LOST, more={2: {"model": "claude-haiku-4-5"}}))
    assert lost.models == (OPUS, "claude-haiku-4-5")
    (lost,) = lost_prefixes(session(LOST, minutes=[0, 1, 12]))
    assert (lost.seconds, lost.lifetime) == (660, 300)


def test_a_summary_in_place_of_the_history_is_the_first_changed_message():
    messages = list(session(LOST).messages)
    messages[4] = Message("user", "Summary of what was said.", metadata={"compact_summary": True})
    assert [(lost.cause, lost.message) for lost in lost_prefixes(Conversation(messages))] == [("message", 4)]


def test_a_shorter_context_lost_nothing_it_could_have_read():
    assert lost_prefixes(session([(5, 0, 9000), (5, 2000, 500)])) == ()


def test_without_usage_of_both_requests_nothing_is_said():
    silent = session(LOST, more={1: {"usage": None}})
    assert usage_by_request(silent)[1] is None
    assert lost_prefixes(silent) == ()


def test_a_cache_that_nobody_pays_for_writing_is_lost_too():
    assert causes(session([(9000, 0, 0), (500, 9000, 0), (9900, 128, 0)])) == [(2, "unknown")]


def test_a_conversation_without_requests_has_none():
    assert lost_prefixes(Conversation()) == usage_by_request(Conversation()) == ()


@pytest.mark.parametrize(
    ("about", "seconds"),
    [
        ({}, 300),
        ({"cache_writes_1h": 5000}, 3600),
        ({"minutes": [0, 20, 21]}, 3600),
        ({"minutes": [0, 90, 91]}, 86_400),
    ],
)
def test_a_cache_lasts_as_long_as_prefixes_were_written_for_or_survived(about, seconds):
    assert cache_lifetime(session(KEPT, **about)) == seconds


@pytest.mark.parametrize(("decisions", "cause"), [("P1D2K1", "cut"), ("P1K3", "unknown"), ("P1K9", "unknown")])
def test_a_recording_says_that_the_cut_moved(decisions, cause):
    def answer(decisions, read, **sent):
        usage = {"input": 100, "cache_reads": read, "cache_writes": 9000 - read, "output": 1}
        return Message("assistant", "ok", metadata={"usage": usage, "decisions": decisions, **sent})

    first, second = answer("P1K1", 0), answer(decisions, 1000, sent_tokens=9000, whole_tokens=12_000)
    conversation = Conversation([Message("system", "s"), Message("user", "u"), first, Message("user", "v"), second])
    assert [lost.cause for lost in lost_prefixes(conversation)] == [cause]
