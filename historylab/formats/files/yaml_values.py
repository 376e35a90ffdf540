"""YAML documents as values. Needs PyYAML; a few lines can stand for gigabytes, so what they stand for is counted."""

from __future__ import annotations

from typing import Any

from historylab.errors import LoadError
from historylab.formats.files.json_values import MAX_ITEMS, too_many

MISSING = 'this is YAML; reading it needs PyYAML: pip install "historylab[formats]"'
BROKEN = "the YAML in it is broken, or nested too deeply"


def read_yaml(text: str) -> Any:
    """The value of a YAML document. Raises LoadError where it has none, or PyYAML isn't installed."""
    try:
        import yaml
    except ImportError:
        raise LoadError(MISSING) from None
    try:
        value = yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError):
        raise LoadError(BROKEN) from None
    try:
        if _count(value, {}) > MAX_ITEMS:
            raise too_many(MAX_ITEMS, "values", "what its aliases stand for")
    except RecursionError:
        raise LoadError(BROKEN) from None
    return value


def _count(value: Any, known: dict[int, int]) -> int:
    """The values that a value holds, with those that an alias repeats; a value within itself counts as too many."""
    if not isinstance(value, dict | list):
        return 1
    if id(value) not in known:
        known[id(value)] = MAX_ITEMS + 1  # until it is counted
        held = value.values() if isinstance(value, dict) else value
        known[id(value)] = 1 + sum(_count(each, known) for each in held)
    return known[id(value)]
