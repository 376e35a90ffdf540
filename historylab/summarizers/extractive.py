"""`extractive`: the offline summarizer; the most telling lines word for word, so ids, numbers and paths survive.

Deterministic and without a model. A line scores by the rare words and the literals in it (numbers, ids, paths,
addresses); the best lines are taken until the room is used, and shown in their order. A former summary's lines compete
again, so a second summary absorbs the first. A last line lists literals that no chosen line holds.
"""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter as Tally
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from historylab.conversation import Message
from historylab.counters.base import count_text
from historylab.registry import register
from historylab.summarizers.base import SummaryTask

LONGEST_LINE = 240  # characters: a longer one is cut at a word; its literals may still be listed
SHORTEST_LINE = 40  # characters: less of a line says nothing
LONGEST_LITERAL = 200  # characters: a longer one is data, no name of anything
SCANNED = 100_000  # characters of one line that are searched for literals
LITERAL = re.compile(  # each part begins only where its kind of word begins, so that no text takes quadratic time
    r"https?://[^\s\"'<>()\[\]]*[\w/]"
    r"|(?<![\w.+-])[\w.+-]++@[\w-]++(?:\.[\w-]++)+"  # addresses
    r"|(?<![\w./~-])[\w.~-]*+/[\w./~%-]*\w"  # paths
    r"|(?<![\w-])[\w-]++\.(?:py|js|ts|go|rs|md|json|toml|yaml|yml|txt|csv|sql|html|css)\b"
    r"|(?<![A-Za-z0-9_-])(?=[A-Za-z_-]*+\d)(?=[\d_-]*+[A-Za-z])[A-Za-z0-9_-]{2,}[A-Za-z0-9_]"  # ids: letters and digits
    r"|(?<![A-Za-z0-9_])[$v]?\d(?:[\d.,:/-]*\d)?%?"  # numbers, dates, amounts, versions
)
WORD = re.compile(r"\w{2,}")
SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])\s*")
ALSO = "Also mentioned: "
_Read = tuple[str, frozenset[str], tuple[str, ...], tuple[str, ...]]
"""A line as shown, its words, its literals, and those of what it leaves out."""


@dataclass(frozen=True, slots=True)
class _Line:
    order: int
    text: str
    words: frozenset[str]
    literals: tuple[str, ...]
    hidden: tuple[str, ...]  # literals of what the line leaves out

    @property
    def all_literals(self) -> tuple[str, ...]:
        return *self.literals, *self.hidden


@register("summarizer", "extractive", title="Lines of the original")
class ExtractiveSummarizer:
    """Offline: the most telling lines, word for word."""

    name = "extractive"
    offline = True

    def summarize(self, task: SummaryTask) -> str:
        lines = list(_lines(task))
        if not lines:
            return ""
        frequency = Tally(word for line in lines for word in line.words)
        rarity = {n: math.log(1 + len(lines) / n) for n in set(frequency.values())}
        ranked = sorted(lines, key=lambda line: (-_score(line, frequency, rarity, len(lines)), line.order))
        chosen = _fill(ranked, task)
        literals = dict.fromkeys([*ledger_of(task.previous), *(x for line in ranked for x in line.all_literals)])
        return with_ledger(_text(chosen), list(literals), task)


def literals_in(message: Message) -> tuple[str, ...]:
    """Ids, numbers, paths and addresses in a message's text and calls, in order."""
    return tuple(x for text in (message.content, *(c.arguments for c in message.tool_calls)) for x in _literals(text))


def _lines(task: SummaryTask) -> Iterator[_Line]:
    """Candidate lines in order, each once: the former summary's, then `role: sentence` of every message."""
    seen: set[str] = set()
    said = (line for message in task.messages for line in _said_by(message))
    for order, (text, words, shown, hidden) in enumerate(itertools.chain(_former(task.previous), said)):
        if text not in seen:
            seen.add(text)
            yield _Line(order, text, words, shown, hidden)


@lru_cache(maxsize=10_000)
def _read(text: str) -> _Read:
    """A former summary's line with its words and literals; remembered, because it comes back with the next summary."""
    return text, frozenset(w.casefold() for w in WORD.findall(text)), _literals(text), ()


@lru_cache(maxsize=5_000)
def _said_by(message: Message) -> tuple[_Read, ...]:
    """A message's lines; remembered, because replays under other settings summarise the same messages again."""
    once: dict[str, str] = {}
    for shown, whole in _said(message):
        once.setdefault(shown, whole)
    return tuple(_read_whole(shown, whole) for shown, whole in once.items())


