"""Whether a message that some settings send is sent under larger values as well: more room is not always better.

A larger budget can mean a later summary, and more history more competition for the same room. So each larger value is
planned: a sentence says "≥" only where all of them send the message, else it names what was tried.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from historylab.settings.fields import MOST_TOKENS
from historylab.settings.model import stage_options

NEAR = 16  # values right after the named one
SPREAD = 60  # values between it and each scale
CORNERS = 6  # values of each setting whose combinations are tried
REPLAYS = 8_000  # requests planned, about, where each value replays all earlier ones
FEWEST = 6  # values tried even so

Sends = Callable[[Mapping[str, Any]], bool]


@dataclass(frozen=True, slots=True)
class Tried:
    """Larger values that were tried: how many, the largest of each, and the first that don't send the message.

    `summaries` says what wrote them in the trials, where the settings name a model that wasn't asked.
    """

    values: int
    up_to: Mapping[str, int | float]
    not_at: Mapping[str, int | float]
    summaries: str = ""

    def clause(self, title: Callable[[str], str]) -> str:
        """ ", and at each of 40 larger values tried, up to 24,000"; settings by their `title`."""
        if self.not_at:
            tried = f", but not if {' and '.join(f'{title(name)} = {value:,}' for name, value in self.not_at.items())}"
        elif not self.values:
            tried = "; no larger value was tried"
        else:
            up_to = " and ".join(f"{value:,}" for value in self.up_to.values())
            tried = f", and at each of the {self.values:,} larger values tried, up to {up_to}"
        return f"{tried}{self.summaries}"

    def offline(self) -> Tried:
        return replace(self, summaries=" (with extractive summaries, as no model is asked to try this)")


def try_larger(
    undo: Mapping[str, Any], sends: Sends, scales: Sequence[int], replays: int
) -> tuple[dict[str, Any], Tried | None]:
    """The settings, their number raised if only larger ones send it throughout; and None if every larger value does.

    `scales` are numbers up to which values are spread. Where one trial plans `replays` requests, few are tried, and
    nothing is said of those between them.
    """
    numbers = {name: v for name, v in undo.items() if isinstance(v, int | float) and not isinstance(v, bool)}
    if not numbers:
        return dict(undo), None
    grids = {name: _larger(name, value, scales, replays, len(numbers)) for name, value in numbers.items()}
    larger = [{**numbers, name: value} for name, grid in grids.items() for value in grid]
    if len(numbers) > 1:
        larger += _corners(numbers, grids)
    if replays:
        larger = _thin_out(larger, max(FEWEST, REPLAYS // replays))
    failing = [k for k, values in enumerate(larger) if not sends({**undo, **values})]
    below = any(sends({**undo, name: value - 1}) for name, value in numbers.items())
    if not failing and not below and not replays:
        return dict(undo), None
    if failing and len(numbers) == 1 and failing[-1] + 1 < len(larger):
        undo, larger, failing = {**undo, **larger[failing[-1] + 1]}, larger[failing[-1] + 2 :], []
    up_to = {name: max((values[name] for values in larger), default=undo[name]) for name in numbers}
    return dict(undo), Tried(len(larger), up_to, larger[failing[0]] if failing else {})


def largest_value(setting: str) -> int:
    """The largest value the setting takes."""
    maximum = stage_options()[setting].schema.get("maximum") if "." in setting else None
    return MOST_TOKENS if maximum is None else maximum


def _larger(name: str, value: int | float, scales: Sequence[int], replays: int, settings: int) -> list[int]:
    """Larger values of one of so many settings, ascending."""
    top, first = largest_value(name), int(value) + 1
    spread = SPREAD if not replays else max(4, min(SPREAD, REPLAYS // replays) // settings)
    found = {first + (scale - first) * k // spread for scale in scales for k in range(spread + 1) if scale > first}
    if not replays:
        found |= {*range(first, first + NEAR), top}
    return sorted(v for v in found if value < v <= top)


def _thin_out(values: list[dict[str, int | float]], most: int) -> list[dict[str, int | float]]:
    """At most so many of them, spread evenly, the last among them."""
    few = min(most, len(values))
    return [values[(k + 1) * len(values) // few - 1] for k in range(few)]


def _corners(numbers: Mapping[str, int | float], grids: Mapping[str, Sequence[int]]) -> list[dict[str, int | float]]:
    """Combinations in which several settings have a larger value."""
    few = [[*grid[:: max(1, len(grid) // CORNERS)], *grid[-1:]] for grid in grids.values()]
    return [dict(zip(numbers, values, strict=True)) for values in product(*few)]
