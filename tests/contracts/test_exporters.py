"""Every registered exporter: a file for people, the same each time, with every setting in it."""

from __future__ import annotations

import ast
import io
import json
import re
import shlex
from dataclasses import replace
from functools import cache

import pytest
import yaml
from dotenv import dotenv_values
from every_way import every_way
from setting_values import values
from thirty_turns import thirty_turns

from historylab import Conversation, plan_history, registry, replay
from historylab.errors import UnknownMember
from historylab.exporters.base import FACTS, differences, export
from historylab.formats.messages.chat_messages import to_messages
from historylab.settings.effect import deciding_families, has_effect
from historylab.settings.model import Settings, setting_names
from historylab.settings.names import AGENTDOCK_TEMPLATE, environment_name
from historylab.settings.resolve import resolve_settings

EXPORTERS = sorted(registry.members("exporter"))
SERVER_SIDE = ("anthropic_api", "openai_api")  # what an API does itself, as part of a request
WITHOUT_US = {"agentdock", "langchain", *SERVER_SIDE}  # what reads the file cuts by code of its own


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
    words = {*re.findall(r"\w+", text)}
    for name in setting_names():  # the options of a member may stand under its name
        called = {name.rpartition(".")[2], environment_name(name), AGENTDOCK_TEMPLATE.get(name)}
        assert called & words, name
    assert text.endswith("\n")
    assert text == export(Settings(model="a 'model'", budget=123), target)
    assert "123" in text


@pytest.mark.parametrize("target", EXPORTERS)
def test_an_export_says_the_value_of_every_setting(target):
    """Whatever its language: another value makes it another file."""
    text, default = export(Settings(), target), Settings()
    for name, value in default.values().items():
        others = [other for other in values(name) if other != value][:1]
        assert all(export(default.replace(**{name: other}), target) != text for other in others), name


@pytest.mark.parametrize("target", EXPORTERS)
def test_only_what_differs_can_be_nothing(target):
    assert len(export(Settings(), target, only_changed=True)) < len(export(Settings(), target))


def test_another_target_is_refused_with_the_known_ones():
    with pytest.raises(UnknownMember, match=r"there is no exporter 'xml'; choose one of .*dotenv"):
        export(Settings(), "xml")


# -- what cannot be carried is named

WAYS = {
    **every_way(),
    "a heading no .env can hold": Settings(summary_heading="it's `{n}`", policy="all", pruner="summarize"),
    "options of a pruner": Settings(**{"pruner.fifo.trim_to": 0.5, "pruner.fifo.keep_task": False}),
    "what must stay": Settings(pin="m3*", policy="all", **{"pin.first": 2, "pin.tools": "look*", "pin.roles": "user"}),
    "cleared beyond a size": every_way()["anthropic, tight"].replace(
        **{f"tool_output.clear.{name}": 90 for name in ("trigger", "at_least")},
        **{"tool_output.clear.exclude": "look_up, it's", "tool_output.clear.keep": 1},
    ),
    "the last, no systems": Settings(preserve_system_messages=False, min_turns=2, reserve=7, counter="chars/4"),
}


def done_by_the_api(text: str) -> Settings:
    """Settings that do here what the API is documented to do there."""
    given: dict = {}
    managed = json.loads(text)["request"].get("context_management", [])
    for edit in managed["edits"] if isinstance(managed, dict) else managed:
        if edit["type"] == "clear_tool_uses_20250919":
            assert edit["trigger"]["type"] == "input_tokens" or edit["trigger"]["value"] == edit["keep"]["value"]
            begins = edit["trigger"]["value"] if edit["trigger"]["type"] == "input_tokens" else 0
            at_least = edit.get("clear_at_least", {"value": 0})["value"]
            options = {"keep": edit["keep"]["value"], "batch": 1, "trigger": begins, "at_least": at_least}
            options["exclude"] = ",".join(edit.get("exclude_tools", []))
            given |= {"tool_output": "clear", **{f"tool_output.clear.{n}": value for n, value in options.items()}}
        else:
            begins = edit["compact_threshold"] if edit["type"] == "compaction" else edit["trigger"]["value"]
            options = {"trigger": begins, "messages": 0}
            given |= {f"compaction.preserve_recent.{name}": value for name, value in options.items()}
            given["compaction"] = "preserve_recent"
    return Settings(policy="all", pruner="off", **given)


def from_environment(values: dict) -> Settings:
    return resolve_settings(env=values).settings


def from_shell(text: str) -> Settings:
    if "\nexport " not in text:
        return from_environment(dotenv_values(stream=io.StringIO(text), interpolate=False))
    return from_environment(dict(word.split("=", 1) for word in shlex.split(text, comments=True) if word != "export"))


def from_yaml(text: str) -> Settings:
    read = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # the one in C, in a tenth of the time
    found = read.get("data") or {
        name: value.replace("$$", "$") for name, value in read["services"]["app"]["environment"].items()
    }
    return from_environment(found)


def from_python(text: str) -> Settings:
    tree = ast.parse(text)
    (given,) = [n for n in tree.body if isinstance(n, ast.Assign) and n.targets[0].id == "settings"]
    names = {"Settings": Settings}
    exec(compile(ast.Module([given], []), "settings", "exec"), names)
    return names["settings"]


