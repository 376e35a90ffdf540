"""Settings written into the file that a proxy reads: what else stands in it stays, and it is never half written."""

from __future__ import annotations

import json
import os
import stat

import pytest

from historylab import Settings
from historylab.errors import SettingsError
from historylab.exporters.base import export
from historylab.exporters.settings_file import write_settings
from historylab.settings.resolve import settings_in_file

NOW = Settings(policy="lastN", length=7, budget=900, pin="order *", **{"pruner.fifo.unit": "block"})
SETTING_FILES = {
    "ours.json": '{"budget": 5000, "pruner": "sliding_window"}',
    "nested.json": '{"historylab": {"budget": 5000}}',
    "agent.json": '{"name": "Ana", "chatSettings": {"historyPolicy": "all", "welcome": "hi"}, "tools": ["ferry"]}',
    ".env": "# keys\nOPENAI_API_KEY=sk-1\nexport HISTORYLAB_BUDGET=5000\nNEXT_PUBLIC_DEFAULT_HISTORY_LENGTH=3",
}


@pytest.mark.parametrize("name", SETTING_FILES)
@pytest.mark.parametrize("settings", [NOW, Settings()], ids=["others", "the defaults"])
def test_a_file_in_any_form_means_the_settings_written_into_it(tmp_path, name, settings):
    file = tmp_path / name
    file.write_text(SETTING_FILES[name])
    write_settings(file, settings)
    assert settings_in_file(file).values() == settings.values()
    assert [found.name for found in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("target", ["dotenv", "shell", "json", "agentdock"])
def test_what_export_wrote_is_written_again(tmp_path, target):
    file = tmp_path / "settings"
    file.write_text(export(Settings(budget=5000, pin="it's *"), target))
    write_settings(file, NOW)
    assert settings_in_file(file).values() == NOW.values()
    assert ("export HISTORYLAB_BUDGET=900" in file.read_text()) is (target == "shell")


def test_what_is_not_ours_stays(tmp_path):
    for name in (".env", "agent.json"):
        (tmp_path / name).write_text(SETTING_FILES[name])
        write_settings(tmp_path / name, NOW)
    assert (tmp_path / ".env").read_text().startswith("# keys\nOPENAI_API_KEY=sk-1\n")
    agent = json.loads((tmp_path / "agent.json").read_text())
    assert (agent["name"], agent["tools"]) == ("Ana", ["ferry"])
    assert agent["chatSettings"] == {"welcome": "hi", "historyPolicy": "lastN", "historyLength": 7}


def test_the_file_keeps_its_rights_and_a_link_to_it_stays_a_link(tmp_path):
    file, link = tmp_path / "ours.json", tmp_path / "link.json"
    file.write_text(SETTING_FILES["ours.json"])
    file.chmod(0o640)
    link.symlink_to(file)
    write_settings(link, NOW)
    assert link.is_symlink()
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert settings_in_file(file).values() == NOW.values()


def test_what_cannot_be_written_leaves_the_file_as_it_was(tmp_path, monkeypatch):
    file = tmp_path / ".env"
    file.write_text(SETTING_FILES[".env"])
    with pytest.raises(SettingsError, match="HISTORYLAB_PIN; use a JSON file"):
        write_settings(file, Settings(pin="it's $5"))
    monkeypatch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(SettingsError, match=r"\.env cannot be written: No space left"):
        write_settings(file, NOW)
    assert file.read_text() == SETTING_FILES[".env"]
    assert [found.name for found in tmp_path.iterdir()] == [".env"]


def test_a_file_that_is_gone_or_broken_is_named(tmp_path):
    (tmp_path / "cut.json").write_text('{"budget": 5')
    for name, why in (("gone.json", "cannot be written"), ("cut.json", "not valid JSON")):
        with pytest.raises(SettingsError, match=why):
            write_settings(tmp_path / name, NOW)
