"""Settings that cut at nearly every request: each cut moves the beginning, and the provider's cache loses it.

Found on a replay, with the setting that is the cause and the change that ends it, verified by replaying again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from historylab.costs.traffic import billed_traffic
from historylab.errors import HistoryLabError
from historylab.planning.pipeline import open_instruments
from historylab.planning.replay import Timeline, replay
from historylab.settings.fields import MOST_TOKENS
from historylab.settings.model import Settings, stage_options
from historylab.tuning.search_space import MESSAGES

FEWEST = 5
"""Requests after the first cut below which nothing is said."""
MOST = 0.5
"""Share of them whose beginning may change."""
HALF = 0.5
KEPT, BEYOND = MESSAGES
CHOOSES_ANEW = ("relevance", "adaptive", "pairs")
"""Pruners that decide on the whole history at every request."""


@dataclass(frozen=True, slots=True)
class MovingCut:
    """Of the requests `of` after the first cut, `moved` change the beginning; `mended` do under the changes of `mend`.

    `cause` is the setting behind it; it and `mend` are empty where nothing we tried ends it.
    """

    moved: int
    of: int
    cause: str = ""
    mend: Mapping[str, Any] = field(default_factory=dict)
    mended: int = 0


def moving_cut(timeline: Timeline) -> MovingCut | None:
    """The cut of a timeline, if it moves at most requests; its cause is not looked for."""
    whole = timeline.decided and any(plan.is_sized for plan in timeline.plans)  # `tokens` are of the whole request
    sent, untrimmed = (
        (timeline.contexts, timeline.untrimmed_contexts) if whole else (timeline.tokens, timeline.untrimmed)
    )
    cut = np.flatnonzero(sent < untrimmed)
    if not len(cut):
        return None
    broken = billed_traffic(timeline).broken[int(cut[0]) + 1 :]
    moved = int(broken.sum())
    return MovingCut(moved, len(broken)) if len(broken) >= FEWEST and moved > MOST * len(broken) else None


def with_mend(found: MovingCut, timeline: Timeline) -> MovingCut:
    """The same with its cause, and the first change under which the beginning moves half as often at most.

    Nothing is tried where the decisions came from outside: settings of ours are not the cause.
    """
    for cause, changes in _mends(timeline.settings) if not timeline.decided else ():
        try:
            tried = timeline.settings.replace(**changes)
            again = replay(timeline.original, tried, instruments=open_instruments(tried).offline())
        except HistoryLabError:
            continue
        mended = int(billed_traffic(again).broken.sum())
        if mended <= HALF * found.moved:
            return MovingCut(found.moved, found.of, cause, changes, mended)
    return found


def _mends(settings: Settings) -> Iterator[tuple[str, dict[str, Any]]]:
    """Which setting may be the cause, and changes that would end it, the smallest first."""
    share = f"pruner.{settings.pruner}.trim_to"
    half = {share: HALF} if share in stage_options() and settings.value(share) > HALF else {}
    if half:
        yield share, half
    if settings.pruner == "message_window" and settings.value(BEYOND) <= settings.value(KEPT):
        yield BEYOND, {BEYOND: 2 * settings.value(KEPT)}
    if "clear" in settings.tool_output.split("+"):
        yield "tool_output", {"tool_output.clear.batch": 10}
    fifo = {"pruner": "fifo", "pruner.fifo.trim_to": HALF}
    if settings.policy != "all":
        yield "policy", {"policy": "all", **(half or ({} if share in stage_options() else fifo))}
    if settings.pruner in CHOOSES_ANEW:
        yield "pruner", fifo
    if 4 * settings.budget <= MOST_TOKENS:
        yield "budget", {"budget": 4 * settings.budget, **half}
