"""Sources in words: who decides and why, what a source says, and what it does to a conversation."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sketches import conv

from historylab import Settings, replay
from historylab.formats.samples import load_sample
from historylab.recall.retention import retention
from historylab.settings.model import setting_names
from historylab.settings.resolve import resolve_settings
from historylab.systems.presets.base import presets
from historylab.wording.settings import GROUPS, group_of
from historylab.wording.sources import (
    SettingsEffect,
    decision_sentence,
    difference,
    effect_sentence,
    names_in,
    outcome_of,
    says_anything,
    says_sentence,
)
from historylab.wording.verdict import seen_sentence

LENGTH = "NEXT_PUBLIC_DEFAULT_HISTORY_LENGTH"
CHAT = {"chatSettings": {"historyLength": 20}}


def decided(name: str = "length", **said) -> str:
    return decision_sentence(resolve_settings(said.pop("env", {}), **said).provenance[name])


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({}, "Nothing sets it, so the default counts."),
        (
            {"env": {LENGTH: "0"}, "you": {"length": 7}, "url": "historyLength=5"},
            "The environment sets it, so your choice of “7” and the URL's “5” are not used.",
        ),
        ({"name": "budget", "recorded": {"budget": 9}}, "HistoryLab suggests it for the open file."),
        ({"url": "historyLength=5", "template": CHAT}, "The URL sets it, so the template's “20” is not used."),
        (
            {"url": "historyLength=abc"},
            "The URL's “abc” is refused: not a number; write one of 0 or more, such as 20. "
            "Nothing that can be read sets it, so the default counts.",
        ),
        (
            {"env": {"HISTORYLAB_BUDGET": "9"}, "url": "historyLength=5", "strict_environment": True},
            "Nothing sets it, so the default counts. The environment is strict, so the URL's “5” is not used.",
        ),
    ],
)
def test_who_decides_and_why(said, told):
    assert decided(**said) == told


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("", "Says nothing."),
        ("historyLength=5", "Sets Length; it is used."),
        ("historyPolicy=all&historyLength=5&budget=9", "Sets Policy, Length and Budget; all are used."),
        ("historyPolicy=all&reserve=5", "Sets Policy and Reserve for the answer; both are used."),
        ("historyPolicy=bogus", "1 value is refused."),
        ("historyPolicy=all&minTurns=5", "Sets Policy and Turns the pruner may not touch; Policy is used."),
    ],
)
def test_what_a_source_says(url, told):
    resolution = resolve_settings({"HISTORYLAB_MIN_TURNS": "1"}, url)
    assert says_sentence(resolution, "url") == told
    assert says_anything(resolution, "url") == told.startswith("Sets")


NOW = SettingsEffect((2, 40), (2, 40), (100, 900), 1)


@pytest.mark.parametrize(
    ("other", "told"),
    [
        (None, "Without the URL, the model would see the same."),
        (NOW, "Without the URL, the model would see the same."),
        (
            SettingsEffect((2, 12), (2, 40), (100, 300), 4),
            "Without the URL, the model would see 12 messages instead of 40 at the last request and lose 3 more facts.",
        ),
        (
            SettingsEffect((1, 40), (2, 40), (50, 900), 0),
            "Without the URL, the model would see 1 message instead of 2 at request 1 and lose 1 fewer fact.",
        ),
        (
            SettingsEffect((2, 40), (2, 40), (100, 800), 1),
            "Without the URL, the model would see as many messages, in 900 tokens over all requests instead of 1,000.",
        ),
        (
            SettingsEffect((1, 2, 40), (1, 2, 40), (50, 100, 900), 1),
            "Without the URL, the model would see 40 of 40 messages at the last of 3 requests instead of 40 of 40 at "
            "the last of 2.",
        ),
        (
            SettingsEffect((), (), (), 1),
            "Without the URL, the model would see nothing, as no request is made, instead of 40 of 40 at the last of "
            "2.",
        ),
    ],
)
def test_what_a_source_does(other, told):
    assert effect_sentence("url", NOW, other, on=True) == told


def test_a_source_that_is_off_would_do_the_reverse():
    told = effect_sentence("you", NOW, SettingsEffect((2, 1), (2, 40), (100, 90), 1), on=False)
    assert told == "With your choices, the model would see 1 message instead of 40 at the last request."


def test_a_lost_fact_is_none_that_must_be_remembered():
    timeline = replay(conv("u a u a u"), Settings(length=1))
    found = retention(timeline, stars=[0])
    assert found.stars.lost == 1
    assert (outcome_of(timeline, found).lost, outcome_of(timeline, found).forgotten) == (0, 1)
    seen = outcome_of(timeline, found)
    kept = replace(seen, forgotten=0)
    assert effect_sentence("url", kept, seen, on=True) == (
        "Without the URL, the model would see as much and lose 1 more message that must be remembered."
    )


def test_the_templates_names_are_agentdocks_too():
    assert names_in("template", "policy") == ("chatSettings.historyPolicy", "policy")
    assert names_in("environment", "length") == ("HISTORYLAB_LENGTH", LENGTH)


def test_every_setting_stands_in_a_group():
    assert {group_of(name) for name in setting_names()} == set(GROUPS)


def test_a_system_that_rewrites_the_conversation_counts_its_messages_as_the_headline_does():
    conversation = load_sample("lamp-through-the-night")[0]
    whole, mentu = (replay(conversation, s) for s in (Settings(), presets()["mentu"].settings))
    before, after = (outcome_of(timeline, retention(timeline)) for timeline in (whole, mentu))
    assert seen_sentence(mentu, len(mentu.plans) - 1).endswith("the model sees all 11 messages.")
    assert difference(before, after).startswith("the model would see 11 of 11 messages (rewritten from 34) instead of")
    assert "instead of 11 of 11 (rewritten from 34)" in difference(after, before)
