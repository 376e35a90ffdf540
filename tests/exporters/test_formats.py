"""Every format read by its own ecosystem's parser gives the same settings, however nasty their values."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess

import pytest
import yaml
from dotenv import dotenv_values
from setting_values import candidates

from historylab import Message, Settings, export, resolve_settings, trim
from historylab.counters.base import open_counter
from historylab.settings.model import setting_names
from historylab.settings.sources import read_template

CANDIDATES = candidates()


def same(settings: Settings, **given) -> None:
    """What resolve_settings makes of it is these settings, with nothing refused."""
    resolution = resolve_settings(**{"env": {}, **given})
    assert not resolution.refused
    assert resolution.settings == settings


def composed(value: str) -> str:
    """What Docker Compose makes of a value; a lone dollar would be a variable's name to it."""
    assert "$" not in value.replace("$$", "")
    return value.replace("$$", "$")


def run(settings: Settings, target: str, **options) -> dict:
    """The names an exported Python file defines."""
    names: dict = {}
    exec(compile(export(settings, target, **options), target, "exec"), names)
    return names


@pytest.mark.parametrize("loader", [yaml.SafeLoader, getattr(yaml, "CSafeLoader", yaml.SafeLoader)])
def test_docker_compose_reads_text_and_replaces_no_variable(loader):
    for settings in CANDIDATES:
        read = yaml.load(export(settings, "docker_compose"), loader)["services"]["app"]["environment"]
        assert all(isinstance(value, str) for value in read.values())
        same(settings, env={name: composed(value) for name, value in read.items()})


@pytest.mark.parametrize("loader", [yaml.SafeLoader, getattr(yaml, "CSafeLoader", yaml.SafeLoader)])
def test_kubernetes_reads_text_under_names_a_configmap_may_have(loader):
    for settings in CANDIDATES:
        read = yaml.load(export(settings, "configmap"), loader)
        assert (read["apiVersion"], read["kind"]) == ("v1", "ConfigMap")
        assert all(
            isinstance(value, str) and re.fullmatch(r"[-._a-zA-Z0-9]+", name) for name, value in read["data"].items()
        )
        same(settings, env=read["data"])


def test_agentdock_reads_its_two_fields_and_we_read_the_rest():
    for settings in CANDIDATES:
        text = export(settings, "agentdock")
        assert json.loads(text)["chatSettings"] == {"historyPolicy": settings.policy, "historyLength": settings.length}
        same(settings, template=read_template(text.encode()))


def test_what_stands_beside_our_part_of_a_template_comes_first():
    template = {"chatSettings": {"historyLength": 3}, "historylab": {"budget": 5, "length": 9}, "budget": 6}
    settings = resolve_settings(env={}, template=template).settings
    assert (settings.length, settings.budget) == (3, 6)


def test_the_python_module_has_the_settings_and_trims_with_them():
    for settings in CANDIDATES:
        names = run(settings, "python")
        assert names["settings"] == settings
        same(settings, you=names["settings"].values())
    messages = [
        {"role": "user", "content": "1"},
        {"role": "assistant", "content": "2"},
        {"role": "user", "content": "3"},
    ]
    settings = Settings(length=1)
    assert run(settings, "python")["to_send"](messages) == trim(messages, settings) == messages[2:]
    assert run(Settings(), "python", only_changed=True)["settings"] == Settings()


def test_the_langchain_file_names_every_setting_with_its_value():
    for settings in CANDIDATES:
        text = export(settings, "langchain")
        ast.parse(text)
        told = dict(re.findall(r"^#   (\S+) = (.*)$", text, re.MULTILINE))
        assert set(told) == set(setting_names())
        same(settings, you={name: ast.literal_eval(value) for name, value in told.items() if value != "None"})


SAID = [("system", "You are kind."), *[(role, f"{role} says {n}") for n in range(9) for role in ("human", "ai")]]
SAID.append(("human", "and now?"))
ROLES = {"human": "user", "ai": "assistant"}


