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
from historylab.formats.messages.fields import object_in, text_in

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
OWNER, AMBIGUOUS = "owner", "ambiguous"
"""The owner of a request, as a digest, and True if the chat that it goes on with is a guess, maybe another's."""


TEXTS = ("id", "app", "api", "mode", "untrimmed", "because", "error", OWNER)


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
    status, redacted = line.get("status"), line.get("redacted")
    texts: dict[str, Any] = {name: text_in(line, name) or "" for name in TEXTS}
    return Exchange(
        conversation=conversation,
        started=started,
        ended=ended,
        body=object_in(line, "request"),
        settings=object_in(line, "settings"),
        plan=object_in(line, "plan"),
        state={key: value for key, value in object_in(line, "state").items() if isinstance(value, str)},
        response=object_in(line, "response"),
        status=status if type(status) is int else 0,
        redacted=redacted if type(redacted) is int else 0,
        where=where,
        ambiguous=line.get(AMBIGUOUS) is True,
        **texts,
    )


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
    return next((name for name in ("messages", "input", "contents") if name in body), "messages")
