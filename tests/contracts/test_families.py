"""Every registered member of every family says what it does, and each option what it is and between which bounds."""

from __future__ import annotations

import inspect

import pytest

from historylab import registry
from historylab.errors import SettingsError, UnknownMember
from historylab.settings.fields import FIELDS_THAT_CHOOSE
from historylab.settings.model import setting_names

MEMBERS = [(family, name) for family in registry.FAMILIES for name in sorted(registry.members(family))]
ON_SCREEN = (*FIELDS_THAT_CHOOSE, "generator")  # where a number needs both ends


def test_a_member_says_in_one_line_what_it_does():
    for family, name in MEMBERS:
        summary = registry.member(family, name).summary
        assert summary.endswith((".", ":")) or family in ("exporter", "format", "generator"), (family, name)
        assert 5 < len(summary) < 160, (family, name)
        assert "\n" not in summary, (family, name)


def test_what_settings_choose_stands_in_a_file_of_its_name():
    """So that choosing it imports no other; `off` is in every slot."""
    for family, name in MEMBERS:
        if family in FIELDS_THAT_CHOOSE and name != "off":
            file_name = registry.member(family, name).target.__module__.rpartition(".")[2]
            assert registry.members_in_file(family, file_name), (family, name)
            assert file_name == registry.file_name_of(name), (family, name)


def test_what_a_member_reads_are_settings():
    """Only the choice of such a member gives a setting an effect."""
    known = {*setting_names()}
    for family, name in MEMBERS:
        reads = registry.member(family, name).reads
        assert {*reads} <= known, (family, name)
        assert len({*reads}) == len(reads), (family, name)
        assert not reads or family in FIELDS_THAT_CHOOSE, (family, name)


@pytest.mark.parametrize("family", ON_SCREEN)
def test_members_one_chooses_between_are_called_differently(family):
    titles = [member.title for member in registry.members(family).values()]
    assert len(set(titles)) == len(titles)
    assert all((1 < len(title) < 40 and title[0].isupper()) or title.startswith("toolpack") for title in titles)


def test_an_option_has_a_description_and_a_default_within_its_bounds():
    for family, name in MEMBERS:
        for option in registry.member(family, name).options:
            which, schema = (family, name, option.name), option.schema
            assert option.help, f"an Annotated[…, Field(description=…)] for {which}"
            must_be_given = option.default is inspect.Parameter.empty
            assert must_be_given or option.parse(option.default) == option.default, which
            if schema.get("type") in ("integer", "number") and family in ON_SCREEN:
                assert "minimum" in schema or "exclusiveMinimum" in schema, which
                assert "maximum" in schema or "exclusiveMaximum" in schema, which


@pytest.mark.parametrize("family", registry.FAMILIES)
def test_an_unknown_member_is_refused_with_the_known_ones(family):
    with pytest.raises(UnknownMember, match=f"there is no {family} 'nobody'"):
        registry.member(family, "nobody")


def test_two_files_cannot_define_the_same_member():
    def fifo(plan, context):
        """Another one."""

    with pytest.raises(SettingsError, match="pruner 'fifo' is defined in both"):
        registry.register("pruner")(fifo)


def test_reads_are_several_names_not_one_text():
    def careless(plan, context):
        """Reads a setting."""

    with pytest.raises(SettingsError, match=r'give a tuple: reads=\("length",\)'):
        registry.register("pruner", reads="length")(careless)
