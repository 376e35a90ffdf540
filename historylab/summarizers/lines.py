"""Messages as lines that can be quoted: `role: sentence`, with the words and the literals in each.

A *literal* is an id, a number, a path or an address: what a summary must say word for word or not at all. Lines are
cached with the conversation, because replays under other settings summarise the same messages again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, MutableMapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Any

import numpy as np

from historylab.conversation.message import Message

LONGEST_LINE = 240  # characters: a longer one is cut at a word; its literals may still be listed
LONGEST_NAME = 60
LONGEST_LITERAL = 200  # characters: a longer one is data, not a name
SCANNED = 100_000  # characters of one line that are searched for literals
LITERAL = re.compile(  # each part begins only where its kind of word begins, so that no text takes quadratic time
    r"https?://[^\s\"'<>()\[\]]*[\w/]"
    r"|(?<![A-Za-z0-9_])(?:"  # within a word nothing else begins: most places are passed over here
    r"(?<![\w.+-])[\w.+-]++@[\w-]++(?:\.[\w-]++)+"  # addresses
    r"|(?<![\w./~-])[\w.~-]*+/[\w./~%-]*\w"  # paths
    r"|(?<![\w-])[\w-]++\.(?:py|js|ts|go|rs|md|json|toml|yaml|yml|txt|csv|sql|html|css)\b"
    r"|(?<!-)(?=[A-Za-z_-]*+\d)(?=[\d_-]*+[A-Za-z])[A-Za-z0-9_-]{2,}[A-Za-z0-9_]"  # ids: letters and digits
    r"|[$v]?\d(?:[\d.,:/-]*\d)?%?"  # numbers, dates, amounts, versions
    r"|(?<=\")[A-Z]{2,6}(?=\"))"  # codes that a structured text quotes: "OSL"
)
HINT_OF_LITERAL = re.compile(r"[\d/@]|\.\w|\"[A-Z]")  # every literal holds one, most lines of prose hold none
WORD = re.compile(r"\w{2,}")
SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])\s*")
ITEM = re.compile(r"\s*\d{1,3}[.)]\s+(?=\S)")  # "1. ", which ends no sentence
HINT_OF_END = re.compile(r"[.!?]\s|[。！？]")  # where there is none, nothing is split


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """Some lines, and the different words and literals of each.

    `words` and `literals` (int64) are hashes, line by line; `word_counts` and `literal_counts` (int64[lines]) say how
    many a line has.
    """

    texts: tuple[str, ...]
    words: np.ndarray
    word_counts: np.ndarray
    literals: np.ndarray
    literal_counts: np.ndarray


def join_lines(parts: Sequence[Lines]) -> Lines:
    """All lines of some parts, in order."""
    texts = tuple(chain.from_iterable(part.texts for part in parts))
    arrays = zip(*((p.words, p.word_counts, p.literals, p.literal_counts) for p in parts), strict=True)
    return Lines(texts, *map(np.concatenate, arrays))


def speaker_of(message: Message) -> str:
    """The label of what a message says, on one line whatever the file names the speaker."""
    return " ".join((message.name or message.role).split())[:LONGEST_NAME]


def spoken_lines(message: Message) -> Iterator[str]:
    """A message's text, a line per sentence, as each would be shown."""
    speaker = speaker_of(message)
    return (f"- {speaker}: {shorten_line(sentence)}" for sentence in _sentences(message.content))


def message_lines(message: Message, known: MutableMapping[Any, Any]) -> Lines:
    """A message's lines, each once, read at the first call and cached in `known`."""
    cached: dict[Message, Lines] = known.setdefault("lines", {})
    lines = cached.get(message)
    if lines is None:
        texts = dict.fromkeys([*spoken_lines(message), *_called_lines(message)])
        lines = cached[message] = _together([(text, *_read(text)) for text in texts])
    return lines


def summary_lines(texts: Iterable[str]) -> Lines:
    """Lines of a former summary, as they were shown there."""
    return _together([(text, *_read_again(text)) for text in texts])


def find_literals(text: str) -> tuple[str, ...]:
    """Ids, numbers, paths and addresses in a text, in order, each once."""
    if not HINT_OF_LITERAL.search(text):
        return ()
    return tuple(x for x in dict.fromkeys(LITERAL.findall(text[:SCANNED])) if len(x) <= LONGEST_LITERAL)


def _together(read: list[tuple[str, list[int], list[int]]]) -> Lines:
    texts, words, literals = zip(*read, strict=True) if read else ((), (), ())
    return Lines(texts, *_flatten(words), *_flatten(literals))


def _flatten(several: Sequence[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    """int64: all of them in order, and how many each has."""
    every = np.array([x for some in several for x in some], np.int64)
    return every, np.array([len(some) for some in several], np.int64)


def _read(text: str) -> tuple[list[int], list[int]]:
    """A line's different words and literals, as hashes."""
    words = WORD.findall(text.lower()) if text.isascii() else map(str.casefold, WORD.findall(text))
    return list(map(hash, set(words))), list(map(hash, find_literals(text)))


_read_again = lru_cache(maxsize=2_000)(_read)  # the memory of a server that summarises for long is to be flat


def _called_lines(message: Message) -> Iterator[str]:
    """A message's calls, as each would be shown."""
    for call in message.tool_calls:
        yield f"- {speaker_of(message)} called {shorten_line(call.name)}({shorten_line(call.arguments)})"


def _sentences(text: str) -> Iterator[str]:
    """Lines, cut after a full stop that a space follows (not within "3.14" or "app.py") or a Chinese one."""
    for line in text.splitlines():
        if HINT_OF_END.search(line):
            item = ITEM.match(line)
            start = item.end() if item else 0
            pieces = filter(None, (piece.strip() for piece in SENTENCE_END.split(line[start:])))
            yield line[:start].lstrip() + next(pieces, "")
            yield from pieces
        elif stripped := line.strip():
            yield stripped


def shorten_line(text: str) -> str:
    """A text on one line, cut at a word where it is long."""
    text = " ".join(text[: 50 * LONGEST_LINE].split())
    if len(text) <= LONGEST_LINE:
        return text
    space = text.rfind(" ", LONGEST_LINE * 3 // 4, LONGEST_LINE)
    return text[: space if space > 0 else LONGEST_LINE] + " …"
