"""What a source says, written out as text that can be edited: variables, a query, a template, or `name=value` lines."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from historylab.errors import SettingsError
from historylab.settings.link import OURS
from historylab.settings.model import did_you_mean, setting_names
from historylab.settings.names import (
    AGENTDOCK_TEMPLATE,
    ENVIRONMENT_PREFIX,
    OWN_PART,
    STRICT_ENVIRONMENT,
    as_text,
    by_environment_name,
    by_url_name,
)
from historylab.settings.sources import query_parameters, read_template

LONGEST = 20_000  # characters of a text


@dataclass(frozen=True, slots=True)
class Layer:
    """The values that a text gives a source, by their names there, and what of it could not be read."""

    values: Mapping[str, Any]
    problems: tuple[str, ...] = ()


def write_layer(source: str, values: Mapping[str, Any]) -> str:
    """The values of a source as such a text; of environment and template only the settings: the rest is private."""
    if source == "environment":
        known = (*by_environment_name(), STRICT_ENVIRONMENT)
        values = {name: values[name] for name in known if name in values}
    if source == "url":
        return urlencode({name: as_text(value) for name, value in values.items()}, safe=":,;")
    if source == "template":
        values = _settings_in(values)
        return json.dumps(values, indent=2, ensure_ascii=False, default=str) if values else ""
    return "\n".join(f"{name}={as_text(value)}" for name, value in values.items())


def _settings_in(template: Mapping[str, Any]) -> dict[str, Any]:
    """The part of a template that settings are read from: a `.env` or AgentDock's JSON may hold keys, too."""
    known = {*setting_names(), *by_environment_name(), STRICT_ENVIRONMENT}
    parts = {"chatSettings": {*AGENTDOCK_TEMPLATE.values()}, OWN_PART: known}
    found = {}
    for name, value in template.items():
        if name in known:
            found[name] = value
        elif name in parts and isinstance(value, Mapping):
            found[name] = {inner: said for inner, said in value.items() if inner in parts[name]}
    return found


def read_layer(source: str, text: str) -> Layer:
    """The values in a text that was written or edited."""
    if len(text) > LONGEST:
        return Layer({}, (f"It has {len(text):,} characters; at most {LONGEST:,} are read",))
    if source == "url":
        return _query(text)
    if source == "template":
        return _template(text)
    found, problems = _lines(text)
    if source == "environment":
        problems += [problem for name in found if (problem := _not_read(name))]
    return Layer(found, tuple(problems))


def _query(text: str) -> Layer:
    found = {name: values[0] for name, values in query_parameters("".join(text.split())).items()}
    known = (*by_url_name(), *OURS)
    unknown = (name for name in found if name not in known)
    return Layer(found, tuple(f"No setting is called {name:.40}{did_you_mean(name, known)}" for name in unknown))


def _template(text: str) -> Layer:
    try:
        return Layer(read_template(text.encode("utf-8", "replace")) if text.strip() else {})
    except SettingsError as problem:
        return Layer({}, (f"It says nothing, because {problem}",))


def _lines(text: str) -> tuple[dict[str, str], list[str]]:
    found, problems = {}, []
    for number, line in _numbered_lines(text):
        name, equals, value = line.removeprefix("export ").partition("=")
        if equals and name.strip():
            found[name.strip()] = _unquote(value.strip())
        else:
            problems.append(f"Line {number:,} is no NAME=value")
    return found, problems


def _numbered_lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            yield number, line.strip()


def _unquote(value: str) -> str:
    quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
    return value[1:-1] if quoted else value


def _not_read(name: str) -> str:
    """What to say of a variable that isn't ours; one of ours that isn't known is refused with the settings."""
    known = by_environment_name()
    if name in known or name.startswith(ENVIRONMENT_PREFIX):
        return ""
    return f"No setting is read from {name:.60}{did_you_mean(ENVIRONMENT_PREFIX + name.upper(), known)}"
