"""The lines of a recording: each is a JSON object that says under "historylab" what it is of.

    {"historylab": "request", "version": 1, "id": "r-2", "conversation": "c-1", "after": "r-1", "same": 2, …}
    {"historylab": "proxy", …}  {"historylab": "tags", "tags": […]}  {"historylab": "title", "title": …}  …

Those of one conversation stand in the order of their arrival; docs/live.md has the fields.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

RECORDING_FILE = "historylab.db"
"""The store of a recording that is a folder."""

KIND, VERSION = "historylab", 1
REQUEST, PROXY, TAGS, TITLE, CHECKPOINT = "request", "proxy", "tags", "title", "checkpoint"
KINDS = frozenset({REQUEST, PROXY, TAGS, TITLE, CHECKPOINT})
TABLE = "stored_records"
"""Of the SQLite store, which has them in its column `line`."""

AFTER, SAME, LEADING, UNCHANGED = "after", "same", "leading", "unchanged"
"""Fields of a request's line: the one it goes on from, how many of its items it has in common with it, other leading
items than those, and the fields of its body that are as they were."""


def parse_line(text: str | bytes) -> dict[str, Any]:
    """The object of a line; empty if it is none of ours."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) and isinstance(found.get(KIND), str) else {}


def holder_of(body: Mapping[str, Any]) -> str:
    """The field of a request's body that holds its items."""
    return "input" if "input" in body and "messages" not in body else "messages"
