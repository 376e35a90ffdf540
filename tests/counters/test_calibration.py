"""Overhead and token size, found again where we know them."""

from __future__ import annotations

import numpy as np
import pytest
from token_sketches import COUNTER, UNCUT, counted

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message, Usage
from historylab.costs.traffic import traffic
from historylab.counters.base import with_factor
from historylab.counters.calibration import calibrate, good_calibration, least_overhead
from historylab.counters.chars_4 import QuarterOfCharacters
from historylab.counters.reported_contexts import reported_contexts
from historylab.formats.samples import load_sample
from historylab.planning.replay import replay
from historylab.planning.strategies.base import Instruments


def reported(conversation: Conversation, overhead: int, factor: float) -> Conversation:
    """The conversation with the usage a provider would report whose tokens are `factor` of ours."""
    running = np.concatenate(([0], np.cumsum(COUNTER.count(conversation.messages))))
    return conversation.edited(
        Message(m.role, m.content, m.id, metadata={"usage": Usage(input=round(overhead + factor * running[i]))})
        if m.role == "assistant"
        else m
        for i, m in enumerate(conversation)
    )


def test_a_known_overhead_and_factor_are_found_again():
    conversation = reported(counted("u100 a200 u50 a300 u400 a20 u10"), 15_000, 1.5)
    found = calibrate(conversation, COUNTER)
    assert found.overhead == 15_000
    assert found.factor == pytest.approx(1.5)
    assert found.fit == pytest.approx(1)
    assert found.error == pytest.approx(0, abs=1e-4)
    assert found.requests == 3


def test_under_the_fitted_settings_traffic_is_in_the_providers_tokens():
    conversation = reported(counted("u100 a200 u50 a300 u400 a20 u10"), 15_000, 2.0)
    found = good_calibration(conversation, COUNTER)
    instruments = Instruments(counter=with_factor(COUNTER, found.factor))
    sent = traffic(replay(conversation, UNCUT.replace(**found.settings), instruments=instruments))
    assert sent.sent.tolist() == [15_200, 15_700, 17_100, 17_160]
    assert sent.shared.tolist() == [0, 15_200, 15_700, 17_100]


def test_it_is_fitted_to_counts_without_a_factor():
    conversation = reported(counted("u100 a200 u50 a300 u400 a20 u10"), 15_000, 1.5)
    assert calibrate(conversation, with_factor(COUNTER, 1.5)) == calibrate(conversation, COUNTER)


def test_no_request_is_smaller_than_its_messages():
    found = calibrate(reported(counted("u100 a200 u50 a300 u400 a20 u10"), -50, 1.5), COUNTER)
    assert found.overhead == 0
    assert 1.3 < found.factor < 1.5


def test_a_poor_fit_is_not_used():
    erratic = counted("u100 a200 u50 a300 u400 a20 u10 a10").edited(
        Message(m.role, m.content, m.id, metadata={"usage": Usage(input=[0, 900, 0, 100, 0, 700, 0, 1200][i])})
        for i, m in enumerate(counted("u100 a200 u50 a300 u400 a20 u10 a10"))
    )
    assert calibrate(erratic, COUNTER).error > 0.15
    assert good_calibration(erratic, COUNTER) is None


def test_too_little_usage_calibrates_nothing():
    assert calibrate(counted("u10 a10 u10 a10 u10 a10"), COUNTER) is None
    assert calibrate(reported(counted("u10 a10 u10 a10"), 100, 1), COUNTER) is None
    assert calibrate(Conversation(), COUNTER) is None


def test_an_answer_before_which_the_file_holds_nothing_says_nothing_of_the_overhead():
    conversation = reported(counted("a10 u10 a10"), 100, 1.0)
    first = Message("assistant", conversation[0].content, conversation[0].id, metadata={"usage": Usage(input=20)})
    assert least_overhead(Conversation([first]), COUNTER) == 0
    assert least_overhead(Conversation([first, *conversation[1:]]), COUNTER) == 100


def test_what_is_said_after_a_compaction_of_the_program_does_not_count():
    conversation = reported(counted("u100 a200 u50 a300 u400 a20 u10 a10 u10 a10"), 1000, 1.0)
    at, _ = reported_contexts(conversation)
    cut = conversation.edited(
        Message(m.role, m.content, m.id, metadata={**m.metadata, "compact_summary": i == 6})
        for i, m in enumerate(conversation)
    )
    assert len(reported_contexts(cut)[0]) == 3 < len(at)


def test_a_file_that_begins_with_a_summary_is_measured_by_what_follows_it():
    conversation = reported(counted("u100 a200 u50 a300 u400 a20 u10 a10 u10 a10"), 1000, 1.0)
    begun = conversation.edited(
        Message(m.role, m.content, m.id, metadata={**m.metadata, "compact_summary": i == 0})
        for i, m in enumerate(conversation)
    )
    assert len(reported_contexts(begun)[0]) == len(reported_contexts(conversation)[0])


def test_our_sample_of_a_session_has_a_fixed_overhead_of_fourteen_thousand():
    found = calibrate(load_sample("lamp-through-the-night")[0], QuarterOfCharacters(""))
    assert 14_000 < found.overhead < 14_500
    assert found.fit > 0.98
    assert found.error < 0.01
