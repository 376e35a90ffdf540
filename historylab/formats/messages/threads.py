"""Threads of a log: histories as they grew from request to request, with a mark for each of their beginnings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from historylab.conversation.exchange import Exchange
from historylab.conversation.message import Message, prompt_length
from historylab.conversation.recorded import decision_metadata
from historylab.conversation.usage import MODEL
from historylab.formats.messages.marks import beginnings


class Thread:
    """A history as it grew. `asked`: how many of its messages the latest request was sent with."""

    def __init__(self, parent: Thread | None, known: int):
        self.root: Thread = parent.root if parent else self
        self.messages: list[Message] = parent.messages[:known] if parent else []
        self.marks: list[int] = parent.marks[:known] if parent else []
        self.begins: list[int] = parent.begins[:known] if parent else []  # one mark per beginning
        self.bodies: list[int] = []  # the same of what follows the system prompt
        self.indexed = 0  # beginnings that are in the index, while no other thread is indexed
        self.asked = known
        self.requests: list[Exchange] = []
        self.unplaced: Exchange | None = None  # only the next request shows what answered it
        known_answers = parent.answered.items() if parent else ()
        self.answered: dict[int, Exchange] = {at: request for at, request in known_answers if at < known}

    def place(self, request: Exchange, at: int) -> None:
        """Say of the message at that index that it answered the request."""
        answer = self.messages[at]
        said: dict[str, Any] = {"usage": dict(request.usage)} if request.usage else {}
        said |= {MODEL: request.about[MODEL]} if request.about.get(MODEL) else {}
        said |= decision_metadata(request)
        self.answered[at] = request
        time = answer.timestamp or request.ended or request.started
        self.messages[at] = replace(answer, timestamp=time, metadata={**answer.metadata, **said})

    def extend(self, messages: Iterable[Message], marks: Iterable[int]) -> None:
        """Append messages."""
        before = len(self.marks)
        self.messages += messages
        self.marks += marks
        self.begins += beginnings(self.marks[before:], self.begins[-1] if self.begins else 0)

    def cut(self, known: int) -> None:
        """Forget what follows so many messages."""
        del self.messages[known:], self.marks[known:], self.begins[known:]
        self.bodies, self.indexed = [], min(self.indexed, known)

    def body(self) -> int:
        """A mark of what follows the system prompt."""
        known = prompt_length(self.messages) + len(self.bodies)
        self.bodies += beginnings(self.marks[known:], self.bodies[-1] if self.bodies else 0)
        return self.bodies[-1]
