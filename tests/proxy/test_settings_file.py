"""A settings file counts as it is now; one that can't be read leaves the settings as they were, and says so."""

from __future__ import annotations

import os

import pytest
from proxy_process import write_settings

from historylab.errors import SettingsError
from historylab.proxy.settings_file import SettingsFile
from historylab.settings.model import Settings


@pytest.fixture
def file(tmp_path):
    return write_settings(tmp_path / "settings.json", Settings(budget=4000))


def test_a_changed_file_is_in_effect_from_then_on(file):
    told = []
    settings = SettingsFile(file)
    assert settings.settings.budget == 4000 and not settings.changed
    write_settings(file, Settings(budget=12_000))
    settings.reread(told.append)
    assert [now.budget for now in told] == [settings.settings.budget] == [12_000]
    settings.reread(told.append)
    assert len(told) == 1


@pytest.mark.parametrize("text", ["", "{", "[]", '{"budget": "many"}', '{"buget": 1}', "HISTORYLAB_BUDGET=-1\n"])
def test_a_file_that_cannot_be_read_leaves_the_settings_as_they_were(file, text, caplog):
    settings, told = SettingsFile(file), []
    file.write_text(text)
    settings.reread(told.append)
    assert settings.settings.budget == 4000 and told == []
    assert str(file) in settings.problem and settings.problem in caplog.text
    write_settings(file, Settings(budget=500))
    settings.reread(told.append)
    assert settings.settings.budget == 500 and settings.problem == ""


def test_a_pipe_in_its_place_keeps_nobody_waiting(file):
    settings = SettingsFile(file)
    file.unlink()
    os.mkfifo(file)
    settings.reread(lambda _: None)
    assert "is no file" in settings.problem


def test_a_file_that_is_gone_for_a_moment_is_read_when_it_is_back(file):
    settings = SettingsFile(file)
    file.unlink()
    settings.reread(lambda _: None)
    assert "cannot be read" in settings.problem and settings.settings.budget == 4000
    write_settings(file, Settings(budget=4000))
    settings.reread(lambda _: None)
    assert settings.problem == ""


def test_a_file_of_another_content_but_the_same_size_and_time_is_noticed_when_replaced(file):
    settings, stamp = SettingsFile(file), os.stat(file)
    other = write_settings(file.with_name("new.json"), Settings(budget=8001))
    os.utime(other, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    other.replace(file)
    settings.reread(lambda _: None)
    assert settings.settings.budget == 8001


def test_the_environment_comes_first(file, monkeypatch):
    monkeypatch.setenv("HISTORYLAB_BUDGET", "700")
    assert SettingsFile(file).settings.budget == SettingsFile().settings.budget == 700


def test_a_file_that_cannot_be_read_at_the_start_is_an_error(tmp_path):
    with pytest.raises(SettingsError, match="cannot be read"):
        SettingsFile(tmp_path / "none.json")
