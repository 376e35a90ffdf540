"""Sources of settings: the environment, the user, the URL, a template and the open file. Each yields raw values.

A template is AgentDock's JSON (`{"chatSettings": {…}}`, all other settings under `historylab`), our own JSON, or an
exported `.env` file.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from pydantic import TypeAdapter, ValidationError

from historylab.errors import SettingsError, needs
from historylab.settings.model import setting_names
from historylab.settings.names import (
    AGENTDOCK_TEMPLATE,
    ENVIRONMENT_PREFIX,
    NOT_IN_LINKS,
    NOT_SETTINGS,
    OWN_PART,
    STRICT_ENVIRONMENT,
    SYSTEM,
    VERSION,
    WHY_NOT_IN_LINKS,
    by_environment_name,
    by_url_name,
    environment_names,
    is_ours,
    setting_of,
)

SOURCES = ("environment", "you", "url", "template", "recorded", "default")
"""Highest precedence first."""
SUGGESTIONS = ("budget", "policy")
"""Of the settings below those that no file records: together they say that nothing is cut, or where to."""
FROM_A_RECORDING = ("model", "window", "overhead", "counter_factor", *SUGGESTIONS)
"""The settings that a file may bring: facts of the model and its requests, and what suits them."""
SUGGESTED = "suggested for this file"
"""The name of a suggestion."""
LARGEST_TEMPLATE = 1_000_000  # bytes


@dataclass(frozen=True, slots=True)
class Given:
    """A raw value under its name in the source. `setting` is "" for an unknown name; `problem`: why it is refused."""

    source: str
    setting: str
    name: str
    raw: Any
    problem: str = ""


def from_environment(env: Mapping[str, str]) -> Iterator[Given]:
    """Per setting `HISTORYLAB_…` before AgentDock's variable. Unknown `HISTORYLAB_` names are yielded as refused."""
    ours = {name: setting_of(name) for name in sorted(env) if is_ours(name)}
    for setting in dict.fromkeys(filter(None, ours.values())):
        for name in environment_names(setting):
            if name in env:
                yield Given("environment", setting, name, env[name])
    if STRICT_ENVIRONMENT in env and strict_by_environment(env) is None:
        yield Given("environment", "", STRICT_ENVIRONMENT, env[STRICT_ENVIRONMENT], "write true or false")
    for name, setting in ours.items():
        if not setting and name not in NOT_SETTINGS:
            yield Given("environment", "", name, env[name], _unknown(name, by_environment_name()))


def strict_by_environment(env: Mapping[str, str]) -> bool | None:
    """Whether the environment itself says that it is strict; None if it doesn't say, or not in words for yes or no."""
    try:
        return _yes_or_no().validate_python(env.get(STRICT_ENVIRONMENT))
    except ValidationError:
        return None


@cache
def _yes_or_no() -> TypeAdapter[bool]:
    return TypeAdapter(bool)


def from_url(url: str | Mapping[str, Any]) -> Iterator[Given]:
    """From a query string, a whole URL or a mapping. Of a repeated parameter the first value counts.

    A mapping may hold under `system` and `v` what those imply, which comes after what is said itself.
    """
    parameters = query_parameters(url)
    for name, setting in by_url_name().items():
        values = parameters.get(name)
        if values:
            yield Given("url", setting, name, values[0], WHY_NOT_IN_LINKS if setting in NOT_IN_LINKS else "")
    for name in (SYSTEM, VERSION):
        yield from _implied_values("url", name, (parameters.get(name) or [None])[0])


def _implied_values(source: str, name: str, values: Any) -> Iterator[Given]:
    """From the values by URL name that `system` or `v` implies, if they were added."""
    for parameter, raw in values.items() if isinstance(values, Mapping) else ():
        if setting := by_url_name().get(parameter):
            yield Given(source, setting, name, raw)


def query_parameters(url: str | Mapping[str, Any]) -> dict[str, list[Any]]:
    """Parameter → values of a query string (a leading `?` or `&` is allowed), a whole URL or a mapping."""
    if isinstance(url, Mapping):
        return {name: list(v) if isinstance(v, list | tuple) else [v] for name, v in url.items()}
    before, mark, after = url.partition("#")[0].partition("?")
    whole_url = mark and "=" not in before  # a later "?" is part of a value
    return parse_qs((after if whole_url else url.partition("#")[0]).lstrip("?&"), keep_blank_values=True)


def from_template(template: Mapping[str, Any]) -> Iterator[Given]:
    """From AgentDock's `chatSettings`, our JSON (settings by name) or a `.env` (environment names)."""
    if not isinstance(template, Mapping):
        raise SettingsError(f"a template is an object with settings, not {type(template).__name__} {template!r:.60}")
    chat = template.get("chatSettings", {})
    chat = chat if isinstance(chat, Mapping) else {}
    if isinstance(ours := template.get(OWN_PART), Mapping):
        template = {**ours, **template}
    by_environment = by_environment_name()
    for setting, name in AGENTDOCK_TEMPLATE.items():
        if name in chat:
            yield _from_chat_settings(setting, name, chat[name])
    for setting in setting_names():
        for name in (setting, *environment_names(setting)):
            if name in template:
                yield Given("template", setting, name, template[name])
    if STRICT_ENVIRONMENT in template:
        raw = template[STRICT_ENVIRONMENT]
        yield Given("template", "", STRICT_ENVIRONMENT, raw, "only the environment itself can be strict")
    known = {*setting_names(), *by_environment}
    for name, raw in template.items():
        if name.startswith(ENVIRONMENT_PREFIX) and name not in by_environment and name not in NOT_SETTINGS:
            yield Given("template", "", name, raw, _unknown(name, by_environment))
        elif not chat and name not in known and get_close_matches(name[:80], known, n=1, cutoff=0.75):
            yield Given("template", "", name, raw, _unknown(name, known))


