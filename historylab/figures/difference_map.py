"""The difference map's bytes: which messages only one of two timelines sends, in the retention map's format."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from historylab.figures.difference_grid import Decisions, Difference, DifferenceGrid, difference_grid
from historylab.figures.retention_grid import reason_sentence
from historylab.figures.retention_map import browser_look, compress_cells, map_axes, map_bins
from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import Action
from historylab.planning.replay import Timeline
from historylab.wording.palette import BOTH, CONFIGURATIONS, LOOKS, NEITHER, UNLIKE, Look

TEXTURES = {Difference.NEITHER: "dotted", Difference.UNLIKE: "ruled", Difference.ONLY_B: "hatched"}


def pack_difference(a: Timeline, b: Timeline, letter: str) -> bytes:
    """The part that depends on the two timelines alone, whose messages must match; `letter` names the second one."""
    grid = difference_grid(a, b)
    looks = difference_looks(letter)
    still = {
        **map_axes(a),
        **map_bins(a.conversation, len(grid.rows) - 1, len(grid.columns) - 1),
        **_words(a, b, letter, grid),
        "looks": [browser_look(looks[difference], TEXTURES.get(difference, "")) for difference in Difference],
        "codes": [int(code.difference) for code in grid.codes],
        "says": [_says(counts, letter) for counts in grid.counts.tolist()],
        "binned": "somewhere ",
        "share": _share(grid),
        "over": [],
        "pins": [],
        "moved": [],
    }
    return compress_cells(still, grid.newest, grid.cells)


def difference_looks(letter: str) -> Mapping[Difference, Look]:
    """Name and look of each difference from A."""
    a, b = (next(look for look in CONFIGURATIONS if look.word == word) for word in ("A", letter))
    only = {
        Difference.ONLY_B: Look(f"only {letter}", letter, b.light, b.dark, f"{letter} sends it, A doesn’t"),
        Difference.ONLY_A: Look("only A", "A", a.light, a.dark, f"A sends it, {letter} doesn’t"),
    }
    return {Difference.NEITHER: NEITHER, Difference.BOTH: BOTH, Difference.UNLIKE: UNLIKE, **only}


def _says(counts: list[int], letter: str) -> str:
    """ "12 messages only in A, 3 only in B" """
    words = {Difference.ONLY_A: "only in A", Difference.ONLY_B: f"only in {letter}", Difference.UNLIKE: "not alike"}
    parts = [f"{counts[difference]:,} {how}" for difference, how in words.items() if counts[difference]]
    if not parts:
        return "the same messages"
    first, *more = parts
    count, _, how = first.partition(" ")
    return ", ".join((f"{count} {'message' if count == '1' else 'messages'} {how}", *more))


def _share(grid: DifferenceGrid) -> list[int]:
    """Per column, percent of messages that differ (rounded up); of a bin, its highest."""
    differ = grid.counts[:, Difference.UNLIKE :].sum(axis=1)
    percent = np.ceil(100 * differ / np.maximum(1, grid.counts.sum(axis=1))).astype(int)
    per_column: list[int] = np.maximum.reduceat(percent, grid.columns[:-1]).tolist()
    return per_column


def _words(a: Timeline, b: Timeline, letter: str, grid: DifferenceGrid) -> dict[str, Any]:
    """The sentences, and per column {code: index of its sentence}, with the numbers of the column's last request."""
    known: dict[str, int] = {}
    why = []
    for column, after in enumerate(grid.columns[1:].tolist()):
        plans = a.plans[after - 1], b.plans[after - 1]
        by_code = {}
        for k in np.flatnonzero(np.bincount(grid.cells[:, column]))[1:].tolist():
            by_code[k] = known.setdefault(_sentence(grid.codes[k - 1], plans, ("A", letter)), len(known))
        why.append(by_code)
    return {"sentences": list(known), "why": why}


def _sentence(code: Decisions, plans: tuple[HistoryPlan, HistoryPlan], letters: tuple[str, str]) -> str:
    """ "A: ● kept. B: × dropped. Older than the last 10 user messages." """
    parts = []
    for letter, plan, action, reason in zip(letters, plans, code.actions, code.reasons, strict=True):
        because = reason_sentence(plan, reason) if action > Action.PINNED else ""
        parts.append(" ".join(filter(None, (f"{letter}: {LOOKS[action].badge}.", because))))
    return " ".join(parts)
