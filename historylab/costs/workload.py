"""The load of many conversations: tokens per request, requests over the budget, and the cost of a month.

Each conversation is replayed once under the settings and once without any cut; only the numbers are kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from historylab.conversation.conversation import Conversation
from historylab.costs.bill import against_untrimmed_under
from historylab.costs.caches.base import all_caches
from historylab.planning.pipeline import open_instruments
from historylab.planning.replay import replay
from historylab.pricing import Prices
from historylab.settings.model import Settings

PERCENTILES = (50, 95)


@dataclass(frozen=True, slots=True, eq=False)
class Load:
    """One conversation's numbers: int64[requests] tokens sent and untrimmed, dollars per cache, cut and uncut."""

    title: str
    tokens: np.ndarray
    untrimmed: np.ndarray
    over_budget: int
    costs: Mapping[str, Decimal]
    baseline: Mapping[str, Decimal]


@dataclass(frozen=True, slots=True, eq=False)
class Workload:
    """Conversations together. `counted` says how their tokens were, and whether that is exact."""

    loads: tuple[Load, ...]
    counted: str

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

    def per_conversation(self, cache: str) -> np.ndarray:
        """float64[conversations]: dollars each costs under that cache; empty without prices."""
        return np.array([float(load.costs[cache]) for load in self.loads if cache in load.costs])

    def monthly(self, cache: str, volume: int, *, trimmed: bool = True) -> Decimal | None:
        """Dollars for `volume` conversations like these; None without prices."""
        bills = [load.costs if trimmed else load.baseline for load in self.loads]
        if not bills or cache not in bills[0]:
            return None
        return sum((costs[cache] for costs in bills), Decimal(0)) * volume / len(bills)


def percentiles(values: Sequence[float] | np.ndarray) -> tuple[float, ...]:
    """The PERCENTILES of some values; zeros where there are none."""
    return tuple(map(float, np.percentile(values, PERCENTILES))) if len(values) else (0.0,) * len(PERCENTILES)


def measure_loads(conversations: Iterable[Conversation], settings: Settings, prices: Prices | None) -> Iterator[Load]:
    """The load of each conversation in turn, under every cache model. Without prices there are no costs."""
    instruments = open_instruments(settings)
    for conversation in conversations:
        timeline = replay(conversation, settings, instruments=instruments)
        found = against_untrimmed_under(timeline, all_caches(), prices) if prices else ()
        yield Load(
            conversation.title,
            timeline.contexts,
            timeline.untrimmed_contexts,
            int(timeline.over_budget.sum()),
            {one.bill.cache.name: one.bill.total for one in found},
            {one.baseline.cache.name: one.baseline.total for one in found},
        )
