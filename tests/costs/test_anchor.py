"""A request that reports its usage stands at its reported size, wherever its tokens are said."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from reported_sessions import MODEL, claude_session

from historylab import Settings, bill, replay, settings_for
from historylab.conversation.conversation import Conversation
from historylab.costs.proposal import proposed_settings
from historylab.costs.reported import against_reported
from historylab.costs.traffic import NOTHING_CUT, baseline_of
from historylab.counters.reported_contexts import context_by_request
from historylab.figures.token_chart import pack_tokens
from historylab.planning.context_fill import context_fill
from historylab.tuning.compare import measure_figures
from historylab.wording.context import counted_sentence, measured_by, used_tokens

CUT = {"policy": "all", "budget": 18_000, "options": {"pruner.fifo.unit": "block"}}


@pytest.fixture(scope="module")
def erratic() -> Conversation:
    """A session whose usage fits no line: between half and twice what is visible, beyond 16,790 tokens."""
    dice = Random(3)
    return claude_session(15, lambda _, visible: 16_790 + visible * dice.uniform(0.5, 2), words=200)


def test_of_usage_that_fits_no_line_the_least_overhead_counts(erratic):
    proposal = proposed_settings(erratic)
    assert not proposal.calibration.good
    assert proposal.measured
    assert 15_000 < settings_for(erratic).overhead < 17_790
    assert settings_for(erratic).counter_factor == 1


def test_a_session_whose_usage_fits_no_line_opens_near_what_was_reported(erratic):
    assert abs(against_reported(replay(erratic, settings_for(erratic))).error) < 0.15


def test_sent_whole_a_request_stands_at_its_reported_size(erratic):
    reported = context_by_request(erratic)
    timeline = replay(erratic, settings_for(erratic).replace(**NOTHING_CUT))
    assert timeline.contexts[:-1].tolist() == reported[:-1].tolist()
    assert timeline.contexts[-1] == timeline.tokens[-1] + timeline.settings.overhead  # the next one: nobody sent it


@pytest.mark.parametrize("counter", ["exact", "chars/4"])
def test_cut_it_is_what_was_reported_less_what_is_cut(erratic, counter):
    settings = settings_for(erratic).replace(**CUT, counter=counter)
    timeline, reported = replay(erratic, settings), context_by_request(erratic)
    cut = timeline.untrimmed - timeline.tokens
    assert cut[-3:-1].all()
    expected = np.maximum(reported - cut, settings.overhead)[:-1]
    assert timeline.contexts[:-1].tolist() == expected.tolist()


def test_what_is_cut_depends_on_what_is_counted_alone(erratic):
    settings = settings_for(erratic).replace(**CUT)
    unreported = erratic.edited(m.__class__(m.role, m.content, m.id, tool_calls=m.tool_calls,
                                            tool_call_id=m.tool_call_id) for m in erratic)  # fmt: skip
    ours, theirs = (replay(conversation, settings) for conversation in (erratic, unreported))
    assert [plan.sketch() for plan in ours.plans] == [plan.sketch() for plan in theirs.plans]


def test_one_number_for_one_request_wherever_it_is_said(erratic):
    timeline = replay(erratic, settings_for(erratic).replace(**CUT))
    number = 13
    tokens = int(timeline.contexts[number])
    assert tokens == used_tokens(timeline, number) == bill(timeline).traffic.sent[number]
    fill = context_fill(timeline, number)
    assert tokens == sum(fill.values()) - fill["free"]
    assert measured_by(timeline, number).startswith("reported by the provider, less")
    assert measure_figures(timeline).tokens_total == timeline.contexts.sum() == bill(timeline).traffic.sent.sum()
    assert pack_tokens(timeline)


def test_beyond_the_budget_as_reported_it_says_what_decides(erratic):
    timeline = replay(erratic, settings_for(erratic).replace(**CUT))
    differ = np.flatnonzero((timeline.contexts > 18_000) & ~timeline.over_budget)
    assert len(differ)
    number = int(differ[0])
    counted = timeline.plans[number].tokens + timeline.settings.overhead
    assert f"Counted, which is what decides, it has {counted:,}." in counted_sentence(timeline, number)


def test_after_a_compaction_nothing_is_anchored():
    session = claude_session(20, lambda k, visible: 16_000 + visible if k < 12 else 17_000 + 50 * k, words=1_500)
    timeline = replay(session, settings_for(session).replace(**NOTHING_CUT))
    assert timeline.contexts[11] == context_by_request(session)[11]
    assert (timeline.contexts[12:] > timeline.contexts[11]).all()
    found = against_reported(timeline)
    assert (found.requests, found.of) == (12, 21)
    assert abs(found.error) < 0.05


def test_of_another_model_nothing_is_known(erratic):
    timeline = replay(erratic, settings_for(erratic).replace(model="gpt-4o"))
    assert (timeline.contexts == timeline.tokens + timeline.settings.overhead).all()


def test_the_shared_prefix_is_of_the_reported_size(erratic):
    sent = baseline_of(replay(erratic, settings_for(erratic)))
    assert (sent.shared <= sent.sent).all()
    grown = np.flatnonzero(np.diff(sent.sent) > 0)
    assert np.abs(sent.shared[grown + 1] - sent.sent[grown]).max() < 0.02 * sent.sent.max()
    assert settings_for(erratic).model == MODEL
    assert not replay(Conversation(), Settings()).contexts.size
