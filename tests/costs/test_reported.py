"""The bill of a recording under the cache that its usage shows, and how far it is from what the usage comes to."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import pytest
from recorded_sessions import OPUS, session
from sketches import conv

from historylab import Settings, as_sent, bill, replay, settings_for
from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message, Usage
from historylab.conversation.sent import RecordedCut, SentHistory, sent_metadata
from historylab.costs.bill import against_untrimmed
from historylab.costs.caches.base import open_cache
from historylab.costs.reported import against_reported
from historylab.costs.session_cost import session_cost
from historylab.formats.samples import load_sample
from historylab.wording.costs import session_cost_sentence

GROWING = [(0, 0, 5000), (0, 5000, 100), (0, 5100, 100), (0, 5200, 100)]


def opened(conversation: Conversation):
    """The conversation as it opens, whole."""
    return replay(conversation, Settings(model=OPUS, overhead=5000, policy="all", pruner="off"))


def test_what_the_usage_comes_to_is_priced_token_by_token():
    found = against_reported(opened(session([(7, 1000, 300)], output=50, cache_writes_1h=100))).reported
    # 7 × $5 + 1000 × $0.50 + 200 × $6.25 + 100 × $10 + 50 × $25, per million
    assert found == Decimal("4035") / 1_000_000


def test_a_recording_is_billed_by_its_own_model_and_cache():
    conversation = session(GROWING)
    for settings in (Settings(overhead=5000), Settings(overhead=5000, model=OPUS)):
        found = bill(replay(conversation, settings))
        assert (found.prices.model, found.cache.name) == (OPUS, "explicit")
    other = bill(replay(conversation, Settings(model="gpt-4o")))
    assert (other.prices.model, other.cache.name) == ("gpt-4o", "automatic")


def test_writes_for_an_hour_last_one_and_cost_more():
    hour = bill(opened(session(GROWING, cache_writes_1h=100, minutes=[0, 30, 60, 90])))
    assert hour.cache.lifetime == 3600
    assert hour.cache_reads[1:].min() > 4900
    assert hour.cache.write_price(hour.prices) == hour.prices.cache_write_1h


def test_a_prefix_that_outlives_what_was_paid_for_costs_what_was_paid():
    lucky = bill(opened(session(GROWING, minutes=[0, 30, 60, 90])))
    assert lucky.cache.lifetime == 3600
    assert lucky.cache.write_price(lucky.prices) == lucky.prices.cache_write


def test_a_cache_that_was_never_used_is_none():
    assert bill(opened(session([(5000, 0, 0)]))).cache.name == "none"
    automatic = session([(5000, 0, 0), (5100, 0, 0), (5200, 0, 0)], more={i: {"model": "gpt-4o"} for i in range(3)})
    assert bill(replay(automatic, Settings(model="gpt-4o"))).cache.name == "none"
    assert bill(replay(Conversation(automatic[:4]), Settings(model="gpt-4o"))).cache.name == "automatic"
    assert bill(opened(session([(500, 0, 0), (600, 0, 0), (700, 0, 0)]))).cache.name == "explicit"  # too short for it


def test_a_first_request_that_reads_starts_warm():
    cold, warm = (bill(opened(session([first, *GROWING[1:]]))) for first in (GROWING[0], (0, 4000, 1000)))
    assert (cold.cache_reads[0], warm.cache_reads[0]) == (0, 4000)


def test_a_prefix_lost_without_a_cause_in_the_history_is_lost_under_any_settings():
    lost = session([*GROWING[:2], (0, 1200, 4000), (0, 5200, 100)])
    for timeline in (opened(lost), replay(lost, Settings(model=OPUS, overhead=5000, policy="lastN", length=1))):
        reads = bill(timeline).cache_reads
        assert reads[2] == 1200
        assert reads[3] > 4000


def test_a_cache_that_somebody_chose_stays_as_it_is():
    conversation = session([(0, 4000, 1000), *GROWING[1:]], cache_writes_1h=1000)
    chosen = bill(opened(conversation), open_cache("explicit", lifetime=60))
    assert (chosen.cache.lifetime, chosen.cache_reads[0]) == (60, 0)
    assert bill(opened(conversation), "automatic").cache_reads[0] == 0


def test_trimming_and_not_trimming_are_priced_alike():
    both = against_untrimmed(replay(session([(0, 4000, 1000), *GROWING[1:]]), Settings(model=OPUS, overhead=5000)))
    assert both.bill.cache_reads[0] == both.baseline.cache_reads[0] == 4000
    assert both.ratio == pytest.approx(1)


def test_the_error_is_between_the_same_requests():
    found = against_reported(opened(session([*GROWING, (0, 5300, 100)], more={3: {"usage": None}})))
    assert (found.requests, found.of) == (4, 5)
    assert found.error == pytest.approx(float(found.computed / found.reported) - 1)
    assert abs(found.error) < 0.05


def test_output_that_is_reported_before_an_answer_ends_is_short_of_its_text():
    assert against_reported(opened(session(GROWING, output=1))).short
    assert not against_reported(opened(session(GROWING, output=30))).short


def test_there_is_no_error_without_usage_prices_or_the_recorded_model():
    assert against_reported(opened(conv("u a u a"))) is None
    assert against_reported(replay(session(GROWING), Settings(model="gpt-4o"))) is None
    assert against_reported(replay(session(GROWING), Settings(model="nobodys-model"))) is None


def test_our_sample_of_a_session_is_computed_near_what_was_reported():
    conversation = load_sample("lamp-through-the-night")[0]
    found = against_reported(replay(conversation, settings_for(conversation)))
    assert abs(found.error) < 0.1


# -- with what a session called beside

SPENT = [(100, 0, 0)]  # at $5 per million, beside 10 tokens of output at $25: $0.00075
ONE = Decimal("0.00075")


def of_session(name: str, cuts: Sequence[SentHistory] = (), **metadata) -> Conversation:
    return Conversation(session(SPENT), metadata={"session": name, **metadata, **(sent_metadata(cuts) if cuts else {})})


MAIN = of_session("s", sub_agents=[["a", 1]])
CALLED = of_session("s", agent="a", sidechain=True, called_by=["s", 1])


def test_a_session_costs_what_its_sub_agents_cost_too():
    found = session_cost(MAIN, [MAIN, CALLED, of_session("other")])
    assert (found.own, found.total, found.sub_agents) == (ONE, 2 * ONE, 1)


def test_sub_agents_of_sub_agents_and_those_that_nobody_called_are_counted_once():
    below = of_session("x", agent="b", sidechain=True, called_by=["a", 1])
    back = of_session("x", agent="a2", sidechain=True, called_by=["b", 1])
    uncalled = of_session("s", agent="c", sidechain=True)
    assert session_cost(MAIN, [MAIN, CALLED, below, back, uncalled]).total == 5 * ONE
    assert session_cost(CALLED, [MAIN, CALLED, below, back, uncalled]).sub_agents == 2


def test_the_call_that_wrote_a_summary_is_paid_for_by_the_session():
    cut = SentHistory(2, ((1, 2),), cut=RecordedCut(usage=Usage(100, 10), model=OPUS))
    found = session_cost(of_session("s", [cut]), [])
    assert (found.total, found.sub_agents, found.summary_calls) == (2 * ONE, 0, 1)


def test_a_sub_agent_of_unknown_cost_is_in_no_sum_and_said():
    silent = Conversation(session([(0, 0, 0)], output=0), metadata=CALLED.metadata)
    unknown = Conversation([Message("user", "q"), Message("assistant", "a")], metadata=CALLED.metadata)
    assert session_cost(MAIN, [silent]).total == ONE
    found = session_cost(MAIN, [unknown])
    assert (found.total, found.unknown) == (ONE, 1)
    assert "The cost of 1 of these isn't known" in session_cost_sentence(found)


def test_without_anything_beside_it_or_without_usage_there_is_no_session_cost():
    assert session_cost(MAIN, [MAIN]) is None
    silent = Conversation([Message("user", "q"), Message("assistant", "a")], metadata=MAIN.metadata)
    assert session_cost(silent, [CALLED]) is None
    assert session_cost_sentence(None) == ""


def test_what_was_sent_is_priced_as_the_model_that_answered_each_request():
    haiku = {"model": "claude-haiku-4-5"}
    both = session([(20_000, 0, 0), (21_000, 0, 0), (22_000, 0, 0)], more={2: haiku})
    priced, alone = bill(as_sent(both)), bill(as_sent(session([(20_000, 0, 0), (21_000, 0, 0), (22_000, 0, 0)])))
    assert [float(cost) for cost in priced.costs[:2]] == [float(cost) for cost in alone.costs[:2]]
    assert priced.costs[2] < alone.costs[2]
    assert sum(priced.costs) == priced.total
    assert against_reported(as_sent(both)).models == 2


def test_settings_are_priced_as_the_models_that_answered_like_what_was_sent_beside_them():
    haiku = {"model": "claude-haiku-4-5"}
    both = session([(20_000, 0, 0), (21_000, 0, 0), (22_000, 0, 0)], more={0: haiku, 2: haiku})
    whole = settings_for(both).replace(policy="all", pruner="off")
    baselines = [against_untrimmed(timeline).baseline.total for timeline in (as_sent(both), replay(both, whole))]
    assert baselines[0] == baselines[1] > 0