def _unknown(name: str, known: Iterable[str]) -> str:
    """Why an unknown name is refused, with the nearest known one."""
    by_word = {other.removeprefix(ENVIRONMENT_PREFIX): other for other in known}
    near = get_close_matches(name.removeprefix(ENVIRONMENT_PREFIX)[:80], by_word, n=1, cutoff=0.75)
    return f"there is no such setting{f'; did you mean {by_word[near[0]]}?' if near else ''}"


def from_you(you: Mapping[str, Any]) -> Iterator[Given]:
    """From the choices made on screen, by setting name; under `system` by URL name what a chosen system decides."""
    known = set(setting_names())
    for name, raw in you.items():
        if name in known:
            yield Given("you", name, name, raw)
        elif name != SYSTEM or not isinstance(raw, Mapping):
            yield Given("you", "", name, raw, "there is no such setting")
    yield from _implied_values("you", SYSTEM, you.get(SYSTEM))


def from_recorded(recorded: Mapping[str, Any]) -> Iterator[Given]:
    """From what the open file was recorded with, by setting name, and what is suggested for it."""
    for name, raw in recorded.items():
        if name in FROM_A_RECORDING:
            yield Given("recorded", name, SUGGESTED if name in SUGGESTIONS else "recorded", raw)
        else:
            known = name if name in setting_names() else ""
            yield Given("recorded", known, name, raw, f"a file decides only {', '.join(FROM_A_RECORDING)}")


def read_template(source: str | os.PathLike[str] | bytes) -> dict[str, Any]:
    """Read a template from a path or bytes. Raises SettingsError saying what was found instead."""
    shown = "the text" if isinstance(source, bytes) else str(source)
    text = _text(source, shown)
    if text.lstrip().startswith(("{", "[")):
        return _json_template(text, shown)
    return _dotenv_template(text, shown)


def _from_chat_settings(setting: str, name: str, raw: Any) -> Given:
    """AgentDock's template accepts a number for the length, never text."""
    number = isinstance(raw, int | float) and not isinstance(raw, bool)
    problem = "not a number; write it without quotes, such as 20" if setting == "length" and not number else ""
    return Given("template", setting, f"chatSettings.{name}", raw, problem)


def _text(source: str | os.PathLike[str] | bytes, shown: str) -> str:
    try:
        if not isinstance(source, bytes):
            if (size := Path(source).stat().st_size) > LARGEST_TEMPLATE:
                raise SettingsError(f"{shown} has {size:,} bytes: too large for settings")
            source = Path(source).read_bytes()
        return source.decode("utf-8-sig")
    except OSError as problem:
        raise SettingsError(f"{shown} cannot be read: {problem.strerror or problem}") from None
    except UnicodeDecodeError:
        raise SettingsError(f"{shown} is not text; settings are a .env or a JSON file") from None


def _json_template(text: str, shown: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as problem:
        at = f" at line {problem.lineno}, column {problem.colno}" if isinstance(problem, json.JSONDecodeError) else ""
        raise SettingsError(f"{shown} is not valid JSON{at}; it may be cut short") from None
    if not isinstance(found, dict):
        raise SettingsError(f"{shown} holds a JSON list; settings are an object")
    return _with_settings(found, shown)


def _dotenv_template(text: str, shown: str) -> dict[str, Any]:
    with needs("python-dotenv", "reading a .env file"):
        from dotenv.parser import parse_stream

    found: dict[str, Any] = {}
    for line in parse_stream(io.StringIO(text)):
        name, value = as_a_shell(line.original.string) if line.error else (line.key, line.value)
        if name and value is not None:
            found[name] = value
        elif line.error and ENVIRONMENT_PREFIX in (written := line.original.string.strip()).partition("=")[0]:
            raise SettingsError(f"{shown}, line {line.original.line}: {written!r:.80} can't be read as NAME=VALUE")
    return _with_settings(found, shown)


def as_a_shell(line: str) -> tuple[str, str | None]:
    """Name and value of an assignment that only a shell reads, such as `export A='it'"'"'s'`; none if it is no such."""
    with contextlib.suppress(ValueError):
        words = shlex.split(line, comments=True)
        name, equals, value = words[-1].partition("=") if words and words[:-1] in ([], ["export"]) else ("", "", "")
        return name, value if equals else None
    return "", None


def _with_settings(found: dict[str, Any], shown: str) -> dict[str, Any]:
    if not any(True for _ in from_template(found)):
        named = ", ".join(map(str, list(found)[:5])) or "nothing"
        raise SettingsError(
            f"{shown} holds no settings (found {named}); give a .env, what Export wrote, or AgentDock's template"
        )
    return found
