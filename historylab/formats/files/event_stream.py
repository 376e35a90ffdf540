"""Server-sent events: a stream as it came over the wire, read as the JSON lines that its events carry."""

from __future__ import annotations

import re

from historylab.formats.files.content import Content

EVENTS = re.compile(rb"\s*(?:(?:event|id|retry|):[^\n]*\n\s*)*data:\s*[\[{]")
"""The beginning of server-sent events that carry JSON."""


def of_events(content: Content) -> Content:
    """A content of server-sent events ("data: {…}") as the JSON lines that they carry; any other as it is."""
    if not EVENTS.match(content.head):
        return content
    lines = (line.strip() for line in content.data.split(b"\n"))
    carried = (line[5:].lstrip() if line.startswith(b"data:") else b"" for line in lines)
    data = b"\n".join(b"" if line == b"[DONE]" else line for line in carried)
    return Content(data, content.name, siblings=content.siblings)
