"""The settings as a sentence, whatever policy and pruner, and under every system."""

from __future__ import annotations

import re

import pytest

from historylab import Settings
from historylab.planning.strategies.base import UP_TO
from historylab.registry import Member, members
from historylab.systems.presets.base import presets
from historylab.wording import settings_sentence as worded
from historylab.wording.settings_sentence import sentence_parts, settings_sentence

BOTH = [(policy, pruner) for policy in members("policy") for pruner in members("pruner")]
ENGLISH = re.compile(
    r"Keep (everything|the last 20 (user )?messages|only the newest turn)(( up to 96k tokens)?, then [a-z][\w %]+)?\."
)


@pytest.mark.parametrize(("policy", "pruner"), BOTH)
def test_it_says_what_is_kept_and_what_goes_then(policy, pruner):
    said = settings_sentence(Settings(policy=policy, pruner=pruner, budget=96_000))
    assert ENGLISH.fullmatch(said)
    assert (", then " in said) == (pruner != "off")


@pytest.mark.parametrize("family", ["policy", "pruner"])
def test_every_member_says_its_own_part(family):
    said = [worded._words_of(Settings(), member) for member in members(family).values()]
    assert all(re.search(r"\[[^]]+\]", part) for part in said)
    assert len(set(said)) == len(said)


@pytest.mark.parametrize(("policy", "pruner"), BOTH)
def test_each_of_policy_and_pruner_can_be_chosen_from_all_of_them(policy, pruner):
    choices = {part.setting: part.choices for part in sentence_parts(Settings(policy=policy, pruner=pruner))}
    for family in ("policy",) if pruner == "off" else ("policy", "pruner"):
        assert list(choices[family]) == list(members(family))
        assert len(set(choices[family].values())) == len(choices[family])


def test_numbers_are_those_of_the_settings_and_short_only_where_that_is_exact():
    said = settings_sentence(Settings(length=1, budget=113_915))
    assert said == "Keep the last 1 user message up to 113,915 tokens, then drop the oldest turns."
    assert "up to 1.4k tokens" in settings_sentence(Settings(budget=1_400))


def test_an_options_number_can_be_edited_where_it_stands_alone():
    parts = sentence_parts(Settings(pruner="sliding_window"))
    assert ("10", "pruner.sliding_window.turns") in [(part.text, part.setting) for part in parts]


def test_what_else_is_not_as_by_default_ends_it():
    said = settings_sentence(Settings(preserve_system_messages=False, pin="a|b", tool_output="collapse", min_turns=2))
    ends = "system messages may go; 2 texts always sent; old tool results collapsed; newest 2 turns protected."
    assert said.endswith(f"; {ends}")
    assert ";" not in settings_sentence(Settings())


@pytest.mark.parametrize("name", presets())
def test_a_systems_settings_are_said_under_its_name(name):
    preset = presets()[name]
    for settings in (preset.settings, *preset.variants.values()):
        assert sentence_parts(settings, f"{preset.title}:")[0].text == f"{preset.title}: keep "


def test_of_a_system_only_its_own_members_are_offered():
    offered = {"pruner": ("fifo", "summarize")}
    (pruner,) = (part for part in sentence_parts(Settings(), "", offered) if part.setting == "pruner")
    assert list(pruner.choices) == ["fifo", "summarize"]


def test_a_pruner_of_ones_own_is_called_by_its_title():
    own = Member("pruner", "lucky", lambda plan, context: plan, {"title": "Drop by luck"})
    assert [part.text for part in worded._parts_of(Settings(), own)] == [
        "up to ",
        "8k",
        " tokens, then ",
        "drop by luck",
    ]
    assert UP_TO.startswith("up to {budget}")
