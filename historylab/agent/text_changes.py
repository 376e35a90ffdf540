"""What changed in a text, line by line, in time that doesn't grow with the square of its length."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Literal

MOST_LINES = 1_000  # lines compared one by one; where more lie between the ends that are alike, all of them changed
WORD = 20  # characters of a word that is marked as a whole


@dataclass(frozen=True, slots=True)
class Line:
    """A line that is the same, gone or new. `start` and `end`: how many characters it shares with what it replaces."""

    kind: Literal["same", "removed", "added"]
    text: str
    start: int = 0
    end: int = 0


def text_changes(before: str, now: str) -> Iterator[Line]:
    """All lines of both; what is removed comes before what is added in its place."""
    old, new = before.split("\n"), now.split("\n")
    # With difflib's autojunk: lines of which there are many would take long.
    for a, b, c, d, same in stretches(old, new, MOST_LINES, autojunk=True):
        yield from (Line("same", text) for text in new[c:d]) if same else _replacements(old[a:b], new[c:d])


def stretches(
    old: Sequence[str], new: Sequence[str], most: int, *, autojunk: bool
) -> Iterator[tuple[int, int, int, int, bool]]:
    """All stretches of both, some empty: from and to in the old, from and to in the new, whether they are equal.

    Where more than `most` items lie between the ends that both share, these are one stretch, which isn't.
    """
    start, end = _shared_ends(old, new)
    i, j = len(old) - end, len(new) - end
    yield 0, start, 0, start, True
    if i - start + j - start > most:
        yield start, i, start, j, False
    else:
        matcher = SequenceMatcher(None, old[start:i], new[start:j], autojunk=autojunk)
        for kind, a, b, c, d in matcher.get_opcodes():
            yield start + a, start + b, start + c, start + d, kind == "equal"
    yield i, len(old), j, len(new), True


def _shared_ends(old: Sequence[str], new: Sequence[str]) -> tuple[int, int]:
    """The number of equal items at the beginning of both, and at the end of what is left."""
    start = _likeness(old, new)
    return start, _likeness(old[start:][::-1], new[start:][::-1])


def _likeness(old: Sequence[str], new: Sequence[str]) -> int:
    return next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))


def _replacements(old: Sequence[str], new: Sequence[str]) -> Iterator[Line]:
    """What took the place of what; line for line they may share a beginning and an end."""
    ends = [_ends(a, b) for a, b in zip_longest(old, new, fillvalue="")]
    yield from (Line("removed", text, *both) for text, both in zip(old, ends, strict=False))
    yield from (Line("added", text, *both) for text, both in zip(new, ends, strict=False))


def _ends(old: str, new: str) -> tuple[int, int]:
    """The characters that two lines share at their ends, in whole words where these are short; 0 where it is little."""
    start, end = _shared_ends(old, new)
    if 3 * (start + end) < min(len(old), len(new)):
        return 0, 0
    before, after = start - old.rfind(" ", 0, start) - 1, old.find(" ", len(old) - end) - (len(old) - end)
    return start - before * (before < WORD), end - after * (0 <= after < WORD)
