"""Places in conversations that may use something said earlier: what `needs.py` draws from, labels and looks up again.

A unit is an argument of a call as a whole, or a span of it or of an answer: a path, id, number, name, quoted text or
rare word. There are far more of them than needs, and no rule of what counts as one chooses them: only that an earlier
message says the text. A unit is written down without it, as the file, the message, the place and a digest.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from historylab import load
from historylab.conversation.conversation import Conversation
from historylab.errors import HistoryLabError
from historylab.generators.base import generate
from historylab.recall.references import Mentions, index_mentions, telling_lines
from historylab.summarizers.values import argument_values

ANSWER = "answer"
GENERATED = re.compile(r"(\w+) seed=(\d+)")
TOKEN = re.compile(
    r"https?://[^\s\"'<>()\[\]`]*[\w/]"
    r"|[\w.+-]+@[\w-]+(?:\.[\w-]+)+"  # addresses
    r"|(?<![<\w])[\w.~@-]*/[\w./~@%:-]*\w"  # paths, no closing tags
    r"|[$€£#]?\d(?:[\d.,:/-]*\d)?(?![\w-])(?!\. )"  # numbers, dates, versions, amounts, with units
    r"(?: ?(?:%|[kKMG]?B|ms|s|min|minutes|hours|days|tokens|lines|euros?|USD|EUR)\b)?"
    r"|\w+(?:[._-]+\w+)+"  # file names, snake_case, ids with hyphens, dotted names
    r"|[A-Za-z]+\d\w*|[a-z]+[A-Z]\w*|(?:[A-Z][a-z0-9]+){2,}\w*|[A-Z]{3,}\w*"  # ids, camelCase, PascalCase, CODES
)
NAME = re.compile(r"(?<!^)(?<![.!?:*#\n] )(?<!\n)\b[A-Z][a-zà-ÿ]+(?: [A-Z][a-zà-ÿ]+)*\b")
QUOTED = re.compile(r"\"([^\"\n]{2,80})\"|(?<!\w)'([^'\n]{2,80})'(?!\w)|`([^`\n]{2,80})`|“([^”\n]{2,80})”")
RARE_WORD = re.compile(r"\b[^\W\d_]{5,}\b")
RARE = 2  # earlier messages at most that say a plain word
SHORTEST, LONGEST = 2, 20_000  # characters
SHARES = {"whole": 16, "token": 40, "name": 6, "quoted": 8, "word": 1}
USES = 2  # units of one value in a session at most
EDGE = " \t\r\n\"'`“”()[]{}<>.,;:"


@dataclass(frozen=True)
class Unit:
    """Characters `start` up to `end` of the answer of a message, or of the argument at `place` of its `call`."""

    message: int
    call: int
    place: str
    start: int
    end: int
    text: str
    kind: str

    @property
    def digest(self) -> str:
        return digest(self.text)


def digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def bare(text: str) -> str:
    """Without the quotes, blanks and punctuation around it."""
    return text.strip(EDGE)


def read_session(name: str, folder: Path) -> list[Conversation]:
    """The conversations of a generator ("room seed=3") or of the first file of that name below the folder."""
    if made := GENERATED.fullmatch(name):
        return [generate(made[1], seed=int(made[2]))]
    for path in sorted(folder.rglob(name)):
        with suppress(HistoryLabError):
            return list(load(path))
    return []


def texts_of(conversation: Conversation, message: int) -> Iterator[tuple[int, str, str]]:
    """(number of the call or -1, place, text) of the answer and of each argument."""
    if conversation[message].content:
        yield -1, ANSWER, conversation[message].content
    for number, call in enumerate(conversation[message].tool_calls):
        for path, leaf in argument_values(call):
            yield number, f"{call.name}.{path}", leaf


def text_at(conversation: Conversation, message: int, call: int, place: str) -> str:
    if message < len(conversation):
        for number, where, text in texts_of(conversation, message):
            if (number, where) == (call, place):
                return text
    return ""


def candidates(conversation: Conversation, message: int) -> Iterator[Unit]:
    """Every unit of an assistant's message, said before or not."""
    for call, place, text in texts_of(conversation, message):
        if place != ANSWER and SHORTEST <= len(text.strip()) <= LONGEST:
            start = len(text) - len(text.lstrip())
            yield Unit(message, call, place, start, start + len(text.strip()), text.strip(), "whole")
        for start, end, kind in _spans(text):
            if kind == "word" or place == ANSWER or text[start:end] != text.strip():
                yield Unit(message, call, place, start, end, text[start:end], kind)


def _spans(text: str) -> Iterator[tuple[int, int, str]]:
    taken = [found.span() for found in TOKEN.finditer(text)]
    yield from ((start, end, "token") for start, end in taken if end - start >= SHORTEST)
    for found in QUOTED.finditer(text):
        yield *found.span(found.lastindex or 0), "quoted"
    inside = {place for start, end in taken for place in range(start, end)}
    names = [found.span() for found in NAME.finditer(text) if found.start() not in inside]
    yield from ((start, end, "name") for start, end in names if end - start >= SHORTEST)
    inside.update(place for start, end in names for place in range(start, end))
    yield from ((*found.span(), "word") for found in RARE_WORD.finditer(text) if found.start() not in inside)


def said_before(mentions: Mentions, unit: Unit) -> bool:
    """Tell whether an earlier message says it, or for several lines most of them."""
    if lines := telling_lines(unit.text):
        found = sum(len(mentions.before(line, unit.message)) > 0 for line in lines)
        return 2 * found >= len(lines)
    return 0 < len(mentions.before(unit.text, unit.message)) <= (RARE if unit.kind == "word" else len(mentions.texts))


def draw(conversation: Conversation, size: int, dice: random.Random, called: Callable[[Unit], bool]) -> list[Unit]:
    """About half of them such that `called` says so, spread over the messages."""
    mentions = index_mentions(conversation)
    assistants = [i for i, message in enumerate(conversation) if message.role == "assistant" and i]
    said = {i: [u for u in candidates(conversation, i) if said_before(mentions, u)] for i in assistants}
    taken: list[Unit] = []
    for wanted, whole in ((True, size // 2), (False, size)):
        pools = {i: [u for u in units if called(u) is wanted] for i, units in said.items()}
        while len(taken) < whole and (unit := _draw_one(pools, dice, taken)):
            taken.append(unit)
    return sorted(taken, key=lambda unit: (unit.message, unit.call, unit.place, unit.start))


def _draw_one(pools: dict[int, list[Unit]], dice: random.Random, taken: Sequence[Unit]) -> Unit | None:
    uses = Counter(bare(unit.text) for unit in taken)
    there = {(unit.message, bare(unit.text)) for unit in taken}
    while pools:
        message = dice.choice(list(pools))
        units = [u for u in pools[message] if uses[bare(u.text)] < USES and (message, bare(u.text)) not in there]
        if units:
            kind = dice.choices(list(SHARES), list(SHARES.values()))[0]
            if of_kind := [unit for unit in units if unit.kind == kind]:
                return dice.choice(of_kind)
        if not units or dice.random() < 0.1:
            del pools[message]
    return None
