"""A field of a JSON object as the kind that is expected of it; anything else counts as not given. JSON in a text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pydantic_core import from_json

LENIENT = json.JSONDecoder(strict=False)  # raw control characters inside strings are read, not refused


def text_in(fields: Mapping[str, Any], key: str) -> str | None:
    """The text under a key."""
    value = fields.get(key)
    return value if isinstance(value, str) else None


def object_in(fields: Mapping[str, Any], key: str) -> dict[str, Any]:
    """The object under a key; an empty one."""
    value = fields.get(key)
    return value if isinstance(value, dict) else {}


def list_in(fields: Mapping[str, Any], key: str) -> list[Any]:
    """The list under a key; an empty one."""
    return as_list(fields.get(key))


def objects_under(fields: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    """The objects of the list under a key."""
    return [each for each in list_in(fields, key) if isinstance(each, dict)]


def as_list(value: Any) -> list[Any]:
    """The value, if it is a list; an empty one."""
    return value if isinstance(value, list) else []


def unpack_json(value: Any) -> Any:
    """The value of a JSON text that holds a list or an object; anything else as it is."""
    if not isinstance(value, str) or value.lstrip()[:1] not in ("[", "{"):
        return value
    try:
        return from_json(value.encode())
    except ValueError:  # also for some of what can be read
        pass
    try:
        return LENIENT.decode(value)
    except (ValueError, RecursionError):
        return value
