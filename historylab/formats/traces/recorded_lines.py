"""The lines of a recording: each is a JSON object that says under "historylab" what it is of.

    {"historylab": "request", "version": 1, "id": "r-2", "conversation": "c-1", "after": "r-1", "same": 2, …}
    {"historylab": "proxy", …}  {"historylab": "tags", "tags": […]}  {"historylab": "title", "title": …}  …

Those of one conversation stand in the order of their arrival; docs/production.md has the fields.
"""

from __future__ import annotations

import json
from typing import Any

RECORDING_FILE = "historylab.db"
"""The store of a recording that is a folder."""

KIND, VERSION = "historylab", 1
REQUEST, PROXY, TAGS, TITLE, CHECKPOINT = "request", "proxy", "tags", "title", "checkpoint"


def parse_line(text: str | bytes) -> dict[str, Any]:
    """The object of a line; empty if it is none of ours."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) and isinstance(found.get(KIND), str) else {}
