"""Consent: a link or a template alone never switches on a member that calls a model."""

from __future__ import annotations

import pytest

from historylab.settings.consent import (
    WHY,
    WHY_BY_LINK,
    offline,
    refused_for_consent,
    settings_that_ask,
    within_consent,
)
from historylab.settings.model import Settings
from historylab.settings.resolve import resolve_settings

MODEL = {"summarizer": "model"}


def resolved(agreed: bool = False, **sources):
    given = {"env": {}, **sources}
    return within_consent(resolve_settings(**given), agreed=agreed)


@pytest.mark.parametrize("source", ["url", "template", "you"])
def test_only_the_environment_or_a_yes_switches_it_on(source):
    refused = resolved(**{source: MODEL})
    assert refused.settings == Settings()
    assert refused.provenance["summarizer"].source == "default"
    assert refused_for_consent(refused, "summarizer").source == source
    assert resolved(agreed=True, **{source: MODEL}).settings.summarizer == "model"
    allowed = resolved(env={"HISTORYLAB_SUMMARIZER": "model"}, **{source: MODEL})
    assert (allowed.settings.summarizer, allowed.refused) == ("model", ())


def test_the_strongest_source_that_asks_nobody_counts_instead():
    found = resolved(url=MODEL, template={"summarizer": "ledger"}).provenance["summarizer"]
    assert (found.value, found.source) == ("ledger", "template")
    assert [c.status for c in found.candidates] == ["refused", "won", "lost"]
    assert "comes first" in found.candidates[-1].why


def test_the_reason_says_whether_a_link_alone_or_what_it_adds_to_the_environment_was_refused():
    alone = refused_for_consent(resolved(url=MODEL), "summarizer")
    added = refused_for_consent(resolved(env=ENVIRONMENT, url={"model": "gpt-4o"}), "summarizer")
    assert (alone.why, added.why) == (WHY, WHY_BY_LINK)


ENVIRONMENT = {"HISTORYLAB_SUMMARIZER": "model"}
TOLD = "summarizer.model.prompt"


@pytest.mark.parametrize("link", [{"model": "gpt-4o"}, {TOLD: "Write poems."}, {"summarizer.model.most_calls": "9999"}])
def test_the_environments_choice_covers_no_other_model_and_nothing_a_link_wants_it_told(link):
    refused = resolved(env=ENVIRONMENT, url=link)
    assert (refused.settings.summarizer, refused.provenance["summarizer"].locked) == ("extractive", False)
    assert refused_for_consent(refused, "summarizer").source == "environment"
    assert "your own yes" in refused_for_consent(refused, "summarizer").why
    assert resolved(env=ENVIRONMENT, url=link, agreed=True).settings.summarizer == "model"


@pytest.mark.parametrize(
    "sources",
    [
        {"url": {"model": "gpt-5.5"}},  # the default, as any link of ours says it
        {"url": {"model": "gpt-4o"}, "template": {"model": "gpt-4o"}},
        {"url": {"model": "gpt-4o"}, "you": {"model": "gpt-4.1"}},
        {"url": {"model": "gpt-4o"}, "env": {**ENVIRONMENT, "HISTORYLAB_MODEL": "gpt-4.1"}},
        {"template": {"model": "gpt-4o", TOLD: "Write poems."}},
        {"you": {"model": "gpt-4o"}},
        {"url": {TOLD: "", "budget": "4000", "pruner": "summarize"}},
    ],
)
def test_it_covers_the_model_that_anybody_but_a_link_named(sources):
    assert resolved(**{"env": ENVIRONMENT, **sources}).settings.summarizer == "model"


def test_what_a_link_may_have_chosen_under_another_name_is_not_covered():
    found = resolve_settings(env=ENVIRONMENT, you={"model": "gpt-4o"})
    assert within_consent(found, linked=["budget"]).settings.summarizer == "model"
    assert within_consent(found, linked=["model"]).settings.summarizer == "extractive"


@pytest.mark.parametrize("source", ["template", "url", "you"])
def test_a_strict_environment_that_chose_no_model_consents_to_none(source):
    """All is locked then, but only what the environment itself chose is its consent."""
    found = resolve_settings(env={"HISTORYLAB_BUDGET": "2000"}, strict_environment=True, **{source: MODEL})
    assert found.provenance["summarizer"].locked
    assert within_consent(found).settings.summarizer == "extractive"


def test_what_a_strict_environment_shut_out_stays_out_when_consent_decides_again():
    shut_out = {"url": {"summarizer": "ledger"}, "you": {"summarizer": "ledger"}}
    found = resolve_settings(env={"HISTORYLAB_BUDGET": "2000"}, template=MODEL, strict_environment=True, **shut_out)
    assert within_consent(found).settings.summarizer == "extractive"


def test_the_rest_of_the_link_still_counts():
    assert resolved(url={**MODEL, "budget": "4000"}).settings.budget == 4000


def test_offline_asks_nobody_and_changes_nothing_else():
    settings = Settings(summarizer="model", budget=4000)
    assert settings_that_ask(settings) == ["summarizer"]
    assert offline(settings) == Settings(budget=4000)
    assert settings_that_ask(offline(settings)) == []


def test_the_environments_consent_does_not_cover_a_model_the_open_file_names():
    found = resolved(env=ENVIRONMENT, recorded={"model": "claude-opus-4-5"})
    assert (found.settings.summarizer, found.settings.model) == ("extractive", "claude-opus-4-5")
    assert resolved(env=ENVIRONMENT, recorded={"model": Settings().model}).settings.summarizer == "model"
    assert (
        resolved(env={**ENVIRONMENT, "HISTORYLAB_MODEL": "x"}, recorded={"model": "y"}).settings.summarizer == "model"
    )
