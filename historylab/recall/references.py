"""The needs of later requests: what calls and answers use that could not be known otherwise, with all its mentions.

A *reference* is a value in a tool call's arguments that an earlier message says: a path, an id, a name, also inside a
command or code, or a text quoted whole, as the old text of an edit is. A *link* is one in the text of an answer: no
label says that the model looked it up there, so links are an estimate. Values are found by their shape (`shapes.py`,
`phrases.py`) at the places of a message (`uses.py`); what needs no mention is left out (`routine.py`).

A value of several lines is one need with several *telling lines*, those that would be a value by themselves. It is said
by a message that says it in a row, whatever its indentation and the line numbers that a reading tool put before it. The
old text of an edit is also said where several messages say all its telling lines between them: it was read in parts, or
edited since. New text is not, as it repeats much of the old.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from historylab.conversation.columns import ASSISTANT
from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.recall.phrases import DAYS_AND_MONTHS, spellings_of
from historylab.recall.routine import Routine, numbers_a_line
from historylab.recall.shapes import NAMES
from historylab.recall.uses import LONGEST, SHORTEST, Passage, Use, passages_of
from historylab.summarizers.values import ASCII_WORD, argument_values, ends_of, says

WORD = re.compile(r"[A-Za-z0-9_]+|[^\x00-\x7f]")  # a letter outside ASCII is a word: Chinese has no spaces
NEXT_LINE = re.compile(r"[ \t]*\r?\n[ \t]*")
LINE_NUMBER = re.compile(r"\d{1,7}(?:\t|→| *[|│:]|  |(?=\r?\n|\Z))[ \t]*")  # "12→", "12\t", "12: ", "12 | ", "12  "
RUNS_INTO = re.compile(rf"(?:[A-Za-z0-9]-|\d[.:]|\b(?:{DAYS_AND_MONTHS}) )\Z")
THOUSANDS, OF_THOUSANDS = re.compile(r"(?<![\d,])\d{1,3},\Z"), re.compile(r"\d{3}(?!\d)")
RUNS_ON = re.compile(rf"[A-Za-z0-9_]|-[A-Za-z0-9]|[.:]\d| (?:{DAYS_AND_MONTHS})\b")
MORE_THOUSANDS = re.compile(r",\d{3}(?!\d)")
GROUP_BEFORE, GROUP_AFTER = re.compile(r"\d \Z"), re.compile(r" \d")
LONGEST_BEFORE = 11  # characters of "Wednesday " and what stands before
MEASURED = re.compile(r"\d[\d.,–-]* (?:[^\W\d_]{1,2}|seconds|minutes|hours|days|euros?|dollars?|[A-Z]{3})")
ESCAPED_BLANK = re.compile(r"(?<!\\)\\[nrt]")  # else "\\nCART-7" would be one word
JSON_BEGINS = frozenset('{["')
SMALL = 2  # digits: such numbers stand before the lines of any file
LINE_ENDS = ("", "\r", "\n")
NOWHERE = np.empty(0, np.int64)
ENDLESS = [2**62]

Said = tuple[str, np.ndarray]
"""A line, and the messages that say it (int64, ascending)."""


@dataclass(frozen=True, slots=True, eq=False)
class Need:
    """Something request `step` (from 0) needs: `value`, which each of `mentions` (int64, ascending) holds.

    `kind` is reference, link, star or evidence; `message` is the one that uses it (None for a star), and `used_as` says
    where: "book_flight.number", "the answer", the question. `lines` are the telling lines of a reference that has
    several, each with its own mentions; where no message says them all in a row, `mentions` are those that say parts.
    `by` and `again` are found by `needs` alone.
    """

    kind: str
    step: int
    value: str
    mentions: np.ndarray
    message: int | None = None
    used_as: str = ""
    lines: tuple[Said, ...] = ()
    by: str = ""
    again: str = ""

    @property
    def said(self) -> tuple[int, ...]:
        """The messages that say it before it is needed, ascending."""
        return tuple(self.mentions.tolist())

    @property
    def needed_at(self) -> int | None:
        """The message that uses it."""
        return self.message


def find_needs(conversation: Conversation) -> tuple[tuple[Need, ...], ...]:
    """Per request its references and links, found at the first call and remembered with the conversation."""
    return conversation.remember("needs", lambda: _find(conversation))


def knows_needs(conversation: Conversation) -> bool:
    """Tell whether they are found already: of a long conversation finding them takes seconds."""
    return "needs" in conversation.derived


def contains_value(text: str, value: str) -> bool:
    """Whether `text` contains `value` as whole words: "1234" doesn't contain "12".

    Several lines may be indented otherwise, or numbered; a number stands by itself, not in a time, a date, an id or a
    larger number (1,234), and a small one doesn't number a line.
    """
    if value.replace(".", "", 1).isdigit():
        return any(_stands_alone(text, end - len(value), end) for end in ends_of(text, value))
    return says(text, value) or ("\n" in value and _says_in_a_row(text, value))


def _stands_alone(text: str, start: int, end: int) -> bool:
    if RUNS_INTO.search(text, max(0, start - LONGEST_BEFORE), start) or RUNS_ON.match(text, end):
        return False
    if OF_THOUSANDS.match(text, start) and THOUSANDS.search(text, max(0, start - LONGEST_BEFORE), start):
        return False
    if text[start:end].isdigit() and MORE_THOUSANDS.match(text, end):
        return False
    if GROUP_BEFORE.search(text, max(0, start - 2), start) and GROUP_AFTER.match(text, end):
        return False
    return end - start > SMALL or not numbers_a_line(text, start, end)


def telling_lines(value: str) -> tuple[str, ...]:
    """The different lines of a value of several that would be a value by themselves: no brackets, no blank ones."""
    if "\n" not in value:
        return ()
    return tuple(dict.fromkeys(line for each in value.splitlines() if _counts(line := each.strip())))


def _says_in_a_row(text: str, value: str) -> bool:
    first, *others = (line.strip() for line in value.splitlines())
    return any(_is_followed_by(text, end, others) for end in ends_of(text, first))


def _is_followed_by(text: str, at: int, lines: Sequence[str]) -> bool:
    """Whether these lines, each whole, follow what ends at that place; none but the last may be longer there."""
    for line in lines:
        gap = NEXT_LINE.match(text, at)
        start = gap.end() if gap else len(text) + 1
        if not _begins(text, start, line) and (number := LINE_NUMBER.match(text, start)):
            start = number.end()
        if not _begins(text, start, line):
            return False
        at = start + len(line)
    return not (at < len(text) and text[at] in ASCII_WORD and text[at - 1] in ASCII_WORD)


def _begins(text: str, start: int, line: str) -> bool:
    return text.startswith(line, start) if line else text[start : start + 1] in LINE_ENDS


def searchable_text(message: Message, content: str | None = None) -> str:
    """The text of a message to search: its content (or the one given in its place), in which line breaks that JSON
    escapes are real ones, and its calls' values, unescaped.
    """
    text = message.content if content is None else content
    if message.role == "tool" and "\\" in text and _is_json(message.content):
        text = ESCAPED_BLANK.sub(" \n", text)
    if not message.tool_calls:
        return text
    return "\0".join([text, *(value for call in message.tool_calls for _, value in argument_values(call))])


@lru_cache(maxsize=4096)
def _is_json(text: str) -> bool:
    try:
        return text[:1] in JSON_BEGINS and json.loads(text) is not None
    except (ValueError, RecursionError):
        return False


class Mentions:
    """Finds the messages that mention a value. Words are indexed once; a value is searched where its rarest word is."""

    def __init__(self, conversation: Conversation):
        self.texts = ["" if message.shown_only else searchable_text(message) for message in conversation]
        self._postings: dict[str, list[int]] = {}
        for i, text in enumerate(self.texts):
            for word in set(WORD.findall(text)):
                self._postings.setdefault(word, []).append(i)
        self._found: dict[str, tuple[list[int], int]] = {}  # value → messages that say it, of so many searched

    def of(self, value: str) -> np.ndarray:
        """int64, ascending: the messages that hold `value` verbatim, as whole words."""
        return self.before(value, len(self.texts))

    def before(self, value: str, size: int) -> np.ndarray:
        """Those among the first `size` messages."""
        found, searched = self._found.get(value, ([], 0))
        if searched < size:
            found = found + self._search(value, searched, size)
            self._found[value] = found, size
        return np.array(found[: bisect_left(found, size)], np.int64)

    def is_new(self, value: str, size: int) -> bool:
        """Tell whether a word of it is said nowhere among the first `size` messages."""
        return any(self._postings.get(word, ENDLESS)[0] >= size for word in WORD.findall(value))

    def _search(self, value: str, start: int, stop: int) -> list[int]:
        words = set(WORD.findall(value))
        places = [self._postings.get(word, []) for word in words]
        places += [self._found[line][0] for line in telling_lines(value) if self._found.get(line, ([], 0))[1] >= stop]
        rarest = min(places, key=len, default=[])
        candidates = rarest[bisect_left(rarest, start) : bisect_left(rarest, stop)]
        if words == {value} and not value.isdigit():
            return candidates
        return [i for i in candidates if contains_value(self.texts[i], value)]


def index_mentions(conversation: Conversation) -> Mentions:
    """The conversation's index of words, made once."""
    return conversation.remember("mentions", lambda: Mentions(conversation))


