"""One baseline for every setting and system, and bills by the model's own counter, whatever a preset counts by."""

from __future__ import annotations

import conversation_strategies
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plan_rules import assert_shares_what_is_rendered
from sketches import every_sample, load_sample

from historylab.costs.bill import against_untrimmed, against_untrimmed_under
from historylab.costs.caches.base import all_caches
from historylab.costs.recount import recount_timeline
from historylab.costs.traffic import baseline_of, billed_traffic, traffic
from historylab.counters.base import model_counter
from historylab.planning.replay import replay
from historylab.pricing import Prices
from historylab.registry import members
from historylab.settings.model import Settings
from historylab.systems.presets.base import presets

PRICES = Prices(input=4, output=20, cache_read="0.4", cache_write=5)
MODEL = model_counter(Settings().model)
SYSTEMS = {
    f"{preset.name} {variant}".strip(): settings
    for preset in presets().values()
    for variant, settings in {"": preset.settings, **preset.variants}.items()
}
MEMBERS = {
    f"{family}={name}": Settings(**{family: name})
    for family in ("counter", "projection", "layout", "policy", "pruner", "compaction", "filter", "tool_output")
    for name in members(family)
}
ANY = {**SYSTEMS, **MEMBERS}


def offline(settings: Settings) -> Settings:
    return settings.replace(summarizer="extractive", overhead=0)


@pytest.mark.parametrize("name", ANY)
def test_not_trimming_costs_the_same_whatever_the_settings_are(name):
    for sample in ("ferry-desk", "tide-tables-agent"):
        conversation = load_sample(sample)[0]
        ours, usual = (replay(conversation, offline(settings)) for settings in (ANY[name], Settings()))
        found = against_untrimmed_under(ours, all_caches(), PRICES)
        expected = against_untrimmed_under(usual, all_caches(), PRICES)
        assert [one.baseline.total for one in found] == [one.baseline.total for one in expected]


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_system_pays_for_what_it_sends_counted_by_its_model(name):
    for conversation in load_sample("tide-tables-agent"):
        timeline = replay(conversation, offline(SYSTEMS[name]))
        sent = [int(MODEL.count(plan.render()).sum()) + MODEL.per_request for plan in timeline.plans]
        assert billed_traffic(timeline).sent.tolist() == sent


COUNTERS = sorted(members("counter"))


@given(conversation_strategies.conversations(), conversation_strategies.settings(), st.sampled_from(COUNTERS))
def test_a_recount_changes_the_numbers_and_no_decision(conversation, settings, counter):
    timeline = replay(conversation, settings.replace(counter=counter))
    again = recount_timeline(timeline, MODEL)
    assert [plan.sketch() for plan in again.plans] == [plan.sketch() for plan in timeline.plans]
    assert [plan.render() for plan in again.plans] == [plan.render() for plan in timeline.plans]
    for plan in again.plans:
        assert plan.tokens == MODEL.count(plan.render()).sum() + MODEL.per_request
    assert_shares_what_is_rendered(again)


@pytest.mark.parametrize("projection", members("projection"))
def test_replies_are_those_recorded_however_a_projection_rewrites_them(projection):
    for name, conversation in every_sample():
        timeline = replay(conversation, Settings(projection=projection))
        output, recorded = billed_traffic(timeline).output, baseline_of(timeline).output
        assert len(output) != len(recorded) or output.tolist() == recorded.tolist(), name


def test_by_the_models_counter_nothing_is_counted_twice():
    timeline = replay(load_sample("tide-tables-agent")[0], Settings())
    assert recount_timeline(timeline, MODEL) is timeline
    assert billed_traffic(timeline) is traffic(timeline)
    assert baseline_of(timeline) is baseline_of(replay(timeline.original, SYSTEMS["mentu"]))


def test_what_sends_everything_as_recorded_costs_what_not_trimming_costs():
    for counter in COUNTERS:
        timeline = replay(load_sample("ferry-desk")[0], Settings(policy="all", pruner="off", counter=counter))
        assert against_untrimmed(timeline, "explicit", PRICES).ratio == 1
