"""Sentences on a choice: why it was taken, what stands in the way where nothing fits, and what it gives up."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence

from historylab.costs.amounts import money, percent, times
from historylab.tuning.constraints import EVERY_STAR, Constraints
from historylab.tuning.points import Point


def why_chosen(
    choice: Point, points: Sequence[Point], stated: Constraints, what: str, noun: str, cost_is: str
) -> tuple[str, ...]:
    """ "4 of 6 settings meet all constraints; budget=2000 is the cheapest: $2.00, 2.00× not trimming." """
    ratio = float(choice.figures.get(f"ratio_{stated.cache}", math.nan))
    beside = "" if math.isnan(ratio) or cost_is == "tokens_total" else f", {times(ratio)} not trimming"
    cost = f"{_cost(choice, cost_is)}{beside}"
    if len(points) > 1:
        why = [f"{_how_many(points, stated)} {choice.label} {what}: {cost}."]
    else:
        why = [f"Only {choice.label} were tried{', and meet all constraints' if stated.any_set else ''}: {cost}."]
    why.append(f"It keeps {percent(choice.kept)} of {noun}." if choice.kept_known else f"Nothing is known of {noun}.")
    if stated.every_star and not choice.figures["stars"]:
        why.append(f"No message is marked to be remembered, so “{EVERY_STAR}” excludes nothing.")
    return tuple(why)


def _how_many(points: Sequence[Point], stated: Constraints) -> str:
    """ "4 of 6 settings meet all constraints;": how many there were to choose from."""
    if not stated.any_set:
        return f"Of {len(points):,} settings"
    allowed = sum(not point.broken for point in points)
    if allowed == len(points):
        return f"All {len(points):,} settings meet all constraints;"
    return f"{allowed:,} of {len(points):,} settings {'meets' if allowed == 1 else 'meet'} all constraints;"


def why_nothing(points: Sequence[Point]) -> str:
    """The number of settings each constraint excludes, and the settings that break the fewest."""
    nearest = min(points, key=lambda p: (len(p.broken), p.cost))
    broken = "” and “".join(nearest.broken)
    if len(points) == 1:
        return f"Only {nearest.label} were tried, and break “{broken}”."
    counts = Counter(words for point in points for words in point.broken)
    excluded = ", ".join(f"“{words}” excludes {n:,}" for words, n in counts.most_common())
    none = f"None of the {len(points):,} settings meets every constraint: {excluded}."
    return f"{none} {nearest.label} breaks only “{broken}”."


def given_up(choice: Point, points: Sequence[Point], noun: str, cost_is: str) -> Iterator[str]:
    """Against the settings that keep the most, and against the cheapest, whatever the constraints."""
    best = min(points, key=lambda p: (-p.kept, p.cost))
    if best.kept > choice.kept:
        by = f"{100 * (best.kept - choice.kept):+.1f}"
        more = f" ({by} points)" if float(by) else ""
        yield f"{best.label} keeps {percent(best.kept)} of {noun}{more} for {_cost(best, cost_is)}{_breaks(best)}."
    cheapest = min(points, key=lambda p: (p.cost, -p.kept))
    if cheapest.cost < choice.cost:
        kept = f"but keeps {percent(cheapest.kept)}" if cheapest.kept < choice.kept else "and keeps as much"
        yield f"{cheapest.label} costs {_cost(cheapest, cost_is)} {kept}{_breaks(cheapest)}."


def _breaks(point: Point) -> str:
    return f", and breaks “{'” and “'.join(point.broken)}”" if point.broken else ""


def _cost(point: Point, cost_is: str) -> str:
    return f"{point.cost:,.0f} tokens" if cost_is == "tokens_total" else money(point.cost)
