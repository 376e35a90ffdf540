"""Stored messages written as lines: `posted("09:02 alice: hello")`; an agent is `(kael)`, the system `<bot>`."""

from __future__ import annotations

import re

from historylab.systems.toolpack import Participant, StoredMessage

LINE = re.compile(
    r"(?P<hour>\d\d):(?P<minute>\d\d)(?::(?P<second>\d\d(?:\.\d+)?))? "
    r"(?P<open>[(<]?)(?P<who>[\w-]+)[)>]?: ?(?P<text>.*)",
    re.DOTALL,
)
KINDS = {"": "user", "(": "agent", "<": "system"}


def posted(line: str, id: str = "", *, conversation: str = "room", scope: str = "channel", **metadata) -> StoredMessage:
    """A message of 1 January 2026; its id is the text unless one is given."""
    found = LINE.fullmatch(line)
    time = f"2026-01-01T{found['hour']}:{found['minute']}:{found['second'] or '00'}Z"
    participant = Participant(KINDS[found["open"]], found["who"])
    return StoredMessage(id or found["text"], conversation, participant, found["text"], time, scope, metadata or None)


def ids(messages) -> list[str]:
    return [message.id for message in messages]


def fill(store, *messages: StoredMessage):
    """The store, with the messages appended in that order."""
    for message in messages:
        store.append(message)
    return store
