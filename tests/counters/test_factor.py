"""The token factor: everything the model's own counter counts, times it; published rules as they are."""

from __future__ import annotations

import pytest
from sketches import conv

from historylab import Settings, replay, trim
from historylab.conversation.conversation import Conversation
from historylab.costs.traffic import baseline_of, billed_traffic
from historylab.counters.base import counter_for, token_column
from historylab.planning.pipeline import plan_history
from historylab.registry import members
from historylab.settings.effect import has_effect
from historylab.systems.presets.base import presets

LONG = conv("s:20 u:30 a:80 u:20 a(t:60 t:50) a:40 u:10 a:90 u:15")


def test_each_message_is_counted_and_multiplied():
    once, scaled = (token_column(LONG, counter_for(Settings(counter_factor=f))) for f in (1.0, 1.4))
    assert scaled.tolist() == [round(1.4 * n) for n in once.tolist()]
    assert counter_for(Settings(counter_factor=1.4)).count(LONG.messages).tolist() == scaled.tolist()


def test_a_factor_of_one_counts_as_before():
    assert type(counter_for(Settings())).__name__ == "ExactCounter"


def test_counters_differ_by_their_factor():
    keys = {counter_for(Settings(counter_factor=f)).key for f in (1.0, 1.4, 1.5)}
    assert len(keys) == 3


@pytest.mark.parametrize("name", sorted(name for name, member in members("counter").items() if not member.reads))
def test_a_published_rule_is_not_scaled(name):
    plain, scaled = (counter_for(Settings(counter=name, counter_factor=f)) for f in (1.0, 2.0))
    assert (plain.key, plain.count(LONG.messages).tolist()) == (scaled.key, scaled.count(LONG.messages).tolist())
    assert not has_effect(Settings(counter=name), "counter_factor")


def test_no_preset_decides_it():
    assert all("counter_factor" not in preset.decides() for preset in presets().values())
    assert has_effect(Settings(), "counter_factor")


def test_a_budget_is_spent_sooner():
    settings = Settings(budget=450)
    sent = {f: plan_history(LONG, settings.replace(counter_factor=f)) for f in (1.0, 2.0)}
    assert sent[1.0].sketch().count("K") > sent[2.0].sketch().count("K")
    assert all(plan.tokens <= 450 for plan in sent.values())


@pytest.mark.parametrize("pruner", ["fifo", "summarize", "relevance"])
def test_trimming_sends_what_a_replay_shows(pruner):
    settings = Settings(budget=300, counter_factor=1.7, pruner=pruner)
    records = [{"role": m.role, "content": m.content} for m in conv("s:20 u:30 a:80 u:20 a:40 u:10 a:90 u:15")]
    shown = replay(Conversation(conv("s:20 u:30 a:80 u:20 a:40 u:10 a:90 u:15").messages), settings).plans[-1]
    assert [m["content"] for m in trim(records, settings)] == [m.content for m in shown.render()]


def test_summaries_and_framing_are_multiplied_too():
    settings = Settings(budget=300, counter_factor=2.0, pruner="summarize")
    plan = replay(LONG, settings).plans[-1]
    counter = counter_for(settings)
    assert plan.summary is not None
    assert plan.tokens == int(counter.count(plan.render()).sum()) + counter.per_request


@pytest.mark.parametrize("counter", ["exact", "octopus"])
def test_costs_are_multiplied_whatever_decides_what_is_cut(counter):
    plain, scaled = (replay(LONG, Settings(counter=counter, counter_factor=f, overhead=100)) for f in (1.0, 2.0))
    for of in (billed_traffic, baseline_of):
        once, twice = of(plain).sent - 100, of(scaled).sent - 100
        assert (twice == 2 * once).all()
