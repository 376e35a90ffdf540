"""What it is worth here to cut down to a half instead of exactly to the limit: both replayed, and in a sentence."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from historylab.conversation.conversation import Conversation
from historylab.costs.amounts import count_of, percent, times
from historylab.costs.bill import against_untrimmed
from historylab.costs.traffic import billed_traffic, tokens_share
from historylab.errors import SettingsError
from historylab.planning.pipeline import open_instruments
from historylab.planning.replay import Timeline, replay
from historylab.recall.retention import retention
from historylab.settings.model import Settings, stage_options
from historylab.tuning.moving_cut import HALF, moving_cut

EXACTLY = 1.0
NOUNS = {
    "reference": "facts in tool calls",
    "evidence": "evidence",
    "link": "facts in answers (an estimate)",
}
"""What is kept, by kind of need: the first kind there is counts."""


class Cut(NamedTuple):
    """What settings do: requests whose beginning they change, cost ÷ not trimming, and the share kept (NaN: unknown).

    Without prices (not `priced`) tokens stand for the cost. `noun` is what is kept.
    """

    moved: int
    cost: float
    kept: float
    noun: str
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

    @property
    def sentence(self) -> str:
        """ "… the beginning changes, and the cache is lost, at 3 requests instead of 41; it costs 0.77× …" """
        limit = "window" if ".sliding_window." in self.name else "budget"
        moved = f"at {count_of(self.half.moved, 'request')} instead of {self.exact.moved:,}"
        verb, what = ("costs", "not trimming") if self.exact.priced else ("sends", "the tokens of not trimming")
        cost = f"it {verb} {times(self.half.cost)} instead of {times(self.exact.cost)} {what}"
        return (
            f"Cutting down to a half instead of exactly to the {limit}: the beginning changes, and the cache is lost, "
            f"{moved}; {cost}{self._kept()}."
        )

    def _kept(self) -> str:
        """ ", and keeps 87% instead of 91% of facts in tool calls"; "" where nothing was needed."""
        if math.isnan(self.half.kept) or math.isnan(self.exact.kept):
            return ""
        half, exact = percent(self.half.kept), percent(self.exact.kept)
        kept = f"as much, {half}" if half == exact else f"{half} instead of {exact}"
        return f", and keeps {kept} of {self.exact.noun}"


def cut_depth(settings: Settings, measured: Callable[[Settings], Cut]) -> CutDepth | None:
    """Both, as measured; None where no beginning changes, or the pruner has no such setting."""
    name = f"pruner.{settings.pruner}.trim_to"
    if name not in stage_options():
        return None
    exact, half = (measured(settings.replace(options={**settings.options, name: share})) for share in (EXACTLY, HALF))
    return CutDepth(name, exact, half) if exact.moved or half.moved else None


def depth_worth_saying(timeline: Timeline) -> CutDepth | None:
    """Of a timeline that cuts at most requests, where cutting down to a half steadies the beginning; else None."""
    settings = timeline.settings
    name = f"pruner.{settings.pruner}.trim_to"
    if name not in stage_options() or settings.value(name) <= HALF or not moving_cut(timeline):
        return None
    found = cut_depth(settings, lambda tried: measure_cut(timeline.original, tried))
    return found if found and found.steadies else None


def measure_cut(conversation: Conversation, settings: Settings) -> Cut:
    """What settings do to one conversation, priced as `bill` does by default; no model is asked."""
    timeline = replay(conversation, settings, instruments=open_instruments(settings).offline())
    kept = retention(timeline).kept
    kind = next((kind for kind in NOUNS if kept[kind].total), "link")
    share = kept[kind].share
    moved = billed_traffic(timeline).breaks
    try:
        cost, priced = against_untrimmed(timeline).ratio, True
    except SettingsError:
        cost, priced = tokens_share(timeline), False
    return Cut(moved, cost, math.nan if share is None else share, NOUNS[kind], priced)
