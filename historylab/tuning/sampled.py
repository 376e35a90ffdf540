"""A sample of the conversations of a sweep, of every length; and how surely its figures tell settings apart.

What is known of lengths before anything is read decides: bytes of files and of lines, rows of a table, characters of
conversations that were handed in. Of the sources in the order of their lengths every k-th is taken from a random start,
so that each is as likely as any other and no length is missed. Packed lines and objects in stores are taken in pieces.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from historylab.conversation.conversation import Conversation
from historylab.errors import SettingsError
from historylab.formats.files.object_stores import is_address, open_file
from historylab.formats.files.pieces import BYTE, LINES, ROW, first_line, holds_conversation
from historylab.tuning.combine import Row
from historylab.tuning.corpus import Source
from historylab.tuning.evidence import Interval
from historylab.tuning.recommend import KEPT, Recommendation
from historylab.tuning.replayed import AS_SENT
from historylab.tuning.shares import ratio_interval
from historylab.tuning.table import rows_of

if TYPE_CHECKING:
    from historylab.tuning.table import DataFrame

NEWLINE = ord("\n")


class DrawnSources(NamedTuple):
    """The sources taken, in their order; how many conversations or pieces that is, of how many; by a seed."""

    sources: tuple[Source, ...]
    taken: int
    whole: int
    seed: int

    def __str__(self) -> str:
        return f"{self.taken:,} of {self.whole:,}, seed {self.seed}"


def draw_sources(sources: Sequence[Source], count: int, seed: int) -> DrawnSources:
    """So many of these sources, lines and rows taken one by one, or all where there are no more.

    Raises SettingsError for fewer than one.
    """
    if count < 1:
        raise SettingsError(f"a sample has at least one conversation, not {count:,}")
    starts, lengths = zip(*map(_units_of, sources), strict=True) if sources else ((), ())
    first = np.cumsum([0, *map(len, starts)])
    whole, dice = int(first[-1]), np.random.default_rng(seed)
    if count >= whole:
        return DrawnSources(tuple(sources), whole, whole, seed)
    mixed = dice.permutation(whole)  # of equal lengths none comes first
    by_length = mixed[np.concatenate(lengths)[mixed].argsort(kind="stable")]
    places = ((np.arange(count) + dice.random()) * (whole / count)).astype(np.int64)
    taken = list[Source]()
    for unit in np.sort(by_length[places]).tolist():
        number = int(first.searchsorted(unit, "right")) - 1
        source, within = sources[number], starts[number]
        if isinstance(source, Conversation) or len(within) == 1:
            taken.append(source)
        else:
            at = int(within[unit - int(first[number])])
            taken.append(replace(source, start=at, stop=at + 1))
    return DrawnSources(tuple(taken), count, whole, seed)


def _units_of(source: Source) -> tuple[np.ndarray, np.ndarray]:
    """int64[k] and float64[k]: of what can be taken alone of a source, where each begins, and its length."""
    if isinstance(source, Conversation):
        return np.zeros(1, np.int64), np.array([sum(len(message.content) for message in source)], float)
    size = float(source.stamp[0])
    if source.stop is not None and source.unit == ROW:
        rows = np.arange(source.start, source.stop)
        return rows, np.full(len(rows), size)
    stop = min(source.stop or source.stamp[0], source.stamp[0])
    if source.unit != BYTE or is_address(source.path) or not (source.stop or _holds_conversations(source.path)):
        return np.array([source.start]), np.array([size if source.stop is None else source.stop - source.start], float)
    before = max(0, source.start - 1)
    with open_file(source.path, source.stamp[0]) as file:
        file.seek(before)
        read = np.frombuffer(file.read(stop - before), np.uint8)
    begins = np.flatnonzero(read[:-1] == NEWLINE) + before + 1
    begins = begins if source.start else np.append(0, begins)
    lengths = np.diff(begins, append=stop)
    lines = lengths > 1  # others are empty
    return begins[lines], lengths[lines].astype(float)


def _holds_conversations(path: str) -> bool:
    """Tell whether each line of a file is a conversation."""
    return path.endswith(LINES) and holds_conversation(first_line(path))


class Surety(NamedTuple):
    """Settings (as JSON) in a sample: what is kept, and what it costs relative to not trimming.

    Each has the bounds that hold it 95 times of 100 in conversations like these. `tied`: the sample can't tell these
    settings from the best ones.
    """

    settings: str
    kept: Interval
    cost_ratio: Interval
    tied: bool


def find_surety(table: DataFrame | Iterable[Row], found: Recommendation) -> tuple[Surety, ...]:
    """The surety of each point of a recommendation made of that table, in their order; none without a choice.

    Settings are compared by pairs: what both did to the same conversation.
    """
    if found.choice is None:
        return ()
    kept_is = next(column for column, noun in KEPT.items() if noun == found.kept_is)
    rows, best = defaultdict[str, list[Row]](list), found.choice.figures["settings"]
    for row in rows_of(table):
        if row["settings"] != AS_SENT:
            rows[row["settings"]].append(row)
    base = _Sums(rows[best], kept_is, found.cost_is)
    sums = {settings: _Sums(its, kept_is, found.cost_is) for settings, its in rows.items()}
    each = (str(point.figures["settings"]) for point in found.points)
    return tuple(
        Surety(name, sums[name].kept(), sums[name].cost_ratio(), name == best or sums[name].ties(base)) for name in each
    )


class _Sums:
    """float64[conversations]: what was needed and held, and paid with and without trimming."""

    def __init__(self, rows: Sequence[Row], kept_is: str, cost_is: str):
        rows = sorted(rows, key=lambda row: row["conversation"])
        weight = "references" if kept_is == "references_kept" else ""
        kept, needed, cost, ratio = (
            np.array([_number(row.get(name, 1)) if name else 1.0 for row in rows])
            for name in (kept_is, weight, cost_is, cost_is.replace("cost_", "ratio_"))
        )
        known = ~np.isnan(kept) & ~np.isnan(needed)
        self.needed, self.held = np.where(known, needed, 0), np.where(known, kept * needed, 0)
        paid = ~np.isnan(cost) & (ratio > 0) if cost_is.startswith("cost_") else np.zeros(len(rows), bool)
        self.paid, self.untrimmed = np.where(paid, cost, 0), np.where(paid, cost / np.where(paid, ratio, 1), 0)

    def kept(self) -> Interval:
        found = _ratio(self.held, self.needed)
        return Interval(found.value, found.low, min(1.0, found.high))

    def cost_ratio(self) -> Interval:
        return _ratio(self.paid, self.untrimmed)

    def ties(self, best: _Sums) -> bool:
        """Tell whether neither the difference in what is kept nor that in cost is sure."""
        kept = _ratio(best.needed + self.held - best.held, best.needed)
        cost = _ratio(self.paid, best.paid)
        return kept.low <= 1 <= kept.high and (not best.paid.any() or cost.low <= 1 <= cost.high)


def _ratio(parts: np.ndarray, wholes: np.ndarray) -> Interval:
    """A sum ÷ another, of the conversations that have any; NaN if none has."""
    some = wholes > 0
    parts, wholes = parts[some], wholes[some]
    value = float(parts.sum() / wholes.sum()) if some.any() else math.nan
    return Interval(value, *ratio_interval(parts.tolist(), wholes.tolist()))


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else math.nan
