"""The recorded cases of the five published systems: read, placeholders filled in, options under their Python names.

What the keys of a case mean is in tests/systems/vectors/README.md. Cases in which ours differs from what was published
are listed in docs/systems.md: there and nowhere else the decided result is the right one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

VECTORS = Path(__file__).parents[1] / "systems" / "vectors"
DOCUMENT = Path(__file__).parents[2] / "docs" / "systems.md"
LISTED = re.compile(
    r"^\| (?P<system>[a-z]+) \| `(?P<function>[^`]+)` \| (?P<name>[^|]+) \| [^|]{10,} \|$", re.MULTILINE
)
UNDEFINED = "__undefined__"
NUMBERS = {"__NaN__": float("nan"), "__Infinity__": float("inf")}


def recorded(system: str, *functions: str) -> Any:
    """A parametrize mark over the system's cases of these published functions, as argument `case`."""
    cases = [case for case in all_cases(system) if case["function"] in functions]
    return pytest.mark.parametrize("case", cases, ids=[f"{c['basis']}: {c['name']}" for c in cases])


def all_cases(system: str) -> list[dict[str, Any]]:
    """Every case of the system, which knows its system and whether ours is said to differ from what was published."""
    cases = [filled(case) | {"system": system} for case in json.loads((VECTORS / f"{system}.json").read_text("utf-8"))]
    return [case | {"differs": identity(case) in differing()} for case in cases]


def identity(case: dict) -> tuple[str, str, str]:
    return case["system"], case["function"], case["name"]


@cache
def differing() -> frozenset[tuple[str, str, str]]:
    """(system, function, name) of the cases that docs/systems.md lists as different from what was published."""
    return frozenset(LISTED.findall(DOCUMENT.read_text("utf-8")))


def filled(value: Any) -> Any:
    """The value with its placeholders replaced by what they stand for."""
    if isinstance(value, str):
        return NUMBERS.get(value, value)
    if isinstance(value, list):
        return [filled(item) for item in value]
    if isinstance(value, dict):
        return "".join([value["repeat"][0]] * value["repeat"][1]) if set(value) == {"repeat"} else _filled_dict(value)
    return value


def options_of(case: dict) -> dict[str, Any]:
    """The options given, by their Python names."""
    return {snake_case(name): value for name, value in case["options"].items() if value != UNDEFINED}


def snake_case(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])[A-Z]", lambda found: "_" + found[0].lower(), name)


def right(case: dict) -> Any:
    """The one result that is right: what was published, or in a case that is listed as different what was decided."""
    return case["expected_decision" if case["differs"] else "expected"]


def same_objects(returned: Iterable[Any], given: Iterable[Any]) -> bool:
    """Whether every message returned is one of the caller's own objects, not an equal copy."""
    return {id(message) for message in returned} <= {id(message) for message in given}


def _filled_dict(value: dict) -> dict:
    return {key: filled(item) for key, item in value.items()}
