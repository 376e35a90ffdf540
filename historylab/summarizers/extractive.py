"""`extractive`: the offline summarizer; the most telling lines word for word, so ids, numbers and paths survive.

Deterministic and without a model. A line scores by the rare words and the literals in it (numbers, ids, paths,
addresses); the best lines are taken until the room is used, and shown in their order. A former summary's lines compete
again, so a second summary absorbs the first. A last line lists literals that no chosen line holds.
"""

from __future__ import annotations

import math
import re
from collections import Counter as Tally
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from historylab.conversation import Message
from historylab.counters.base import count_text
from historylab.registry import register
from historylab.summarizers.base import SummaryTask

LONGEST_LINE = 240  # characters: a longer one is cut at a word, after its literals' first
LITERAL = re.compile(
    r"[\w.+-]+@[\w-]+\.[\w.]+"  # addresses
    r"|(?:https?://|[\w.~-]*/)[\w./~%-]+"  # links and paths
    r"|\b(?=\w*\d)(?=\w*[A-Za-z_])[\w-]{3,}\b"  # ids: letters and digits mixed
    r"|\$?\d[\d.,:/-]*\d%?|\b\d+\b"  # numbers, dates, amounts
    r"|\b[\w-]+\.(?:py|js|ts|go|rs|md|json|toml|yaml|yml|txt|csv|sql|html|css)\b"
)
WORD = re.compile(r"\w{2,}")
ALSO = "Also mentioned: "


@dataclass(frozen=True, slots=True)
class _Line:
    order: int
    text: str
    words: frozenset[str]
    literals: tuple[str, ...]


@register("summarizer", "extractive")
class ExtractiveSummarizer:
    """Offline: the most telling lines, word for word."""

    name = "extractive"

    def summarize(self, task: SummaryTask) -> str:
        lines = list(_lines(task))
        if not lines:
            return ""
        frequency = Tally(word for line in lines for word in line.words)
        ranked = sorted(lines, key=lambda line: (-_score(line, frequency, len(lines)), line.order))
        chosen = _fill(ranked, task)
        literals = dict.fromkeys([*ledger_of(task.previous), *(x for line in ranked for x in line.literals)])
        return with_ledger(_text(chosen), list(literals), task)


def literals_in(message: Message) -> tuple[str, ...]:
    """Ids, numbers, paths and addresses in a message's text and calls, in order."""
    return tuple(x for text in (message.content, *(c.arguments for c in message.tool_calls)) for x in _read(text)[1])


def _lines(task: SummaryTask) -> Iterator[_Line]:
    """Candidate lines in order, each once: the former summary's, then `role: sentence` of every message."""
    seen: set[str] = set()
    for order, text in enumerate([*_former(task.previous), *_said(task)]):
        if text not in seen:
            seen.add(text)
            yield _Line(order, text, *_read(text))


@lru_cache(maxsize=10_000)
def _read(text: str) -> tuple[frozenset[str], tuple[str, ...]]:
    """A line's words and literals; remembered, because a summary's lines come back with the next summary."""
    return frozenset(w.casefold() for w in WORD.findall(text)), tuple(dict.fromkeys(LITERAL.findall(text)))


def _former(previous: str) -> Iterator[str]:
    return (line for line in previous.splitlines() if line.strip() and not line.startswith(ALSO))


def ledger_of(previous: str) -> list[str]:
    """The literals a former summary's last line lists."""
    return [x for line in previous.splitlines() if line.startswith(ALSO) for x in line.removeprefix(ALSO).split(", ")]


def _said(task: SummaryTask) -> Iterator[str]:
    for message in task.messages:
        speaker = message.name or message.role
        for sentence in _sentences(message.content):
            yield f"- {speaker}: {_shortened(sentence)}"
        for call in message.tool_calls:
            yield f"- {speaker} called {call.name}({_shortened(call.arguments)})"


def _sentences(text: str) -> Iterable[str]:
    pieces = (piece.strip() for line in text.splitlines() for piece in re.split(r"(?<=[.!?。！？])\s*(?=\S)", line))
    return [piece for piece in _joined(pieces) if piece]


def _joined(pieces: Iterable[str]) -> Iterator[str]:
    """Put back together what was split inside a number or a name ("3.14", "src/app.py"): a piece of one word."""
    held = ""
    for piece in pieces:
        held += piece
        if len(WORD.findall(held)) > 1:
            yield held
            held = ""
    if held:
        yield held


def _shortened(text: str) -> str:
    text = " ".join(text.split())
    if len(text) <= LONGEST_LINE:
        return text
    return text[:LONGEST_LINE].rsplit(" ", 1)[0] + " …"


def _score(line: _Line, frequency: Tally, total: int) -> float:
    """Rare words and literals per length: inverse document frequency, literals counted double."""
    rarity = sum(math.log(1 + total / frequency[word]) for word in line.words)
    return (rarity + 2 * math.log(1 + total) * len(line.literals)) / math.sqrt(8 + len(line.text))


def _fill(ranked: list[_Line], task: SummaryTask) -> list[_Line]:
    """The best lines that fit together. Lines are counted once each; the whole is counted to be sure."""
    chosen = ranked[: _how_many([line.text for line in ranked], task.max_tokens, task)]
    while chosen and not task.fits(_text(chosen)):
        chosen = chosen[: len(chosen) * 9 // 10]
    return chosen


def with_ledger(text: str, literals: list[str], task: SummaryTask) -> str:
    """The text, and below it as many of the literals it doesn't hold as there is still room for, the first first."""
    missing = [x for x in literals if x not in text]
    room = task.max_tokens - count_text(task.counter, _ledger(text, []))
    missing = missing[: _how_many([x + "," for x in missing], room, task)]
    while missing and not task.fits(_ledger(text, missing)):
        missing = missing[: len(missing) * 9 // 10]
    return _ledger(text, missing) if missing else text


def _how_many(texts: list[str], room: int, task: SummaryTask) -> int:
    """How many of the texts, from the first, fit `room` tokens, by their own counts and a separator each."""
    empty, *counts = task.counter.count([Message("system", text) for text in ["", *texts]]).tolist()
    taken = empty
    for number, count in enumerate(counts):
        taken += count - empty + 1
        if taken > room:
            return number
    return len(texts)


def _text(lines: Iterable[_Line]) -> str:
    return "\n".join(line.text for line in sorted(lines, key=lambda line: line.order))


def _ledger(text: str, literals: list[str]) -> str:
    return "\n".join(filter(None, [text, ALSO + ", ".join(literals)]))
