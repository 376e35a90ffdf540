"""The lines of a recording: each is a JSON object that says under "historylab" what it is of.

    {"historylab": "request", "version": 1, "id": "r-2", "conversation": "c-1", "after": "r-1", "same": 2, …}
    {"historylab": "proxy", …}  {"historylab": "tags", "tags": […]}  {"historylab": "title", "title": …}  …

Those of one conversation stand in the order of their arrival; docs/live.md has the fields.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from historylab.conversation.exchange import Exchange

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


def read_exchange(line: Mapping[str, Any], conversation: str, where: str = "") -> Exchange:
    """The exchange of a request's line, with the body as far as the line has it; its messages are yet to be read.

    A field of another type than its own counts as left out.
    """
    started, ended = _times(line)
    status = line.get("status")
    state = _object(line, "state") or {}
    return Exchange(
        conversation=conversation,
        started=started,
        ended=ended,
        id=_text(line, "id"),
        app=_text(line, "app"),
        api=_text(line, "api"),
        body=_object(line, "request") or {},
        settings=_object(line, "settings"),
        plan=_object(line, "plan"),
        mode=_text(line, "mode"),
        untrimmed=_text(line, "untrimmed"),
        state={key: value for key, value in state.items() if isinstance(value, str)},
        response=_object(line, "response"),
        status=status if type(status) is int else 0,
        error=_text(line, "error"),
        where=where,
    )


def _text(line: Mapping[str, Any], name: str) -> str:
    found = line.get(name)
    return found if isinstance(found, str) else ""


def _object(line: Mapping[str, Any], name: str) -> dict[str, Any] | None:
    found = line.get(name)
    return found if isinstance(found, dict) else None


def _times(line: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """The times at which it was sent and at which its answer had come."""
    started, seconds = line.get("started"), line.get("seconds")
    try:
        began = datetime.fromisoformat(started) if isinstance(started, str) else None
        ended = began and began + timedelta(seconds=seconds if isinstance(seconds, int | float) else 0)
    except (ValueError, OverflowError):
        return None, None
    return (began.isoformat(), ended.isoformat()) if began and ended else (None, None)


def holder_of(body: Mapping[str, Any]) -> str:
    """The field of a request's body that holds its items."""
    return "input" if "input" in body and "messages" not in body else "messages"