def counted(settings: Settings, messages: list) -> int:
    """Both count the same way, so that the cuts can be compared."""
    counter = open_counter(settings.counter, settings.model)
    return int(counter.count([Message(ROLES.get(m.type, m.type), m.content) for m in messages]).sum())


@pytest.mark.parametrize(
    "settings",
    [
        Settings(length=3, pruner="off"),
        Settings(length=0, pruner="off"),
        Settings(length=3, pruner="off", preserve_system_messages=False),
        Settings(policy="lastMessages", length=5, pruner="off"),
        Settings(policy="all", pruner="off"),
        Settings(policy="none"),
        Settings(policy="all", pruner="sliding_window", **{"pruner.sliding_window.turns": 4}),
        Settings(policy="all", pruner="fifo", budget=60, reserve=7, overhead=3),
    ],
    ids=lambda s: f"{s.policy} {s.length} {s.pruner}",
)
def test_langchain_sends_the_same_messages(settings):
    messages = pytest.importorskip("langchain_core.messages").convert_to_messages(SAID)
    names = run(settings, "langchain")
    names["count_tokens"] = lambda some: counted(settings, some)
    sent = [m.content for m in names["to_send"](messages)]
    dicts = [{"role": ROLES.get(role, role), "content": text} for role, text in SAID]
    assert sent == [m["content"] for m in trim(dicts, settings)]
    assert len(sent) < len(SAID) or settings.policy == "all"


def test_the_heading_says_version_and_tokenizer_and_stays_a_comment():
    settings = Settings(model="a\nb", budget=1)
    for target in ("dotenv", "shell", "docker_compose", "configmap", "python", "langchain"):
        first, second = export(settings, target).splitlines()[:2]
        assert re.match(r"# HistoryLab \d", first)
        assert second == "# Tokens by o200k_base in place of a�b's own tokenizer, an estimate."


HEADINGS = [
    "it's {n}", 'he said "{n}"', "a\\b {n}", "it's a \\ and a \" {n}", "$HOME `{n}`", "{n}\nlines", "a\\b $HOME `{n}`",
    "ends in {n}\\",
]  # fmt: skip


@pytest.mark.parametrize("heading", HEADINGS)
def test_a_shell_reads_the_env_file_as_dotenv_does(heading, tmp_path):
    file = tmp_path / "historylab.env"
    file.write_text(export(Settings(summary_heading=heading), "dotenv"))
    assert read_template(file)["HISTORYLAB_SUMMARY_HEADING"] == heading
    read = ["sh", "-c", f'. "{file}"; printf %s "$HISTORYLAB_SUMMARY_HEADING"']
    assert subprocess.run(read, capture_output=True, text=True, check=True).stdout == heading


@pytest.mark.parametrize("heading", ["it's `touch {n}`", "'; touch $HOME/{n} '", "\\' $(touch {n})", "`touch {n}`\\"])
def test_what_a_shell_and_dotenv_read_differently_is_left_out_and_nothing_in_it_is_run(heading, tmp_path):
    settings = Settings(summary_heading=heading, budget=4321)
    file = tmp_path / "historylab.env"
    file.write_text(export(settings, "dotenv"))
    (said,) = [line for line in file.read_text().splitlines() if "summary_heading" in line]
    assert said.startswith("# Not carried over: summary_heading.")
    assert "shell export" in said
    assert "SUMMARY_HEADING" not in file.read_text()
    found = dotenv_values(file, interpolate=False)
    assert (found["HISTORYLAB_BUDGET"], "HISTORYLAB_SUMMARY_HEADING" in found) == ("4321", False)
    read = ["sh", "-c", f'. "{file}"; printf %s "$HISTORYLAB_BUDGET"']
    done = subprocess.run(read, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert (done.stdout, done.stderr, os.listdir(tmp_path)) == ("4321", "", ["historylab.env"])
    shell = tmp_path / "historylab.sh"
    shell.write_text(export(settings, "shell"))
    read = ["sh", "-c", f'. "{shell}"; printf %s "$HISTORYLAB_SUMMARY_HEADING"']
    assert subprocess.run(read, capture_output=True, text=True, check=True).stdout == heading
