"""The settings as a value: bounds, equality, options by dotted name, and every member's options found."""

from __future__ import annotations

import pytest

from historylab import registry
from historylab.errors import HistoryLabError, SettingsError
from historylab.settings.model import Settings, setting_names, stage_options
from historylab.settings.names import by_environment_name, by_url_name, environment_name, environment_names, url_name

TURNS = "pruner.sliding_window.turns"


def test_equal_settings_are_equal_however_they_were_given():
    one = Settings(budget="500", **{TURNS: "3"})
    another = Settings(options={TURNS: 3}).replace(budget=500)
    assert (one, hash(one), one.key) == (another, hash(another), another.key)


def test_an_option_at_its_default_is_no_difference():
    assert Settings(**{TURNS: 10}) == Settings()
    assert Settings(**{TURNS: 3}).replace(**{TURNS: 10}) == Settings()


def test_settings_cannot_be_changed():
    with pytest.raises(Exception, match="frozen"):
        Settings().budget = 5


def test_values_hold_every_field_and_option():
    values = Settings(**{TURNS: 3}).values()
    assert tuple(values) == setting_names()
    assert values[TURNS] == Settings(**{TURNS: 3}).value(TURNS) == 3


def test_options_of_the_chosen_member_by_parameter_name():
    settings = Settings(pruner="sliding_window", **{TURNS: 3, "pruner.fifo.unit": "block"})
    assert settings.options_of("pruner") == {"turns": 3}
    assert settings.options_of("policy") == {}


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"budget": -1}, "budget -1"),
        ({"budget": "much"}, "budget 'much'"),
        ({"bugdet": 5}, "bugdet"),
        ({"policy": "everything"}, "there is no policy 'everything'; choose one of all, lastMessages, lastN, none"),
        ({"pruner.sliding_window.turn": 5}, "pruner.sliding_window.turn"),
        ({TURNS: -1}, f"{TURNS} -1"),
        ({"model": "a\0b"}, "NUL"),
        ({"length": 10**400}, "not a finite number"),
    ],
)
def test_what_cannot_be_is_refused_by_name(values, words):
    with pytest.raises(SettingsError, match=words):
        Settings(**values)


def test_every_refusal_is_one_of_ours():
    for name in setting_names():
        for raw in (object(), [], {}, float("nan"), "\0", b"x"):
            try:
                Settings(**{name: raw})
            except HistoryLabError as refused:
                assert str(refused)


def test_names_are_unique_in_the_environment_and_in_links():
    assert len(by_environment_name()) == sum(len(environment_names(name)) for name in setting_names())
    assert len(by_url_name()) == len(setting_names())
    assert environment_name(TURNS) == "HISTORYLAB_PRUNER__SLIDING_WINDOW__TURNS"
    assert url_name(TURNS) == TURNS
    assert url_name("min_turns") == "minTurns"


def test_every_option_of_every_member_a_setting_can_choose_is_a_setting():
    for family in registry.STAGE_FAMILIES:
        for member in registry.members(family).values():
            for option in member.options:
                assert f"{family}.{member.name}.{option.name}" in stage_options()


def test_the_defaults_are_within_their_own_bounds():
    for name, default in Settings().values().items():
        assert Settings(**{name: default}) == Settings(), name
