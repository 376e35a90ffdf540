"""Marks of messages: numbers that are equal for messages that say the same, to find one history within another."""

from __future__ import annotations

import json
import operator
from collections.abc import Iterable, Iterator, Sequence

from historylab.conversation.message import Message, ToolCall


class Marks:
    """Marks the messages of one log."""

    def __init__(self) -> None:
        self._canonical: dict[str, str] = {}  # arguments of calls, each of which every later request repeats
        self._latest: tuple[Sequence[Message], list[int], list[int]] = (), [], []

    def of(self, messages: Iterable[Message]) -> list[int]:
        """One per message: logs repeat messages with other ids, and with other spaces and orders of arguments."""
        return [hash((m.role, m.content.strip(), tuple(map(self._of_call, m.tool_calls)), m.media)) for m in messages]

    def of_history(self, messages: Sequence[Message]) -> tuple[list[int], list[int]]:
        """One mark per message, and one per beginning; what begins with messages of the latest one is known."""
        known, marks, begins = self._latest
        alike = list(map(operator.is_, known, messages))
        same = alike.index(False) if False in alike else len(alike)
        marks = marks[:same] + self.of(messages[same:])
        begins = begins[:same]
        begins += beginnings(marks[same:], begins[-1] if begins else 0)
        self._latest = messages, marks, begins
        return marks, begins

    def _of_call(self, call: ToolCall) -> int:
        if call.arguments not in self._canonical:
            self._canonical[call.arguments] = _canonical(call.arguments)
        return hash((call.name, self._canonical[call.arguments]))


def beginnings(marks: Iterable[int], so_far: int = 0) -> Iterator[int]:
    """One mark per beginning: of the first message, the first two, …; they follow those whose mark is `so_far`."""
    for mark in marks:
        so_far = hash((so_far, mark))
        yield so_far


def _canonical(arguments: str) -> str:
    """The same text for arguments that are the same but for their order and spaces."""
    try:
        return json.dumps(json.loads(arguments), sort_keys=True)
    except (ValueError, RecursionError):
        return arguments
