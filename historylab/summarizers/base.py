"""What a summarizer is, and what a request for a summary holds.

A member is a class opened from the settings; `summarize(task)` returns text that takes at most `task.max_tokens`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from historylab.conversation import Message
from historylab.counters.base import Counter, count_text


@dataclass(frozen=True, slots=True)
class SummaryTask:
    """Messages to summarise, the summary they follow (to be absorbed, never lost), and the room there is.

    `max_tokens` is counted by `counter` as one system message, framing included.
    """

    messages: Sequence[Message]
    max_tokens: int
    counter: Counter
    previous: str = ""

    def fits(self, text: str) -> bool:
        return count_text(self.counter, text) <= self.max_tokens


class Summarizer(Protocol):
    """Writes the text that stands for messages no longer sent. Raises InstrumentError when it cannot."""

    name: str

    def summarize(self, task: SummaryTask) -> str: ...