def from_agentdock(text: str) -> Settings:
    chat = json.loads(text)["chatSettings"]
    order = {"layout": "systems_first"} if chat["historyPolicy"] == "lastN" else {}
    cut = {"policy": chat["historyPolicy"], "length": chat["historyLength"], "policy.lastN.late_results": "drop"}
    return Settings(pruner="off", **order, **cut)


def from_langchain(text: str) -> Settings:
    listed = text.partition("# Carried over:\n")[2].partition("\n\n")[0].splitlines()
    told = dict(line.removeprefix("#   ").split(" = ", 1) for line in listed)
    return Settings(**{name: ast.literal_eval(value) for name, value in told.items()})


def from_template(text: str) -> Settings:
    return resolve_settings(env={}, template=json.loads(text)).settings


OUR_PYTHON = ("python", "anthropic_sdk", "langchain_agents", "langgraph", "litellm", "openai_agents", "pydantic_ai")
READERS = {
    **dict.fromkeys(("dotenv", "shell"), from_shell),
    **dict.fromkeys(("configmap", "docker_compose"), from_yaml),
    **dict.fromkeys(OUR_PYTHON, from_python),
    **dict.fromkeys(SERVER_SIDE, done_by_the_api),
    "json": from_template,
    "agentdock": from_agentdock,
    "langchain": from_langchain,
}
"""By target, the settings in effect where its export is used. Most of the contract holds without one."""


def named(settings: Settings, target: str) -> set[str]:
    """The settings that an export says it doesn't carry."""
    return {name for difference in differences(settings, target) for name in difference.settings}


def is_named(name: str, named: set[str]) -> bool:
    """Whether it is named itself, or what alone reads it is."""
    return name in named or bool(named & deciding_families(name))


@cache
def sent(settings: Settings) -> list:
    timeline = replay(Conversation(to_messages(thirty_turns())), settings)
    return [[(m.role, m.content) for m in plan.render()] for plan in timeline.plans]


@pytest.mark.slow
@pytest.mark.parametrize("target", READERS)
def test_every_setting_is_carried_or_named(target):
    for way, settings in WAYS.items():
        found, said = READERS[target](export(settings, target)), named(settings, target)
        lost = {n for n in setting_names() if has_effect(settings, n) and found.value(n) != settings.value(n)}
        for name in lost:
            assert is_named(name, said) or sent(settings) == sent(settings.replace(**{name: found.value(name)})), way


@pytest.mark.slow
@pytest.mark.parametrize("target", EXPORTERS)
def test_what_is_not_carried_are_settings_and_stands_in_the_file(target):
    for settings in WAYS.values():
        assert named(settings, target) <= set(setting_names())
        if registry.member("exporter", target).attributes["language"] != "json":  # which has no comments
            text = export(settings, target)
            assert all(str(difference) in text for difference in differences(settings, target))


def test_a_file_for_another_tool_says_nothing_where_nothing_differs():
    assert not named(WAYS["agentdock"].replace(budget=5000), "agentdock")
    assert named(Settings(), "agentdock") >= {"pruner", "budget"}
    for target in READERS.keys() - WITHOUT_US:
        assert not named(Settings(), target)


@pytest.mark.parametrize("target", READERS)
def test_a_cut_that_waits_for_a_pause_is_named_where_nothing_notes_the_time(target):
    """LangChain's trim_messages has no such option, AgentDock no such pruner, and an API none at all."""
    waits = Settings(pruner="fifo", **{"pruner.fifo.trim_to": 0.5, "pruner.fifo.when": "cold"})
    assert is_named("pruner.fifo.when", named(waits, target)) == (target in WITHOUT_US)


MEMBERS = [(f, name) for f in ("filter", "projection", "layout", "policy") for name in registry.members(f)]


@pytest.mark.parametrize(("family", "name"), MEMBERS)
def test_a_stage_that_reads_a_fact_about_a_message_declares_it(family, name):
    """Otherwise an export to where messages don't say it could not name it."""
    ids = {"filter.participants.ids": "ann,moss", "projection.point_of_view.agent": "moss"}
    settings = Settings(pruner="off", **{"policy": "all", family: name}, **ids)
    told = [
        replace(m, timestamp=f"2026-01-01T{k // 10:02}:00:00", metadata=said_where(k))
        for k, m in enumerate(to_messages(thirty_turns(room=True)))
    ]

    def sent(messages):
        return [(m.role, m.content) for m in plan_history(Conversation(messages), settings).render()]

    fields = {"name": {"name": None}, "time": {"timestamp": None}}
    all_told, read = sent(told), set()
    for fact in FACTS:
        plain = [{"metadata": {k: v for k, v in m.metadata.items() if k != fact}} for m in told]
        if sent([replace(m, **fields.get(fact, less)) for m, less in zip(told, plain, strict=True)]) != all_told:
            read.add(fact)
    assert read == {*registry.member(family, name).attributes.get("facts", ())}


def said_where(k: int) -> dict:
    return {"mentions": ["moss"] if k % 3 else ["fern"], "scope": "channel" if k % 2 else "dm", "thinking": f"Hm, {k}."}
