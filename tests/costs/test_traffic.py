"""Traffic: the messages really sent and shared, and their cost beside not trimming."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import conversation_strategies
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plan_rules import assert_shares_what_is_rendered
from sketches import every_sample, load_sample
from token_sketches import COUNTER, UNCUT, counted, replayed

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message, Usage
from historylab.costs import shared_prefix
from historylab.costs.bill import CostComparison, against_untrimmed, bill, price
from historylab.costs.caches.base import open_cache
from historylab.costs.shared_prefix import message_identity
from historylab.costs.traffic import Traffic, baseline_of, replay_untrimmed, traffic
from historylab.errors import SettingsError
from historylab.generators.base import generate
from historylab.planning.replay import replay
from historylab.planning.strategies.base import Instruments
from historylab.pricing import Prices
from historylab.settings.model import Settings
from historylab.summarizers.base import SummaryTask

FOREVER = open_cache("explicit", lifetime=math.inf)
PRICES = Prices(input=4, output=20, cache_read="0.4", cache_write=5)
THREE = "s100 u200 a100 u300 a50 u400"


def columns(found) -> list[tuple[int, int, bool]]:
    return list(zip(found.sent.tolist(), found.shared.tolist(), found.broken.tolist(), strict=True))


def test_untrimmed_requests_share_all_the_one_before_sent():
    found = traffic(replayed(counted(THREE), overhead=1000))
    assert columns(found) == [(1300, 0, False), (1700, 1300, False), (2150, 1700, False)]
    assert found.output.tolist() == [100, 50, 0]
    assert (found.breaks, found.stable_share) == (0, 1.0)


def test_a_cut_ends_the_shared_prefix_where_it_falls():
    found = traffic(replayed(counted(THREE), pruner="fifo", budget=900))
    # the third request drops the first turn: after the system message nothing is the same
    assert columns(found) == [(300, 0, False), (700, 300, False), (850, 100, True)]
    assert found.stable_share == 0.5


def test_a_cut_between_messages_that_are_sent_alike_ends_no_prefix():
    said = [Message("user", "Go on."), Message("assistant", "Done.")] * 3
    found = traffic(replay(Conversation([*said, Message("user", "Go on.")]), Settings(policy="lastN", length=2)))
    assert found.shared[1:].tolist() == (found.sent[:-1] - 3).tolist()  # all but what frames a request
    assert not found.broken.any()


def test_a_shortened_message_ends_the_shared_prefix():
    conversation = counted("u100 c10 t500 a10 u100 c10 t500 a10 u50")
    settings = {"tool_output": "clear", "tool_output.clear.keep": 1, "tool_output.clear.batch": 1}
    found = traffic(replayed(conversation, **settings))
    assert found.broken.tolist() == [False, False, False, True, False]
    cleared = COUNTER.count([Message("tool", "[Old tool result cleared: 500 tokens]", "x-0")])[0]
    assert found.sent.tolist() == [100, 610, 720, 730 + cleared, 790 + cleared]
    assert found.shared.tolist() == [0, 100, 610, 110, 730 + cleared]


def test_a_new_summary_breaks_the_prefix_and_a_carried_one_does_not():
    timeline = replay(load_sample()[0], Settings(policy="all", pruner="summarize", budget=2000))
    texts = [plan.summary.text if plan.summary else "" for plan in timeline.plans]
    changed = [now != before for before, now in pairwise(texts)]
    assert traffic(timeline).broken.tolist() == [False, *changed]


def test_equal_messages_are_the_same_prefix_wherever_they_stand():
    messages = [Message("user", "yes", f"{k}-10") for k in range(4)]
    assert len({message_identity(m) for m in messages}) == 1
    assert message_identity(messages[0]) != message_identity(Message("user", "yes", media=("image",)))


def test_a_layout_that_reorders_is_read_as_it_is_sent():
    conversation = Conversation(
        [Message("user", "a"), Message("assistant", "b"), Message("system", "c"), Message("user", "d")]
    )
    plain, first = (replay(conversation, UNCUT.replace(layout=name)) for name in ("off", "systems_first"))
    assert traffic(plain).broken.tolist() == [False, False]
    assert traffic(first).broken.tolist() == [False, True]
    assert (traffic(first).sent == first.tokens).all()


def test_idle_gaps_come_from_the_newest_message_sent():
    times = ["2026-01-01T10:00:00Z", "2026-01-01T10:00:09Z", "2026-01-01T10:10:00Z", None, "2026-01-01T10:11:00+00:00"]
    found = traffic(replayed(counted("u2000 a10 u10 a10 u10", times)))
    assert found.idle[1:].tolist() == [600.0, 60.0]
    assert price(found, PRICES, "explicit").cache_reads.tolist() == [0, 0, 2020]
    assert price(found, PRICES, FOREVER).cache_reads.tolist() == [0, 2000, 2020]


def test_the_providers_output_counts_where_it_is_larger():
    conversation = counted("u10 a20 u10 a20 u10")
    reported = conversation.edited(
        Message(m.role, m.content, m.id, metadata={"usage": Usage(output=500 * k)}) if m.role == "assistant" else m
        for k, m in enumerate(conversation)
    )
    assert traffic(replayed(reported)).output.tolist() == [500, 1500, 0]


def test_a_reply_in_two_messages_is_one_output():
    assert traffic(replayed(counted("u10 a20 a30 u10"))).output.tolist() == [50, 0]


class PaidSummarizer:
    """Writes "short" and says what that took, as a model's summarizer does."""

    name, offline = "paid", True

    def summarize(self, task: SummaryTask):
        from historylab.summarizers.base import Written

        return Written("short", Usage(input=task_size(task), output=7))


