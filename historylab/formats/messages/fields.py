"""A field of a JSON object as the kind that is expected of it; anything else counts as not given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


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
    value = fields.get(key)
    return value if isinstance(value, list) else []
