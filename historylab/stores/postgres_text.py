"""Texts as PostgreSQL can keep them, and their words as its full-text search compares them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from historylab.stores.selection import words_of

ESCAPE = "\ufdd0"  # never a character of a text: Unicode leaves it to programs
UNKEPT = re.compile(f"[\ud800-\udfff{ESCAPE}]")
ESCAPED = re.compile(f"{ESCAPE}([0-9a-f]{{4}})?")
LONGEST_WORD = 500  # characters; PostgreSQL allows 2,046 bytes
MOST_POSITIONS = 255  # of a word, as PostgreSQL keeps them
LAST_POSITION = 16_383
MOST_BYTES = 1_000_000  # of a text's words; PostgreSQL allows 1,048,575


def kept(text: str) -> str:
    """The text with each half of an emoji escaped, which is text to Python but not to PostgreSQL."""
    return UNKEPT.sub(lambda found: f"{ESCAPE}{ord(found[0]):04x}", text)


def restored(text: str) -> str | bytes:
    """The text as it was given; bytes for one that nothing here has kept, so that its reader can say which it is."""
    parts = ESCAPED.split(text)
    if None in parts:
        return text.encode()
    return "".join(chr(int(part, 16)) if i % 2 else part for i, part in enumerate(parts))


def vector_of(text: str) -> str:
    """A tsvector of the text's words with their positions, as text; words beyond its greatest size are left out."""
    positions: dict[str, list[int]] = {}
    left = MOST_BYTES
    for position, word in enumerate((word[:LONGEST_WORD] for word in words_of(text)), 1):
        left -= 4 if word in positions else len(word.encode()) + 8
        if left < 0:
            break
        where = positions.setdefault(word, [])
        if len(where) < MOST_POSITIONS:
            where.append(min(position, LAST_POSITION))
    return " ".join(f"'{word}':{','.join(map(str, where))}" for word, where in positions.items())


def query_of(words: Iterable[str]) -> str:
    """A tsquery for any of the words, as text."""
    return " | ".join(f"'{word[:LONGEST_WORD]}'" for word in words)