def task_size(task: SummaryTask) -> int:
    return sum(int(m.id.split("-")[1]) for m in task.messages)


def test_a_model_that_writes_the_summary_is_paid_once():
    instruments = Instruments(counter=COUNTER, summarizer=PaidSummarizer())
    chosen = UNCUT.replace(pruner="summarize", budget=800, **{"pruner.summarize.max_share": 0.1})
    timeline = replay(counted(THREE + " a50 u10"), chosen, instruments=instruments)
    made = [usage for usage in traffic(timeline).summaries if usage != Usage()]
    assert len(made) == sum(1 for p in timeline.plans if p.summary and p.summary.made_at == p.size) > 0
    assert bill(timeline, "none", PRICES).totals["summaries"] > 0


CHOICES = [
    Settings(),
    Settings(policy="all", pruner="fifo", budget=1500, overhead=700),
    Settings(policy="all", pruner="fifo", budget=1500, **{"pruner.fifo.unit": "block", "pruner.fifo.trim_to": 0.5}),
    Settings(policy="all", pruner="summarize", budget=1200),
    Settings(policy="all", pruner="off", tool_output="truncate+clear", **{"tool_output.truncate.limit": 20}),
    Settings(policy="all", pruner="relevance", budget=1500, layout="systems_first"),
    Settings(policy="all", pruner="off", compaction="at_threshold", window=2500),
]


@pytest.mark.parametrize("settings", CHOICES, ids=str)
def test_the_parts_of_every_request_of_every_sample_add_up_to_what_it_sends(settings):
    for name, conversation in every_sample():
        timeline = replay(conversation, settings)
        found = traffic(timeline)
        assert (found.sent == timeline.tokens + settings.overhead).all(), name
        assert (found.shared[1:] <= np.minimum(found.sent[1:], found.sent[:-1])).all(), name
        for cache in ("none", "automatic", "explicit"):
            made = price(found, PRICES, cache)
            assert (made.uncached + made.cache_writes + made.cache_reads == found.sent).all(), name
            assert min(made.uncached.min(initial=0), made.cache_writes.min(initial=0)) >= 0, name
            assert sum(made.costs) == made.total, name


@pytest.mark.parametrize("settings", CHOICES, ids=str)
def test_the_shared_prefix_is_what_two_rendered_requests_have_in_common(settings):
    assert_shares_what_is_rendered(replay(load_sample("tide-tables-agent")[0], settings))


@given(conversation_strategies.conversations(), conversation_strategies.settings(), st.booleans())
def test_the_shared_prefix_is_found_in_any_conversation_even_of_equal_messages(conversation, settings, alike):
    said = (replace(m, content="again " * len(m.content.split())) if alike else m for m in conversation)
    assert_shares_what_is_rendered(replay(conversation.edited(said), settings))


