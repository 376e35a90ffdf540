"""Every registered exporter: a file for people, the same each time, with every setting in it."""

from __future__ import annotations

import pytest

from historylab import registry
from historylab.errors import UnknownMember
from historylab.exporters.base import export
from historylab.settings.model import Settings, setting_names
from historylab.settings.names import AGENTDOCK_TEMPLATE, environment_name

EXPORTERS = sorted(registry.members("exporter"))


@pytest.mark.parametrize("target", EXPORTERS)
def test_an_exporter_says_what_file_it_writes(target):
    attributes = registry.member("exporter", target).attributes
    assert attributes["title"]
    assert attributes["file_name"]
    assert not attributes["file_name"].startswith(".")  # browsers strip a leading dot
    assert "/" in attributes["mime"]
    assert attributes["language"]


@pytest.mark.parametrize("target", EXPORTERS)
def test_an_export_names_every_setting_and_never_changes(target):
    settings = Settings(model="a 'model'", budget=123)
    text = export(settings, target)
    for name in setting_names():
        called = (f'"{name}"', f" {name}", environment_name(name), AGENTDOCK_TEMPLATE.get(name, name))
        assert any(each in text for each in called), name
    assert text.endswith("\n")
    assert text == export(Settings(model="a 'model'", budget=123), target)
    assert "123" in text


@pytest.mark.parametrize("target", EXPORTERS)
def test_only_what_differs_can_be_nothing(target):
    assert len(export(Settings(), target, only_changed=True)) < len(export(Settings(), target))


def test_another_target_is_refused_with_the_known_ones():
    with pytest.raises(UnknownMember, match=r"there is no exporter 'xml'; choose one of .*dotenv"):
        export(Settings(), "xml")
