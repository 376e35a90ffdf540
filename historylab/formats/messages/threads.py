"""Threads of a log: histories as they grow from request to request, found by what they begin with."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Collection, Container, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from historylab.conversation.exchange import Exchange
from historylab.conversation.lineage import Numbers, same_beginning
from historylab.conversation.message import Message, ToolCall, prompt_length
from historylab.conversation.sent import SentHistory

MOST_ALIKE, MOST_THREADS = 8, 24
"""Threads that are looked at for one message of a request, and for all of them."""


@dataclass
class Placed:
    """The latest request of a thread: a mark per message, its index there, and those with another text."""

    marks: Sequence[int] = ()
    places: Sequence[int] = ()
    others: Collection[int] = ()


class Thread:
    """A history as it grew, and what each request held of it.

    `asked`: how many messages there were when the latest request was sent, `fresh` those that it was the first to hold
    (from that index on), `held` those it held, by index. `sent` has an entry per request that held other ones than the
    one before it and all since. `spellings`: by index, marks of other texts that a message was sent with. `injected`:
    what a program last put among the messages for one request, and its place from the end.
    """

    def __init__(self, parent: Thread | None = None, known: int = 0):
        self._root: Thread | None = parent.root if parent else None
        self.messages: list[Message] = parent.messages[:known] if parent else []
        self.marks: list[int] = parent.marks[:known] if parent else []
        self.begins: list[int] = parent.begins[:known] if parent else []
        self.bodies: list[int] = []  # the beginnings of what follows the system prompt
        self.asked = self.fresh = known
        self.opened = known  # how many messages its first request had
        self.held: Container[int] = range(known)
        self.sent: list[SentHistory] = [one for one in parent.sent if one.size <= known] if parent else []
        known_spellings = parent.spellings.items() if parent else ()
        self.spellings: dict[int, set[int]] = {at: set(marks) for at, marks in known_spellings if at < known}
        self.injected: dict[tuple[str, int], str] = dict(parent.injected) if parent else {}
        self.keeps_first = False  # apart from those after it
        self.keeps_ids = False
        self.before = Placed()
        self._places: dict[int, list[int]] = {}  # by mark
        self._by_id: dict[tuple[str, str], int | None] = {}
        self._placed = 0
        self.requests: list[Exchange] = []
        self.unplaced: Exchange | None = None  # only the next request shows what answered it
        known_answers = parent.answered.items() if parent else ()
        self.answered: dict[int, Exchange] = {at: request for at, request in known_answers if at < known}

    @property
    def root(self) -> Thread:
        """The thread it branched from first; itself. A reference to it would be a cycle, which outlives its file."""
        return self._root or self

    @property
    def prompt(self) -> int:
        """The number of system messages at the beginning."""
        return prompt_length(self.messages)

    @property
    def latest(self) -> SentHistory:
        """The entry that says what the latest request held; of size 0 where all of them held everything."""
        return self.sent[-1] if self.sent else SentHistory(0)

    def places_of(self, mark: int) -> Sequence[int]:
        """The indices of messages with that mark, in order."""
        self._place()
        return self._places.get(mark, ())

    def place_by_id(self, message: Message) -> int | None:
        """The index of the message with the ids of the same calls, -1 if there is none; None if that can't be told."""
        self._place()
        keys = _ids_of(message)
        return self._by_id.get(keys[0], -1) if keys else None

    def call_before(self, at: int) -> int:
        """The index of the message whose calls the result there answers; -1 if none does."""
        while at >= 0 and self.messages[at].role == "tool":
            at -= 1
        return at if at >= 0 and self.messages[at].tool_calls else -1

    def respell(self, at: int, message: Message) -> None:
        """Take the same message in other words, or with other ids."""
        self.messages[at] = message
        for key in _ids_of(message) if at < self._placed else ():
            self._by_id.setdefault(key, at)

    def forget(self) -> None:
        """Have the places found anew, as messages went or have other ids."""
        self._places, self._by_id, self._placed, self.before = {}, {}, 0, Placed()

    def _place(self) -> None:
        for at in range(self._placed, len(self.messages)):
            self._places.setdefault(self.marks[at], []).append(at)
            for key in _ids_of(self.messages[at]):
                self._by_id[key] = None if key in self._by_id else at
        self._placed = len(self.messages)


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
        self._newest: dict[int, dict[Thread, None]] = {}  # by what was newest in one of their requests

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
        """The longest thread that these messages begin with, the system prompts of both left out."""
        found, begins = None, 0
        for mark in marks:
            if not (begins := self._numbers.get((begins, mark), 0)):  # nor is any longer beginning known
                break
            found = self._bodies.get(begins, found)
        return found

    def find_holders(self, marks: Sequence[int]) -> list[Thread]:
        """Threads whose newest message, at some request, is one of these: the last of these, and the latest, first."""
        found = dict[Thread, None]()
        for mark in reversed(marks):
            found |= dict.fromkeys(islice(reversed(self._newest.get(mark, {})), MOST_ALIKE))
            if len(found) >= MOST_THREADS:
                break
        return list(found)

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
        thread.forget()

    def index(self, thread: Thread) -> None:
        """Have a thread found by all its beginnings, before others that share some."""
        self.all.pop(thread, None)
        self.all[thread] = None
        self._found.update(dict.fromkeys(thread.begins, thread))
        prompt = thread.prompt
        for mark in dict.fromkeys(thread.marks[max(thread.asked - 2, prompt) :]):
            threads = self._newest.setdefault(mark, {})
            threads.pop(thread, None)
            threads[thread] = None
        if len(thread.messages) > max(thread.asked, prompt + 1):
            new = thread.marks[prompt + len(thread.bodies) :]
            thread.bodies += self._numbers.of_beginnings(new, thread.bodies[-1] if thread.bodies else 0)
            self._bodies[thread.bodies[-1]] = thread

    def _words_of_call(self, call: ToolCall) -> tuple[str, str]:
        if call.arguments not in self._canonical:
            self._canonical[call.arguments] = _normalize(call.arguments)
        return call.name, self._canonical[call.arguments]


def _normalize(arguments: str) -> str:
    """The same text for arguments that are the same but for their order and spaces, and 1.0 in place of 1."""
    try:
        return json.dumps(json.loads(arguments, parse_float=_number), sort_keys=True)
    except (ValueError, RecursionError):
        return arguments


def _number(text: str) -> float:
    number = float(text)
    return int(number) if number.is_integer() else number


def _ids_of(message: Message) -> list[tuple[str, str]]:
    """The ids that tell a message's calls, or its result, apart from others."""
    if message.role == "tool":
        return [("result", message.tool_call_id)] if message.tool_call_id else []
    return [("call", call.id) for call in message.tool_calls if call.id]