def test_a_comparison_says_in_words_what_trimming_costs():
    timeline = replayed(
        counted("s2000 " + "u500 a500 " * 60 + "u10"), pruner="fifo", budget=20_000, **{"pruner.fifo.unit": "block"}
    )
    found = against_untrimmed(timeline, FOREVER, PRICES)
    assert found.ratio > 1
    assert found.history_to_budget < 5
    assert found.bill.traffic.breaks == timeline_moves(timeline)
    assert found.sentence("FIFO to 20k").startswith(
        f"FIFO to 20k breaks the prompt cache at {found.bill.traffic.breaks} of 61 requests"
    )
    rare = against_untrimmed(
        replayed(timeline.conversation, timeline.settings, **{"pruner.fifo.trim_to": 0.5}), FOREVER, PRICES
    )
    assert rare.ratio < 1
    assert rare.bill.traffic.breaks < found.bill.traffic.breaks


def timeline_moves(timeline) -> int:
    return sum(bool(step.changed.left) for step in timeline.steps)


def test_the_break_even_read_price_is_where_both_cost_the_same():
    timeline = replayed(
        counted("s2000 " + "u500 a500 " * 60 + "u10"), pruner="fifo", budget=20_000, **{"pruner.fifo.unit": "block"}
    )
    share = against_untrimmed(timeline, FOREVER, PRICES).break_even_read_price
    assert 0.1 < share < 1
    even = PRICES.with_changes(cache_read=float(PRICES.input) * share, cache_write=5)
    assert against_untrimmed(timeline, FOREVER, even).ratio == pytest.approx(1)


def test_where_trimming_pays_at_any_read_price_the_break_even_is_zero_and_not_less():
    # ten tokens fewer read, a thousand fewer paid in full: cheaper even where reads are free
    trimmed, whole = (
        price(requests(sent=sent, shared=shared), PRICES, open_cache("automatic", minimum=0, step=1))
        for sent, shared in (([100, 190], [0, 90]), ([1100, 200], [0, 100]))
    )
    assert (whole.cache_reads - trimmed.cache_reads).tolist() == [0, 10]
    assert CostComparison(trimmed, whole, 1.0).break_even_read_price == 0.0


def requests(sent: list[int], shared: list[int]) -> Traffic:
    nothing = np.zeros(len(sent), np.int64)
    unknown = np.full(len(sent), math.nan)
    return Traffic(np.array(sent), np.array(shared), nothing > 0, unknown, nothing, (Usage(),) * len(sent))


def test_not_trimming_costs_exactly_as_much_as_not_trimming():
    timeline = replayed(counted(THREE))
    assert against_untrimmed(timeline, "explicit", PRICES).ratio == 1
    assert (replay_untrimmed(timeline).tokens == timeline.untrimmed).all()


def test_unknown_prices_are_asked_for():
    timeline = replay(load_sample()[0], Settings(model="nobodys-model-7"))
    with pytest.raises(SettingsError, match="Prices"):
        bill(timeline)
    assert bill(timeline, prices=PRICES).total > 0


def test_the_lists_prices_and_their_cache_are_the_default():
    found = bill(replay(load_sample()[0], Settings(model="claude-sonnet-4-5")))
    assert found.cache.name == "explicit"
    assert found.prices.model == "claude-sonnet-4-5"


def test_pricing_compares_each_message_once_and_counts_none_again(monkeypatch):
    conversation = generate("coding_agent", seed=3, turns=40)
    settings = Settings(policy="all", pruner="fifo", budget=20_000, counter="chars/4")
    timeline = replay(conversation, settings)
    compared = []
    monkeypatch.setattr(shared_prefix, "message_identity", lambda m: (compared.append(m), message_identity(m))[1])
    monkeypatch.setattr(type(timeline.counter), "count", lambda *_: pytest.fail("a message is counted again"))
    assert price(traffic(timeline), PRICES, "explicit").total > 0
    assert len(compared) == len(conversation)


@given(conversation=conversation_strategies.conversations(), overhead=st.sampled_from([0, 700]))
def test_not_trimming_is_what_a_replay_that_cuts_nothing_sends(conversation, overhead):
    timeline = replay(conversation, Settings(overhead=overhead, budget=40, counter="chars/4"))
    found, planned = baseline_of(timeline), traffic(replay_untrimmed(timeline))
    for name in ("sent", "shared", "broken", "idle", "output"):
        np.testing.assert_array_equal(getattr(found, name), getattr(planned, name))
    assert found.summaries == planned.summaries