def _find(conversation: Conversation) -> tuple[tuple[Need, ...], ...]:
    columns, mentions = conversation.columns, index_mentions(conversation)
    answers = np.setdiff1d(np.flatnonzero(columns.role == ASSISTANT), columns.stand_ins).tolist()
    passages = {i: list(passages_of(conversation[i])) for i in answers}
    routine = Routine(conversation, passages, mentions.texts)
    steps: list[tuple[Need, ...]] = [() for _ in columns.requests]
    worded: set[str] = set()
    for i in answers:
        step = columns.first_request_after(i) - 1
        if step >= 0:  # else a greeting: no request led to it
            reading = _Reading(mentions, routine, step, i, columns.requests.item(step))
            again = (passage.again() if passage.wording in worded else passage for passage in passages[i])
            steps[step] += tuple(reading.needs(again))
        worded.update(passage.wording for passage in passages[i] if passage.wording)
    return tuple(steps)


class _Reading(NamedTuple):
    """One message, the request that led to it, and that request's history length."""

    mentions: Mentions
    routine: Routine
    step: int
    message: int
    size: int

    def needs(self, passages: Iterable[Passage]) -> Iterable[Need]:
        """Each value once: one that a call uses is not a link as well, and a number not without its unit."""
        found: dict[str, Need] = {}
        for passage in passages:
            whole = self._need(passage.whole) if passage.whole else None
            for need in [whole] if whole else self._needs_within(passage):
                found.setdefault(need.value, need)
        for measured in filter(MEASURED.fullmatch, tuple(found)):
            found.pop(measured.partition(" ")[0], None)
        return found.values()

    def _needs_within(self, passage: Passage) -> Iterator[Need]:
        for use in passage.tokens:
            for value, shape in spellings_of(use.value, use.shape):
                if need := self._need(use._replace(value=value, shape=shape)):
                    yield need
                if need or (shape not in NAMES and len(self.mentions.before(value, self.size))):
                    break

    def _need(self, use: Use) -> Need | None:
        if "\n" in use.value:
            lines, earlier = _said_by_line(self.mentions, use, self.size)
        else:
            lines, earlier = (), self.mentions.before(use.value, self.size)
        if not len(earlier):
            return None
        new_in_small = use.shape in NAMES and not len(self.mentions.before(use.value.lower(), earlier.item(0) + 1))
        if self.routine.covers(use, earlier, new_in_small):
            return None
        return Need(use.kind, self.step, use.value, earlier, self.message, use.used_as, lines)


def _said_by_line(mentions: Mentions, use: Use, size: int) -> tuple[tuple[Said, ...], np.ndarray]:
    """The telling lines of a value of several, and the messages that say it or, if none does, parts of a quoted one."""
    lines: list[Said] = []
    if mentions.is_new(use.value, size):
        return (), NOWHERE
    for line in telling_lines(use.value):
        earlier = mentions.before(line, size)
        if not len(earlier):
            return (), earlier
        lines.append((line, earlier))
    whole = mentions.before(use.value, size)
    if lines and not len(whole) and use.quotes:
        whole = np.array(_in_parts(lines), np.int64)
    return tuple(lines), whole if lines else whole[:0]


def _in_parts(lines: Sequence[Said]) -> list[int]:
    """The messages that say several of these lines, as one alone may be there by chance; or one that no other says."""
    counts = Counter(i for _, said in lines for i in said.tolist())
    several = {i for i, n in counts.items() if n > 1}
    alone = {i for _, said in lines if several.isdisjoint(said.tolist()) for i in said.tolist()}
    return sorted(several | alone)


def _counts(value: str) -> bool:
    return SHORTEST <= len(value) <= LONGEST and WORD.search(value) is not None
