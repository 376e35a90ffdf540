"""The likeness of two texts, and which of some texts may be which of others, in the same order."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

from historylab.conversation.message import Message
from historylab.formats.messages.alignment import ALIKE
from historylab.trimmers.in_order import Pair, heaviest

WORD = re.compile(r"\w+")
ENDS = 400  # characters at each end whose words are compared
ENOUGH = 1 / 2  # of a text in common
FEW_WORDS = 4  # a text of fewer says too little
MOST_LONGER = 2
"""The factor by which a text may have grown by being rewritten."""
RARE = 8  # texts in which a word may be that tells them from others
MOST_TRIED = 4  # texts that one is compared with
ALL_TRIED = 400  # pairs up to which each is compared with each


def likeness(now: str, before: str) -> float:
    """The share of the shorter text that the other has, up to 1; 0 where they aren't of one message.

    One holds the other, or they begin or end alike, or have most words in common. A text that is much longer than it
    was only quotes it.
    """
    if len(now) > MOST_LONGER * len(before):
        return 0
    short, long = sorted((now.strip(), before.strip()), key=len)
    if long.startswith(f"{short}\n") or long.endswith(f"\n{short}") or short == long:
        return float(bool(short))
    if len(short) < ALIKE:
        return 0
    if short in long:
        return 1
    first = _common(short, long)
    last = min(_common(short[::-1], long[::-1]), len(short) - first)
    if max(first, last) >= max(ALIKE, len(short) // 4):
        return (first + last) / len(short)
    few, many = sorted((_words(short), _words(long)), key=len)
    shared = len(few & many) / max(len(few), FEW_WORDS)
    return shared if shared >= ENOUGH else 0


def pair_in_order(
    now: Sequence[Message], before: Sequence[Message], may_be: Callable[[Message, Message], bool]
) -> list[Pair]:
    """The pairs of alike messages, by their places: those that keep the order and have most in common."""
    beside = [(i, i) for i in range(len(now))] if len(now) == len(before) else []
    if beside and all(may_be(now[i], before[i]) and _is_most(now[i].content, before[i].content) for i, _ in beside):
        return beside  # all of them rewritten, in one way
    pairs = dict[Pair, float]()
    for i, k in _likely([one.content for one in now], [one.content for one in before]):
        if may_be(now[i], before[k]) and (alike := likeness(now[i].content, before[k].content)):
            pairs[i, k] = 1 + 3 * alike  # many pairs count, but a better one counts more
    return heaviest(pairs)


def _is_most(now: str, before: str) -> bool:
    return likeness(now, before) >= ENOUGH


def _common(one: str, other: str) -> int:
    """The number of characters at the beginning that are the same."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


@lru_cache(maxsize=4096)
def _words(text: str) -> frozenset[str]:
    return frozenset(WORD.findall(text if len(text) <= 2 * ENDS else f"{text[:ENDS]} {text[-ENDS:]}"))


def _likely(now: Sequence[str], before: Sequence[str]) -> Iterator[Pair]:
    """The pairs that are worth a look: with rare words or an end in common, or as far from the beginning or the end."""
    if len(now) * len(before) <= ALL_TRIED:
        yield from ((i, k) for i in range(len(now)) for k in range(len(before)))
        return
    having = defaultdict[str, list[int]](list)
    for k, text in enumerate(before):
        for word in _marks_of(text):
            having[word].append(k)
    for i, text in enumerate(now):
        votes = Counter(
            k for word in _marks_of(text) if len(having.get(word, ())) <= RARE for k in having.get(word, ())
        )
        tried = {k for k, _ in votes.most_common(MOST_TRIED)}
        yield from ((i, k) for k in {i, len(before) - len(now) + i, *tried} if 0 <= k < len(before))


def _marks_of(text: str) -> Iterator[str]:
    """The words of a text, and its ends."""
    said = text.strip()
    yield from _words(said)
    if len(said) >= ALIKE:
        yield f"{said[:ALIKE]}…"
        yield f"…{said[-ALIKE:]}"
