"""The settings reference: a table of every field and option, generated from their definitions.

python -m historylab.settings.reference > docs/settings.md
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from historylab import registry
from historylab.settings.fields import FIELDS_THAT_CHOOSE
from historylab.settings.model import Settings, setting_names, stage_options
from historylab.settings.names import NOT_IN_LINKS, environment_names, url_name
from historylab.settings.pin import PIN_OPTIONS

INTRODUCTION = """# Settings

<!-- Generated from the definitions by `python -m historylab.settings.reference`. -->

Every setting can come from the environment, the choice on screen, the URL, the template or the default, in that order,
per field and by presence (a 0 from the environment wins). Between template and default stands the open file, which
decides at most the model, its window, the overhead, the tokenizer correction, and a budget and a policy that suit it
(what fits its window opens untrimmed; a `length` that anything sets takes that policy back). An unreadable value is
refused with a reason, and the next source decides. Numbers are plain decimals: `4000`, not `4_000` or `4,000`.
`HISTORYLAB_STRICT_ENVIRONMENT=true` is no setting; it [shuts out](systems.md#a-strict-environment) the choice on screen
and the URL. `filter` and `tool_output` take several names joined by `+`, which run in that order.
"""
PINS = """A text matches wherever a message says it, in upper or lower case and however lines break, with whole words
at its ends unless a `*` is there; where a text has a `|` in it, write a `*` in its place. A call stays with its
results, and no stage shortens what must stay. `pin` and its options are never in a link and never taken from one, but
for `pin.agent_context`: what Claude Code, Codex, Cursor, aider, Gemini CLI or OpenHands tell the model in messages of
the user. Such a message is known by its frame, kept whole, and let go when a later one says all of it again; a filter
comes first."""


def settings_page() -> str:
    """The whole page as Markdown."""
    options = stage_options()
    fields = [name for name in setting_names() if name not in options]
    parts = [INTRODUCTION, "## Fields\n", reference_table({name: _schema_of_field(name) for name in fields})]
    parts += ["\n## `pin`\n", PINS, "", options_table(PIN_OPTIONS)]
    for family in FIELDS_THAT_CHOOSE:
        parts += [f"\n## `{family}`\n", member_lines(family)]
        own = {name: option for name, option in options.items() if name.startswith(f"{family}.")}
        if own:
            parts += ["", options_table(own)]
    return "\n".join(parts) + "\n"


def options_table(options: Mapping[str, registry.Option]) -> str:
    """One row per option."""
    return reference_table({name: {**option.schema, "description": option.help} for name, option in options.items()})


def reference_table(schemas: Mapping[str, Mapping[str, Any]]) -> str:
    """One row per setting: name, values, default, description, environment and URL names."""
    rows = ["| setting | values | default | what it does | environment | URL |", "|---|---|---|---|---|---|"]
    for name, schema in schemas.items():
        environment = "<br>".join(f"`{given}`" for given in environment_names(name))
        default = Settings().value(name)
        shown = "" if default is None or default == "" else f"`{default}`"
        what = " ".join(str(schema.get("description", "")).split()).replace("|", "\\|")
        url = "" if name in NOT_IN_LINKS else f"`{url_name(name)}`"
        rows.append(f"| `{name}` | {_values(name, schema)} | {shown} | {what} | {environment} | {url} |")
    return "\n".join(rows)


def member_lines(family: str) -> str:
    """One line per member."""
    return "\n".join(f"* `{name}`: {member.summary}" for name, member in sorted(registry.members(family).items()))


def _schema_of_field(name: str) -> Mapping[str, Any]:
    schema: Mapping[str, Any] = Settings.model_json_schema()["properties"][name]
    return schema


def _values(name: str, schema: Mapping[str, Any]) -> str:
    if name in FIELDS_THAT_CHOOSE:
        return f"[see below](#{name})"
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    kind = next((s for s in schema.get("anyOf", [schema]) if s.get("type") != "null"), schema)
    low = kind.get("minimum", kind.get("exclusiveMinimum"))
    high = kind.get("maximum", kind.get("exclusiveMaximum"))
    words = {"integer": "whole number", "number": "number", "boolean": "`true`, `false`", "string": "text"}
    bounds = "" if low is None else f", {low:,} or more" if high is None else f", {low:,} to {high:,}"
    return words.get(kind.get("type", ""), "") + bounds


if __name__ == "__main__":
    print(settings_page(), end="")
