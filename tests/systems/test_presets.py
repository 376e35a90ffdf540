"""Presets: every system loads whole, knows when it was changed, and replays every sample without breaking a rule."""

from __future__ import annotations

import pytest
from api_rules import counted, refusals
from sketches import every_sample, load_sample

from historylab.planning.pipeline import plan_requests
from historylab.settings.model import Settings, read_setting, setting_names
from historylab.systems.octopus import inspect_plan
from historylab.systems.presets.base import presets

VARIANTS = [(name, variant) for name, preset in presets().items() for variant in ("", *preset.variants)]


LONGEST_LABEL = 34  # characters: beside it stands where the value came from


def settings_of(name: str, variant: str = "") -> Settings:
    return presets()[name].variants.get(variant, presets()[name].settings)


def test_the_five_published_systems_are_there_and_after_them_what_providers_do_themselves():
    published, providers = ["AgentDock", "Mentu", "mycoder", "Octopus", "toolpack"], ["Anthropic API", "OpenAI API"]
    assert [preset.title for preset in presets().values()] == published + providers
    assert {preset.provider for preset in presets().values()} == {"", "anthropic", "openai"}


@pytest.mark.parametrize(("name", "variant"), VARIANTS)
def test_what_a_preset_decides_makes_its_settings_whatever_stood_before(name, variant):
    preset = presets()[name]
    before = Settings(policy="none", length=3, pruner="summarize", layout="systems_first", filter="scope")
    after = before.replace(**preset.decides(variant))
    assert preset.changed(after, variant) == []
    assert all(after.value(n) == settings_of(name, variant).value(n) for n in preset.decides(variant))


@pytest.mark.parametrize(("name", "variant"), VARIANTS)
def test_a_preset_leaves_the_model_and_who_summarises_to_the_person(name, variant):
    assert {"model", "summarizer", "relevance", "overhead"}.isdisjoint(presets()[name].decides(variant))


@pytest.mark.parametrize("name", presets())
def test_every_field_is_a_setting_and_every_choice_a_member(name):
    for field in presets()[name].fields:
        assert field.setting in setting_names()
        assert len(f"{field.label} · {field.unit}") <= LONGEST_LABEL
        assert [read_setting(field.setting, choice) for choice in field.choices] == list(field.choices)


@pytest.mark.parametrize(("name", "variant"), VARIANTS)
def test_a_preset_says_what_it_does_and_nothing_once_it_is_another_system(name, variant):
    rule = presets()[name].rule
    assert rule(settings_of(name, variant))
    if name != "agentdock":
        assert rule(settings_of(name, variant).replace(policy="none")) == ""


def test_a_changed_field_is_named():
    octopus = presets()["octopus"]
    assert octopus.changed(octopus.settings.replace(min_turns=5, model="gpt-4o")) == ["min_turns"]


@pytest.mark.parametrize(("name", "variant"), VARIANTS)
def test_every_preset_replays_every_sample_and_sends_nothing_an_api_would_refuse(name, variant):
    for sample, conversation in every_sample():
        plans = list(plan_requests(conversation, settings_of(name, variant)))
        for plan in plans:
            assert refusals(plan.render()) == [], sample
            assert plan.over_budget == (plan.tokens > plan.budget), sample
        if plans:
            assert plans[-1].tokens == counted(plans[-1]), sample


def test_octopus_inspector_adds_up_to_what_is_sent():
    conversation = load_sample("birthday-by-the-sea")[0]
    settings = presets()["octopus"].settings.replace(budget=8000)
    plan = list(plan_requests(conversation, settings))[-1]
    figures = inspect_plan(plan)
    assert sum(row["tokenCount"] for row in figures["messages"]) == figures["totalTokens"] == plan.tokens
    first, *_, last = (row["section"] for row in figures["messages"])
    assert (first, last) == ("SystemPrompt", "CurrentMessage")
    assert (figures["budget"], figures["pruningApplied"]) == (3904, True)
    assert figures["budgetUsedPercent"] == round(100 * plan.tokens / 3904, 1)
