"""Pairs of two lists' places that keep the order on both sides."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

Pair = tuple[int, int]


def keep_order(pairs: Sequence[Pair]) -> list[Pair]:
    """As many pairs as can be of which both sides grow."""
    ends, tails, before = list[int](), list[int](), list[int]()
    for n, (_, place) in enumerate(pairs):
        at = bisect_left(ends, place)
        before.append(tails[at - 1] if at else -1)
        if at == len(ends):
            ends.append(place)
            tails.append(n)
        else:
            ends[at], tails[at] = place, n
    found, n = list[Pair](), tails[-1] if tails else -1
    while n >= 0:
        found.append(pairs[n])
        n = before[n]
    return found[::-1]


def pair_from_the_end(
    left: Sequence[int],
    places: Sequence[int],
    names: Callable[[int], Sequence[Hashable]],
    names_given: Callable[[int], Sequence[Hashable]],
) -> list[Pair]:
    """The pairs with a name in common, from the end back, each time the newest that keeps the order."""
    named, bound, found = (
        places_by_name((name, p) for p in places for name in names_given(p)),
        places[-1] + 1,
        list[Pair](),
    )
    for k in reversed(left):
        ends = [having[at - 1] for name in names(k) if (at := bisect_left(having := named.get(name, []), bound))]
        if ends:
            bound = max(ends)
            found.append((k, bound))
    return found[::-1]


def places_by_name(named: Iterable[tuple[Hashable, int]]) -> dict[Hashable, list[int]]:
    """The places that have each name, in the order given."""
    found = defaultdict[Hashable, list[int]](list)
    for name, place in named:
        found[name].append(place)
    return found


def heaviest(pairs: Mapping[Pair, float]) -> list[Pair]:
    """Of weighted pairs those that grow on both sides and weigh most together; the later ones, if as many do."""
    columns = sorted({k for _, k in pairs})
    best: list[tuple[float, Pair | None]] = [(0, None)] * (len(columns) + 1)  # a tree of maxima over the columns
    before = dict[Pair, Pair | None]()
    for pair in sorted(pairs, key=lambda pair: (pair[0], -pair[1])):
        place = bisect_left(columns, pair[1])
        weight, before[pair] = _largest(best, place)
        reached: tuple[float, Pair | None] = (weight + pairs[pair], pair)
        place += 1
        while place < len(best):
            if reached[0] >= best[place][0]:
                best[place] = reached
            place += place & -place
    found, last = list[Pair](), _largest(best, len(columns))[1]
    while last is not None:
        found.append(last)
        last = before[last]
    return found[::-1]


def _largest(best: Sequence[tuple[float, Pair | None]], place: int) -> tuple[float, Pair | None]:
    """The best that ends in the first so many columns; of equal ones the later."""
    found = best[0]
    while place > 0:
        if best[place][0] > found[0]:
            found = best[place]
        place -= place & -place
    return found
