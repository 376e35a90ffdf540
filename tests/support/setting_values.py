"""Values to try for every setting, in one place: by its type and bounds, and where that is not enough by name.

A new setting needs nothing here, unless its values are texts of a form of its own, or nothing happens in a short
conversation but at certain numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from historylab.registry import SEVERAL, members
from historylab.settings.fields import FIELDS_THAT_CHOOSE
from historylab.settings.model import Settings, setting_names, stage_options

NASTY = [
    "it's", 'a "b" c', "$HOME", "a$b", "`id`", "$(id)", "back\\slash", "ends in \\", "a\nb", "\n", " spaces ",
    "tab\there", "漢字 مرحبا 😀", "#no comment", "a # b", "a=b", "!bang", "~", "*", "-n", "\\n", "''", "%41", "&x=1;y",
    "null", "x" * 200, "\\'", "\x1b[0m\x7f", "\u202e\u2028", "{a}", "a,b",
]  # fmt: skip
TAME = "user,narrator"  # where people are named, two of a drawn conversation's
BY_NAME: Mapping[str, list[Any]] = {
    "length": [0, 1, 2, 5, 10**6, 10**15 + 1, 2**53 + 1],
    "budget": [0, 1, 30, 60, 100, 200, 400, 2000, 10**9],
    "window": [1, 100, 10_000, 128_000],
    "threshold": [1e-9, 0.01, 0.1 + 0.2, 1.0],
    "counter_factor": [0.1, 0.6, 1.19, 1.397, 10.0],
    "pin": [
        "m4*", "m7 m7*|result", 'it\'s|a "b" c|*漢字', "$HOME *|b\\slash|`id`", "# a|a=b;c,d|%41 &x|-n", "end in \\|!",
    ],
    "pin.roles": ["user", "tool,assistant", "system,tool"],
    "pin.tools": ["look*", "mcp__*", "it's,漢字", "$x,`id`"],
}  # fmt: skip


@cache
def values(name: str) -> tuple[Any, ...]:
    """Values of a field or option, small ones first; its default may be among them."""
    if name in FIELDS_THAT_CHOOSE:
        return (*members(name), *(["+".join(members(name))] if name in SEVERAL else []))
    if name in BY_NAME:
        return tuple(BY_NAME[name])
    schema = stage_options()[name].schema if "." in name else Settings.model_json_schema()["properties"][name]
    found = tuple(_by_type(schema))
    assert found, f"give some values of {name!r} in BY_NAME of tests/support/setting_values.py"
    return found


@cache
def candidates() -> tuple[Settings, ...]:
    """Settings that between them take every value of every setting, none of them at its default."""
    default = Settings()
    others = {name: [v for v in values(name) if v != default.value(name)] for name in setting_names()}
    varied = {name: found for name, found in others.items() if found}
    rows = range(max(map(len, varied.values())))
    return tuple(Settings(**{name: found[row % len(found)] for name, found in varied.items()}) for row in rows)


def _by_type(schema: Mapping[str, Any]) -> list[Any]:
    low, high = schema.get("minimum", schema.get("exclusiveMinimum", 0)), schema.get("maximum", 10**9)
    if "enum" in schema:
        return list(schema["enum"])
    match schema.get("type"):
        case "integer":
            return sorted({v for v in (low, 1, 2, 3, 10, 10_000, high) if low <= v <= high})
        case "number":
            return [low + (high - low) * share for share in (0.05, 0.3, 0.7, 1)]
        case "boolean":
            return [False, True]
        case "string":
            least, most = schema.get("minLength", 0), schema.get("maxLength", 10**6)
            return [text for text in [TAME, *NASTY] if least <= len(text) <= most]
    return [value for kind in schema.get("anyOf", ()) for value in _by_type(kind)]
