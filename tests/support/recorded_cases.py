"""The recorded cases of the five published systems: read, placeholders filled in, options under their Python names.

What the keys of a case mean is in tests/systems/vectors/README.md.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

VECTORS = Path(__file__).parents[1] / "systems" / "vectors"
UNDEFINED = "__undefined__"
NUMBERS = {"__NaN__": float("nan"), "__Infinity__": float("inf")}


def recorded(system: str, *functions: str) -> Any:
    """A parametrize mark over the system's cases of these published functions, as argument `case`."""
    cases = [
        filled(c) for c in json.loads((VECTORS / f"{system}.json").read_text("utf-8")) if c["function"] in functions
    ]
    return pytest.mark.parametrize("case", cases, ids=[f"{c['basis']}: {c['name']}" for c in cases])


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


def accepted(case: dict) -> list[Any]:
    """The results that are right: what was published and, where there is one, what was decided."""
    return [case[key] for key in ("expected", "expected_decision") if key in case]


def same_objects(returned: Iterable[Any], given: Iterable[Any]) -> bool:
    """Whether every message returned is one of the caller's own objects, not an equal copy."""
    return {id(message) for message in returned} <= {id(message) for message in given}


def _filled_dict(value: dict) -> dict:
    return {key: filled(item) for key, item in value.items()}
