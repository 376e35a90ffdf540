"""Summaries of ours that come back: an application that keeps what `trim()` returned hands them in as system messages.

They are known by their heading, as these settings write it, and only in a system message: never the text of a user, an
assistant or a tool. Such a summary is no instruction. Where summaries are written it becomes the former one, which the
next absorbs; elsewhere it stays as long as the oldest history does.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.planning.strategies.facts import block_column

COUNT = r"(?P<n>[0-9][0-9,]{0,11})"


class ReturnedSummary(NamedTuple):
    """The heading and the text of a summary that came back, and how many messages it covers (1 if it doesn't say)."""

    heading: str
    body: str
    covers: int


def heading_of(wording: str, covers: int) -> str:
    """The heading before a summary of so many messages: on the text's first line if it ends in a colon, else above."""
    return _as_written(wording).replace("{n}", f"{covers:,}")


def read_summary(message: Message, wording: str) -> ReturnedSummary | None:
    """The summary of ours that a message is, under a heading of that wording; None if it is none."""
    found = _heading(wording).match(message.content) if message.role == "system" else None
    body = message.content[found.end() :] if found else ""
    if found is None or not body.strip():
        return None
    counted = found.groupdict().get("n")
    return ReturnedSummary(found.group(), body, int(counted.replace(",", "")) if counted else 1)


def returned_summaries(conversation: Conversation, wording: str) -> np.ndarray:
    """bool[b]: the blocks that are summaries of ours that came back."""
    return block_column(conversation, ("returned", wording), lambda m: read_summary(m, wording) is not None)


@lru_cache(maxsize=64)
def _heading(wording: str) -> re.Pattern[str]:
    """A pattern of the heading, with any count."""
    first, *others = map(re.escape, _as_written(wording).split("{n}"))
    return re.compile(first + "".join((COUNT if k == 0 else "(?P=n)") + part for k, part in enumerate(others)))


def _as_written(wording: str) -> str:
    words = wording.strip()
    return f"{words} " if words.endswith(":") else f"{words}\n"
