"""Threads of a log: histories as they grow from request to request, found by what they begin with."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterable, Sequence

from historylab.conversation.exchange import Exchange
from historylab.conversation.lineage import Numbers, same_beginning
from historylab.conversation.message import Message, ToolCall, prompt_length


class Thread:
    """A history as it grew. `asked`: how many messages the latest was sent with."""

    def __init__(self, parent: Thread | None = None, known: int = 0):
        self.root: Thread = parent.root if parent else self
        self.messages: list[Message] = parent.messages[:known] if parent else []
        self.marks: list[int] = parent.marks[:known] if parent else []
        self.begins: list[int] = parent.begins[:known] if parent else []
        self.bodies: list[int] = []  # the beginnings of what follows the system prompt
        self.asked = known
        self.requests: list[Exchange] = []
        self.unplaced: Exchange | None = None  # only the next request shows what answered it
        known_answers = parent.answered.items() if parent else ()
        self.answered: dict[int, Exchange] = {at: request for at, request in known_answers if at < known}


class Threads:
    """The threads of one key, the latest used last, by every beginning of each.

    Messages have a mark each, a number that is equal for those that say the same, and so has each beginning of a list.
    """

    def __init__(self) -> None:
        self.all: dict[Thread, None] = {}
        self._numbers = Numbers()
        self._canonical: dict[str, str] = {}  # arguments of calls, each of which every later request repeats
        self._read: tuple[Sequence[Message], list[int], list[int]] = [], [], []  # the latest history, with its marks
        self._found: dict[int, Thread] = {}  # by the marks of its beginnings
        self._bodies: dict[int, Thread] = {}  # whole threads, by what follows the system prompt

    def marks_of(self, messages: Iterable[Message]) -> list[int]:
        """One per message: logs repeat messages with other ids, and with other spaces and orders of arguments."""
        words = self._words_of_call
        return self._numbers.of((m.role, m.content.strip(), (*map(words, m.tool_calls),), m.media) for m in messages)

    def marks_in(self, history: Sequence[Message]) -> tuple[list[int], list[int]]:
        """One mark per message, and one per beginning; what begins with messages of the latest one is known."""
        known, marks, begins = self._read
        same = same_beginning(known, history)
        marks = marks[:same] + self.marks_of(history[same:])
        begins = begins[:same] + self._numbers.of_beginnings(marks[same:], begins[same - 1] if same else 0)
        self._read = history, marks, begins
        return marks, begins

    def find_longest(self, begins: list[int]) -> tuple[Thread | None, int]:
        """The thread that has most of these beginnings, and how many messages that is; the latest of several."""
        known = bisect_left(begins, True, key=lambda mark: mark not in self._found)  # with one all before it are there
        return self._found[begins[known - 1]] if known else next(reversed(self.all), None), known

    def find_under_another_prompt(self, marks: Sequence[int]) -> Thread | None:
        """The thread all of which, but its system prompt, these messages after theirs begin with; the longest."""
        found, begins = None, 0
        for mark in marks:
            if not (begins := self._numbers.get((begins, mark), 0)):  # nor is any longer beginning known
                break
            found = self._bodies.get(begins, found)
        return found

    def extend(self, thread: Thread, messages: Sequence[Message], marks: Sequence[int]) -> None:
        """Append messages to a thread."""
        thread.messages += messages
        thread.marks += marks
        thread.begins += self._numbers.of_beginnings(marks, thread.begins[-1] if thread.begins else 0)

    def cut(self, thread: Thread, known: int) -> None:
        """Forget what follows so many messages of a thread."""
        for mark in thread.begins[known:]:
            self._found.pop(mark, None)
        del thread.messages[known:], thread.marks[known:], thread.begins[known:], thread.bodies[:]

    def index(self, thread: Thread) -> None:
        """Have a thread found by all its beginnings, before others that share some."""
        self.all.pop(thread, None)
        self.all[thread] = None
        self._found.update(dict.fromkeys(thread.begins, thread))
        prompt = prompt_length(thread.messages)
        if len(thread.messages) > max(thread.asked, prompt + 1):
            new = thread.marks[prompt + len(thread.bodies) :]
            thread.bodies += self._numbers.of_beginnings(new, thread.bodies[-1] if thread.bodies else 0)
            self._bodies[thread.bodies[-1]] = thread

    def _words_of_call(self, call: ToolCall) -> tuple[str, str]:
        if call.arguments not in self._canonical:
            self._canonical[call.arguments] = _normalize(call.arguments)
        return call.name, self._canonical[call.arguments]


def _normalize(arguments: str) -> str:
    """The same text for arguments that are the same but for their order and spaces."""
    try:
        return json.dumps(json.loads(arguments), sort_keys=True)
    except (ValueError, RecursionError):
        return arguments
