"""Evidence: how surely one set of settings keeps more or costs less than another, on requests seen and on more of them.

The needs of one turn stand and fall together, and so do those of one conversation. So what is drawn anew for an
interval is never a single need but a *cluster*: a conversation where there are enough of them, else a run of requests.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from historylab.tuning.outcome import Outcome

DRAWS = 2_000
BOUNDS = (5, 95)
"""Percentiles of the draws between which an interval lies: 90 of 100, so that each bound alone holds 95."""
FEWEST_CONVERSATIONS = 8
"""The fewest conversations that are clusters themselves: fewer say too little about how conversations differ."""
FEWEST_NEEDS = 30
"""The number of needs below which no claim is made about a share."""
FEWEST_TO_NAME = 10
"""The number of needs below which what may have missed some isn't even called promising."""
LIKELY, PROMISING = 0.8, 0.6
"""The least chances of doing no worse on further requests at which settings are called better, and promising."""
SEEN = 1.5
"""The requests seen, as a multiple of those a chance is told of: 60 foretell 40."""
NONE_YET = 0.5
"""The losses to reckon with where none was seen (Jeffreys' prior), while as much was withheld as will be."""
RUNS = 10
"""The runs of requests that each conversation is divided into where there are fewer conversations."""

Span = tuple[int, int, int]
"""Requests of one conversation: its number, the first of them and the one after the last."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A value, and the bounds that hold 90 of 100 draws."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """Settings beside a base on the same requests.

    `kept` and `base_kept` are shares from 0 to 1, `noted` and `base_noted` the part of them that the summary alone
    holds; `cost_ratio` and `base_cost_ratio` are relative to not trimming. `more_kept` is the difference in what is
    kept, `cost` the cost as a multiple of the base's; `holds` is the chance that on so many `further` requests neither
    is worse than the limits allow, whether or not what a summary alone holds counts. The shares are of `needs` needs,
    in so many `requests` and `conversations`.
    """

    kept: float
    base_kept: float
    noted: float
    base_noted: float
    cost_ratio: float
    base_cost_ratio: float
    more_kept: Interval
    cost: Interval
    holds: float
    needs: int
    requests: int
    conversations: int
    further: int

    @property
    def in_messages(self) -> float:
        """The share that messages hold: what is kept without what the summary alone holds."""
        return self.kept - self.noted

    @property
    def surely_more(self) -> float:
        """The difference in what is kept, or in what messages keep if that is less: no summary decides it alone."""
        return min(self.more_kept.value, self.in_messages - self.base_kept + self.base_noted)


@dataclass(frozen=True, slots=True, eq=False)
class ClusterSums:
    """Needs, needs held, those held by the summary alone, cost and untrimmed cost per cluster under one set of
    settings: float64[clusters] each.
    """

    needed: np.ndarray
    held: np.ndarray
    noted: np.ndarray
    cost: np.ndarray
    untrimmed: np.ndarray

    @classmethod
    def concatenate(cls, parts: Sequence[ClusterSums]) -> ClusterSums:
        """The clusters of several parts together."""
        columns = ("needed", "held", "noted", "cost", "untrimmed")
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in columns))


def sum_clusters(outcomes: Sequence[Outcome], spans: Sequence[Span], tiers: Sequence[int], runs: int) -> ClusterSums:
    """The sums over each cluster of these requests, of the needs of some tiers, with `runs` clusters a conversation."""
    parts = []
    for number, first, stop in spans:
        found = outcomes[number]
        starts = np.unique(np.linspace(first, stop, min(runs, stop - first) + 1).astype(np.int64)[:-1]) - first
        facts = (each[first:stop, list(tiers)].sum(1) for each in (found.needed, found.held, found.noted))
        arrays = (*facts, found.cost[first:stop], found.untrimmed[first:stop])
        parts.append(ClusterSums(*(np.add.reduceat(array.astype(float), starts) for array in arrays)))
    return ClusterSums.concatenate(parts)


def clusters_per_conversation(conversations: int) -> int:
    """The number of clusters that each of so many conversations is divided into."""
    return 1 if conversations >= FEWEST_CONVERSATIONS else RUNS


@dataclass(frozen=True, slots=True)
class Limits:
    """The losses allowed: of the share kept (half a point is no loss yet), and in cost (a share of the base's); and the
    least share to keep.
    """

    less_kept: float = 0.005
    more_cost: float = 0.0
    least_kept: float = 0.0


def compare_sums(
    ours: ClusterSums, base: ClusterSums, spans: Sequence[Span], seed: int, limits: Limits, *, exposure: float
) -> Comparison:
    """The settings beside the base on these requests, with intervals over clusters drawn with replacement.

    `exposure`: what they will withhold of the base's on the further requests, as a multiple of what they withheld on
    these; 0 where nothing is.
    """
    weights = _draws(len(base.needed), seed)
    kept, base_kept = (_share(each.held.sum(), each.needed.sum()) for each in (ours, base))
    noted, base_noted = (each.noted.sum() / max(1.0, each.needed.sum()) for each in (ours, base))
    drawn, base_drawn = (_share(weights @ each.held, weights @ each.needed) for each in (ours, base))
    whole, requests, further = base.untrimmed.sum(), count_requests(spans), count_further(spans)
    cost, base_cost = ours.cost.sum(), base.cost.sum()
    return Comparison(
        float(kept),
        float(base_kept),
        float(noted),
        float(base_noted),
        float(_share(cost, whole)),
        float(_share(base_cost, whole)),
        _interval(kept - base_kept, drawn - base_drawn),
        _interval(_share(cost, base_cost), _share(weights @ ours.cost, weights @ base.cost)),
        _chance(ours, base, seed, limits, further / max(1, requests), exposure),
        int(base.needed.sum()),
        requests,
        len(spans),
        further,
    )


def count_requests(spans: Sequence[Span]) -> int:
    """The number of these requests."""
    return sum(stop - first for _, first, stop in spans)


def count_further(spans: Sequence[Span]) -> int:
    """The number of requests after them that a chance is told of, however few of those so far it was read from."""
    return sum(round(stop / SEEN) for _, _, stop in spans)


def _chance(ours: ClusterSums, base: ClusterSums, seed: int, limits: Limits, more: float, exposure: float) -> float:
    """The share of draws of `more` times as many clusters that stay within the limits.

    A prediction is unsure twice: about which clusters are typical, and about which of those come next. What a summary
    alone holds counts as held in both or in neither, whichever is worse.
    """
    weights, further = _predict(len(base.needed), seed, more, exposure)
    needed, lost = weights @ base.needed, weights @ (base.held - ours.held)
    lost = np.maximum(lost, lost + weights @ (ours.noted - base.noted)) + further
    held = weights @ (ours.held - ours.noted) - further
    most_paid = (1 + limits.more_cost) * (weights @ base.cost)
    holds = (lost <= limits.less_kept * needed + 1e-9) & (weights @ ours.cost <= most_paid + 1e-9)
    return float((holds & (held >= limits.least_kept * needed - 1e-9)).mean())


@lru_cache(maxsize=64)
def _predict(clusters: int, seed: int, more: float, exposure: float) -> tuple[np.ndarray, np.ndarray]:
    """float64[draws, clusters]: how often each comes in `more` times as many; int64[draws]: losses of a new kind.

    What was withheld for a short while has had no time to be missed, so those losses come in proportion to `exposure`.
    """
    dice = np.random.default_rng(seed)
    typical = dice.multinomial(clusters, np.full(clusters, 1 / clusters), size=DRAWS) / clusters
    weights = dice.multinomial(max(1, round(more * clusters)), typical).astype(float)
    return weights, dice.negative_binomial(NONE_YET, 1 / (1 + exposure), DRAWS) if exposure else np.zeros(DRAWS)


@lru_cache(maxsize=16)
def _draws(clusters: int, seed: int) -> np.ndarray:
    """float64[draws, clusters]: how often each cluster is drawn."""
    dice = np.random.default_rng(seed)
    return dice.multinomial(clusters, np.full(clusters, 1 / clusters), size=DRAWS).astype(float)


def _share(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """part ÷ whole; 1 where there is nothing."""
    found: np.ndarray = np.where(np.asarray(whole) > 0, part / np.maximum(whole, 1e-12), 1.0)
    return found


def _interval(value: np.ndarray, drawn: np.ndarray) -> Interval:
    low, high = np.percentile(drawn, BOUNDS)
    return Interval(float(value), float(low), float(high))
