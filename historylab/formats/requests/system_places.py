"""Places of system messages among Anthropic's: after a user's turn, before an answer or last, one at each, in order.

One whose own place is gone takes the next that is free before the next system message that kept its own, so that what
was said later still counts as later. Where several want what is left, the newest have it.
Source: Anthropic's documentation, mid-conversation system messages.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Wanted(NamedTuple):
    """The first place a message may take, of those that there are; whether it is its `own`, where the caller had it."""

    first: int
    own: bool


def system_places(wanted: Sequence[Wanted], places: int) -> list[int | None]:
    """The place of each message, in their order; None for one that has none left."""
    fits: list[bool] = []
    limit = places
    for first, own in reversed(wanted):  # the newest first: each leaves what is before it to the older ones
        fits.append(first < limit)
        if fits[-1]:
            limit = first if own else limit - 1
    found: list[int | None] = []
    before = -1
    for (first, _), has_one in zip(wanted, reversed(fits), strict=True):
        if has_one:
            before = max(first, before + 1)
        found.append(before if has_one else None)
    return found


def join_the_unplaced(found: Sequence[int | None], places: int) -> list[int | None]:
    """The same places, where those that have none share that of the next one."""
    joined: list[int | None] = []
    following: int | None = places - 1
    for place in reversed(found):
        following = following if place is None else place
        joined.append(following)
    return joined[::-1]
