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
LONGEST_LITERAL = 200  # characters: a longer one is data, not a name
SCANNED = 100_000  # characters of one line that are searched for literals
LITERAL = re.compile(  # each part begins only where its kind of word begins, so that no text takes quadratic time
    r"https?://[^\s\"'<>()\[\]]*[\w/]"
    r"|(?<![A-Za-z0-9_])(?:"  # within a word nothing else begins: most places are passed over here
    r"(?<![\w.+-])[\w.+-]++@[\w-]++(?:\.[\w-]++)+"  # addresses
    r"|(?<![\w./~-])[\w.~-]*+/[\w./~%-]*\w"  # paths
    r"|(?<![\w-])[\w-]++\.(?:py|js|ts|go|rs|md|json|toml|yaml|yml|txt|csv|sql|html|css)\b"
    r"|(?<!-)(?=[A-Za-z_-]*+\d)(?=[\d_-]*+[A-Za-z])[A-Za-z0-9_-]{2,}[A-Za-z0-9_]"  # ids: letters and digits
    r"|[$v]?\d(?:[\d.,:/-]*\d)?%?)"  # numbers, dates, amounts, versions
)
HINT_OF_LITERAL = re.compile(r"[\d/@]|\.\w")  # every literal holds one, most lines of prose hold none
WORD = re.compile(r"\w{2,}")
SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])\s*")
HINT_OF_END = re.compile(r"[.!?]\s|[。！？]")  # where there is none, nothing is split


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """Some lines, and of each, in arrays: how many different words, literals and characters it has.

    `words` (int64) are hashes of those words, line by line. `literals` are the literals of a line as it is shown and
    then of what it leaves out; only the former are counted.
    """

    texts: tuple[str, ...]
    literals: tuple[tuple[str, ...], ...]
    words: np.ndarray
    word_counts: np.ndarray
    literal_counts: np.ndarray
    lengths: np.ndarray


def join_lines(parts: Sequence[Lines]) -> Lines:
    """All lines of some parts, in order."""
    texts = tuple(chain.from_iterable(part.texts for part in parts))
    literals = tuple(chain.from_iterable(part.literals for part in parts))
    arrays = zip(*((p.words, p.word_counts, p.literal_counts, p.lengths) for p in parts), strict=True)
    return Lines(texts, literals, *map(np.concatenate, arrays))


def message_lines(message: Message, known: MutableMapping[Any, Any]) -> Lines:
    """A message's lines, each once, read at the first call and cached in `known`."""
    cached: dict[Message, Lines] = known.setdefault("lines", {})
    lines = cached.get(message)
    if lines is None:
        once: dict[str, str] = {}
        for shown, whole in _spoken_lines(message):
            once.setdefault(shown, whole)
        read = [(shown, *_read(shown)) for shown in once]
        hidden = [find_literals(whole) if len(whole) > LONGEST_LINE else () for whole in once.values()]
        lines = cached[message] = _together(read, hidden)
    return lines


def summary_lines(texts: Iterable[str]) -> Lines:
    """Lines of a former summary, as they were shown there."""
    read = [(text, *_read_again(text)) for text in texts]
    return _together(read, [()] * len(read))


def message_literals(message: Message, known: MutableMapping[Any, Any]) -> tuple[str, ...]:
    """Literals in a message's text and calls, in order, found at the first call and cached in `known`."""
    cached: dict[Message, tuple[str, ...]] = known.setdefault("literals", {})
    literals = cached.get(message)
    if literals is None:
        texts = (message.content, *(call.arguments for call in message.tool_calls))
        literals = cached[message] = tuple(x for text in texts for x in find_literals(text))
    return literals


def find_literals(text: str) -> tuple[str, ...]:
    """Ids, numbers, paths and addresses in a text, in order, each once."""
    if not HINT_OF_LITERAL.search(text):
        return ()
    return tuple(x for x in dict.fromkeys(LITERAL.findall(text[:SCANNED])) if len(x) <= LONGEST_LITERAL)


def _together(read: list[tuple[str, list[int], tuple[str, ...]]], hidden: list[tuple[str, ...]]) -> Lines:
    texts, words, shown = zip(*read, strict=True) if read else ((), (), ())
    every = np.array([word for some in words for word in some], np.int64)
    counts = (np.array([len(x) for x in some], np.int64) for some in (words, shown, texts))
    return Lines(texts, tuple(a + b for a, b in zip(shown, hidden, strict=True)), every, *counts)


def _read(text: str) -> tuple[list[int], tuple[str, ...]]:
    """A line's different words, as hashes, and its literals."""
    words = WORD.findall(text.lower()) if text.isascii() else map(str.casefold, WORD.findall(text))
    return list(map(hash, set(words))), find_literals(text)


_read_again = lru_cache(maxsize=10_000)(_read)


def _spoken_lines(message: Message) -> Iterator[tuple[str, str]]:
    """Each line as it would be shown, and what it shows or shortens."""
    speaker = message.name or message.role
    for sentence in _sentences(message.content):
        yield f"- {speaker}: {_shortened(sentence)}", sentence
    for call in message.tool_calls:
        yield f"- {speaker} called {call.name}({_shortened(call.arguments)})", call.arguments


def _sentences(text: str) -> Iterator[str]:
    """Lines, cut after a full stop that a space follows (not within "3.14" or "app.py") or a Chinese one."""
    for line in text.splitlines():
        if HINT_OF_END.search(line):
            yield from filter(None, (piece.strip() for piece in SENTENCE_END.split(line)))
        elif stripped := line.strip():
            yield stripped


def _shortened(text: str) -> str:
    text = " ".join(text[: 50 * LONGEST_LINE].split())
    if len(text) <= LONGEST_LINE:
        return text
    space = text.rfind(" ", LONGEST_LINE * 3 // 4, LONGEST_LINE)
    return text[: space if space > 0 else LONGEST_LINE] + " …"
