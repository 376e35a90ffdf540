"""Cut depth: the same settings cutting down to a half instead of exactly to the limit, both replayed."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from historylab.conversation.conversation import Conversation
from historylab.costs.bill import against_untrimmed
from historylab.costs.traffic import billed_traffic, tokens_share
from historylab.errors import SettingsError
from historylab.planning.pipeline import open_instruments
from historylab.planning.replay import Timeline, replay
from historylab.recall.retention import retention
from historylab.settings.model import Settings, stage_options
from historylab.tuning.moving_cut import HALF, moving_cut
from historylab.tuning.outcome import TIER_OF

EXACTLY = 1.0
KINDS = ("reference", "evidence", "link")
"""The kinds of needs whose share kept is told: of these the first there is."""


class Cut(NamedTuple):
    """Requests whose beginning settings change, their cost ÷ not trimming, and the share kept (NaN: unknown).

    Without prices (not `priced`) tokens stand for the cost. `tiers` are those of the needs that the share is of.
    """

    moved: int
    cost: float
    kept: float
    tiers: Sequence[int]
    priced: bool = True


@dataclass(frozen=True, slots=True)
class CutDepth:
    """The same settings cutting exactly to the limit, and down to a half of it; `name` is the one that differs."""

    name: str
    exact: Cut
    half: Cut

    @property
    def steadies(self) -> bool:
        """Whether the beginning changes at half as many requests at most."""
        return 2 * self.half.moved <= self.exact.moved


def cut_depth(settings: Settings, measured: Callable[[Settings], Cut]) -> CutDepth | None:
    """Both, as measured; None where no beginning changes, or the pruner has no such setting."""
    name = f"pruner.{settings.pruner}.trim_to"
    if name not in stage_options():
        return None
    exact, half = (measured(settings.replace(options={**settings.options, name: share})) for share in (EXACTLY, HALF))
    return CutDepth(name, exact, half) if exact.moved or half.moved else None


def depth_worth_saying(timeline: Timeline) -> CutDepth | None:
    """Of a timeline that cuts at most requests, where cutting down to a half steadies the beginning; else None.

    None, too, of one whose decisions came from outside: no setting of ours is behind its cuts.
    """
    settings = timeline.settings
    name = f"pruner.{settings.pruner}.trim_to"
    if name not in stage_options() or settings.value(name) <= HALF or timeline.decided_by or not moving_cut(timeline):
        return None
    found = cut_depth(settings, lambda tried: measure_cut(timeline.original, tried))
    return found if found and found.steadies else None


def measure_cut(conversation: Conversation, settings: Settings) -> Cut:
    """The cut of settings in one conversation, priced as `bill` does by default; no model is asked."""
    timeline = replay(conversation, settings, instruments=open_instruments(settings).offline())
    kept = retention(timeline).kept
    kind = next((kind for kind in KINDS if kept[kind].total), "link")
    share = kept[kind].share
    moved = billed_traffic(timeline).breaks
    try:
        cost, priced = against_untrimmed(timeline).ratio, True
    except SettingsError:
        cost, priced = tokens_share(timeline), False
    return Cut(moved, cost, math.nan if share is None else share, [TIER_OF[kind]], priced)
