"""The load of many conversations: tokens per request, requests over their limit, facts lost, the cost of a month.

Only the numbers of each timeline are kept, beside those of not trimming.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from historylab.costs.bill import against_untrimmed
from historylab.planning.context_fill import context_limit
from historylab.planning.replay import Timeline
from historylab.pricing import Prices
from historylab.recall.retention import FACTS, Kept, retention

PERCENTILES = (50, 95)


@dataclass(frozen=True, slots=True, eq=False)
class Load:
    """One conversation's numbers: int64[requests] tokens sent and untrimmed; the limit of each request and what it is,
    and how many are over the budget; facts that requests needed and of these the lost ones, None where no text says;
    dollars with the model's cache, None where prices are unknown.
    """

    tokens: np.ndarray
    untrimmed: np.ndarray
    limit: tuple[int, str]
    over_budget: int
    facts: int | None = None
    facts_lost: int | None = None
    cost: Decimal | None = None
    untrimmed_cost: Decimal | None = None

    @property
    def largest(self) -> int:
        """The tokens of the largest request; 0 without any."""
        return int(self.tokens.max(initial=0))


@dataclass(frozen=True, slots=True, eq=False)
class Workload:
    """Conversations together."""

    loads: tuple[Load, ...]

    @property
    def tokens(self) -> np.ndarray:
        """int64[all requests]: what each sends."""
        return np.concatenate([load.tokens for load in self.loads] or [np.empty(0, np.int64)])

    @property
    def untrimmed(self) -> np.ndarray:
        """int64[all requests]: what each would send without any cut."""
        return np.concatenate([load.untrimmed for load in self.loads] or [np.empty(0, np.int64)])

    @property
    def over_share(self) -> float:
        """Share of all requests that are over the budget."""
        return sum(load.over_budget for load in self.loads) / max(1, len(self.tokens))

    @property
    def limit(self) -> tuple[int, str] | None:
        """The tokens that every request may take, and what that is; None where not all conversations have the same."""
        limits = {load.limit for load in self.loads if len(load.tokens)}
        return limits.pop() if len(limits) == 1 else None

    @property
    def facts_lost(self) -> int:
        """The number of facts that were gone when a request needed them."""
        return sum(load.facts_lost or 0 for load in self.loads)

    @property
    def losing(self) -> int:
        """The number of conversations that lost any."""
        return sum(bool(load.facts_lost) for load in self.loads)

    def monthly(self, volume: int, *, trimmed: bool = True) -> Decimal | None:
        """Dollars for `volume` conversations like those whose prices are known; None where none is."""
        bills = [load.cost if trimmed else load.untrimmed_cost for load in self.loads]
        known = [cost for cost in bills if cost is not None]
        return sum(known, Decimal(0)) * volume / len(known) if known else None


def percentiles(values: Sequence[float] | np.ndarray) -> tuple[float, ...]:
    """The PERCENTILES of some values; zeros where there are none."""
    return tuple(map(float, np.percentile(values, PERCENTILES))) if len(values) else (0.0,) * len(PERCENTILES)


def measure_load(timeline: Timeline, prices: Prices | None) -> Load:
    """The load of a timeline. Without prices it has no costs."""
    bills = against_untrimmed(timeline, prices=prices) if prices and timeline.plans else None
    facts = _facts(timeline)
    return Load(
        timeline.contexts,
        timeline.untrimmed_contexts,
        _limit_of(timeline),
        int(timeline.over_budget.sum()),
        facts.total if facts else None,
        facts.lost if facts else None,
        bills.bill.total if bills else None,
        bills.baseline.total if bills else None,
    )


def _limit_of(timeline: Timeline) -> tuple[int, str]:
    limit, sized = context_limit(timeline), timeline.plans and timeline.plans[-1].is_sized
    return limit.tokens, "window" if limit.is_window else "largest request" if sized else "budget"


def _facts(timeline: Timeline) -> Kept | None:
    if timeline.original.recorded.textless:
        return None
    kept = retention(timeline).kept
    return Kept(sum(kept[kind].total for kind in FACTS), sum(kept[kind].kept for kind in FACTS))
