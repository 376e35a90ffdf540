"""Settings → export → a fresh process's environment → the same settings, for every field and option, however nasty."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from setting_values import candidates

from historylab import export, read_template, resolve_settings
from historylab.registry import members
from historylab.settings.fields import FIELDS_THAT_CHOOSE
from historylab.settings.model import Settings, setting_names
from historylab.settings.names import environment_names


def test_every_setting_takes_part():
    for name in setting_names():
        taken = {settings.value(name) for settings in candidates()}
        assert taken - {Settings().value(name)} or (name in FIELDS_THAT_CHOOSE and len(members(name)) == 1), name


def fresh(code: str, *arguments: str, **environment: str) -> str:
    """What a new Python prints that has only this environment."""
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONUTF8": "1", **environment}
    return subprocess.check_output([sys.executable, "-c", code, *arguments], env=env, text=True, encoding="utf-8")


RESOLVE = """
import json, sys
from pathlib import Path
from historylab import resolve_settings
folder = Path(sys.argv[1])
keys = []
for number in range(int(sys.argv[2])):
    pairs = (folder / f"{number}.environment").read_bytes().decode().split("\\0")
    env = dict(pair.split("=", 1) for pair in pairs if pair)
    resolution = resolve_settings(env=env)
    assert not resolution.refused, resolution.refused
    keys.append(resolution.settings.key)
print(json.dumps(keys))
"""


def resolved(folder: Path) -> list[str]:
    return json.loads(fresh(RESOLVE, str(folder), str(len(candidates()))))


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="there is no sh")
def test_a_shell_that_sources_the_file_passes_the_same_settings_on(tmp_path):
    script = []
    for number, settings in enumerate(candidates()):
        (tmp_path / f"{number}.sh").write_text(export(settings, "shell"), "utf-8")
        script.append(f"(. ./{number}.sh && env -0 > {number}.environment) || exit 1")
    (tmp_path / "all.sh").write_text("set -eu\n" + "\n".join(script))
    subprocess.run(["sh", "all.sh"], cwd=tmp_path, env={"PATH": os.environ["PATH"]}, check=True)
    assert resolved(tmp_path) == [settings.key for settings in candidates()]


@pytest.mark.skipif(os.name == "nt", reason="there is no sh")
def test_a_process_started_by_such_a_shell_has_the_settings_and_they_are_locked(tmp_path):
    settings = candidates()[1]
    (tmp_path / "historylab.sh").write_text(export(settings, "shell"), "utf-8")
    code = (
        "from historylab import resolve_settings; r = resolve_settings();"
        "print(r.settings.key); print(all(p.locked for p in r.provenance.values()))"
    )
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(sys.path), "LC_ALL": "C.UTF-8", "PYTHONUTF8": "1"}
    command = ["sh", "-c", '. ./historylab.sh && exec "$0" -c "$1"', sys.executable, code]
    printed = subprocess.check_output(command, cwd=tmp_path, env=env, text=True, encoding="utf-8")
    assert printed.splitlines() == [settings.key, "True"]


LOAD = """
import os, sys
from pathlib import Path
from dotenv import load_dotenv
folder, before = Path(sys.argv[1]), dict(os.environ)
for number in range(int(sys.argv[2])):
    os.environ.clear()
    load_dotenv(folder / f"{number}.env")
    pairs = (f"{name}={value}" for name, value in os.environ.items())
    (folder / f"{number}.environment").write_bytes("\\0".join(pairs).encode())
"""


@pytest.mark.slow
def test_python_dotenv_loads_the_same_settings(tmp_path):
    for number, settings in enumerate(candidates()):
        (tmp_path / f"{number}.env").write_text(export(settings, "dotenv"), "utf-8")
    fresh(LOAD, str(tmp_path), str(len(candidates())))
    assert resolved(tmp_path) == [settings.key for settings in candidates()]


@pytest.mark.parametrize("target", ["json", "dotenv"])
def test_an_export_is_also_a_template(target):
    for settings in candidates():
        template = read_template(export(settings, target).encode())
        assert resolve_settings(env={}, template=template).settings == settings


def test_every_setting_is_exported_under_all_its_names():
    names = [given for name in setting_names() for given in environment_names(name)]
    for target in ("dotenv", "shell"):
        text = export(Settings(), target)
        assert all(f"{name}=" in text for name in names)


def test_only_what_differs_is_a_choice():
    text = export(Settings(budget=5), "dotenv", only_changed=True)
    assert [line for line in text.splitlines() if not line.startswith("#")] == ["HISTORYLAB_BUDGET=5"]