def _read_whole(shown: str, whole: str) -> _Read:
    """A line as it would be shown, read; what it shortens is searched for literals too."""
    text, words, literals, _ = _read.__wrapped__(shown)
    return text, words, literals, _literals(whole) if len(whole) > LONGEST_LINE else ()


def _literals(text: str) -> tuple[str, ...]:
    found = dict.fromkeys(LITERAL.findall(text[:SCANNED]))
    return tuple(x for x in found if len(x) <= LONGEST_LITERAL)


def _former(previous: str) -> Iterator[_Read]:
    return (_read(line) for line in previous.splitlines() if line.strip() and not line.startswith(ALSO))


def ledger_of(previous: str) -> list[str]:
    """The literals a former summary's last line lists."""
    return [x for line in previous.splitlines() if line.startswith(ALSO) for x in line.removeprefix(ALSO).split(", ")]


def _said(message: Message) -> Iterator[tuple[str, str]]:
    """Each line as it would be shown, and what it shows or shortens."""
    speaker = message.name or message.role
    for sentence in _sentences(message.content):
        yield f"- {speaker}: {_shortened(sentence)}", sentence
    for call in message.tool_calls:
        yield f"- {speaker} called {call.name}({_shortened(call.arguments)})", call.arguments


def _sentences(text: str) -> Iterator[str]:
    """Lines, cut after a full stop that a space follows (not within "3.14" or "app.py") or a Chinese one."""
    for line in text.splitlines():
        if not line.isspace():
            yield from filter(None, (piece.strip() for piece in SENTENCE_END.split(line)))


def _shortened(text: str) -> str:
    text = " ".join(text[: 50 * LONGEST_LINE].split())
    if len(text) <= LONGEST_LINE:
        return text
    space = text.rfind(" ", LONGEST_LINE * 3 // 4, LONGEST_LINE)
    return text[: space if space > 0 else LONGEST_LINE] + " …"


def _score(line: _Line, frequency: Tally, rarity: Mapping[int, float], total: int) -> float:
    """Rare words and literals per length: inverse document frequency, literals counted double."""
    rare = math.fsum([rarity[frequency[word]] for word in line.words])  # fsum: a set has no order
    return (rare + 2 * math.log(1 + total) * len(line.literals)) / math.sqrt(8 + len(line.text))


def _fill(ranked: list[_Line], task: SummaryTask) -> list[_Line]:
    """The best lines that fit together. Lines are counted once each; the whole is counted to be sure."""
    chosen = _that_fit(ranked, [line.text for line in ranked], task.max_tokens, task)
    while chosen and not task.fits(_text(chosen)):
        chosen = chosen[: len(chosen) * 9 // 10]
    return chosen or _cut(ranked[0], task)


def _cut(line: _Line, task: SummaryTask) -> list[_Line]:
    """As much of the best line as fits: there is room, but for no line whole."""
    text = line.text
    while len(text) > SHORTEST_LINE:
        text = text[: len(text) * 3 // 4]
        if task.fits(text + " …"):
            return [replace(line, text=text + " …")]
    return []


def with_ledger(text: str, literals: list[str], task: SummaryTask) -> str:
    """The text, and below it as many of the literals it doesn't hold as there is still room for, the first first."""
    missing = [x for x in literals if x not in text]
    room = task.max_tokens - count_text(task.counter, _ledger(text, []))
    missing = _that_fit(missing, [x + "," for x in missing], room, task)
    while missing and not task.fits(_ledger(text, missing)):
        missing = missing[: len(missing) * 9 // 10]
    return _ledger(text, missing) if missing else text


def _that_fit(things: list, texts: list[str], room: int, task: SummaryTask) -> list:
    """The things, the first first, whose texts fit `room` tokens, by their own counts and a separator each."""
    empty, *counts = task.counter.count([Message("system", text) for text in ["", *texts]]).tolist()
    room -= empty
    fitting = []
    for thing, count in zip(things, counts, strict=True):
        cost = count - empty + 1
        if cost <= room:
            room -= cost
            fitting.append(thing)
    return fitting


def _text(lines: Iterable[_Line]) -> str:
    return "\n".join(line.text for line in sorted(lines, key=lambda line: line.order))


def _ledger(text: str, literals: list[str]) -> str:
    return "\n".join(filter(None, [text, ALSO + ", ".join(literals)]))
