"""Bills: what requests cost under a cache model and a list of prices.

Only arithmetic over arrays; `traffic.py` derives what a replay really sends, `caches/` holds the cache models. Money is
Decimal, in US dollars.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

import numpy as np

from historylab.conversation.message import Usage
from historylab.costs.caches.base import Cache, open_cache
from historylab.pricing import Prices

MILLION = Decimal(1_000_000)
PARTS = ("uncached", "cache_writes", "cache_reads", "output", "summaries")
"""The parts of a request's cost, in display order."""
NOTHING = Usage()


@dataclass(frozen=True, slots=True, eq=False)
class Traffic:
    """The tokens that the requests of a replay send: arrays of one entry per request.

    `sent` (int64) is all of it, the fixed overhead included; `shared` (int64) how much of its beginning the request
    before has too; `broken` (bool) whether the request before is no longer its prefix; `idle` (float64) seconds since
    the request before, NaN if unknown; `output` (int64) the reply; `summaries` the summarizer's own calls for it.
    """

    sent: np.ndarray
    shared: np.ndarray
    broken: np.ndarray
    idle: np.ndarray
    output: np.ndarray
    summaries: tuple[Usage, ...]

    @property
    def breaks(self) -> int:
        """Requests whose prefix was invalidated."""
        return int(self.broken.sum())

    @property
    def stable_share(self) -> float:
        """Share of the requests after the first that only add to the one before; 1 if there are none."""
        after = len(self.sent) - 1
        return 1 - self.breaks / after if after > 0 else 1.0


@dataclass(frozen=True, eq=False)
class Bill:
    """The cost of each request under one cache model and one price list. Token counts: int64[requests]."""

    traffic: Traffic
    prices: Prices
    cache: Cache
    cache_reads: np.ndarray
    cache_writes: np.ndarray

    @cached_property
    def uncached(self) -> np.ndarray:
        """int64[requests]: input that is neither read nor written; the three add up to `traffic.sent`."""
        uncached: np.ndarray = self.traffic.sent - self.cache_reads - self.cache_writes
        return uncached

    @property
    def read_share(self) -> float:
        """Share of all tokens sent that is read from the cache."""
        return float(self.cache_reads.sum() / max(1, self.traffic.sent.sum()))

    def usage(self, request: int) -> Usage:
        """The tokens of one request (from 0), as a provider would report them."""
        columns = (self.uncached, self.traffic.output, self.cache_reads, self.cache_writes)
        return Usage(*(int(column[request]) for column in columns))

    @cached_property
    def parts(self) -> Mapping[str, tuple[Decimal, ...]]:
        """Dollars per request, by what they are for (see PARTS)."""
        rows = [self._money(i) for i in range(len(self.traffic.sent))]
        return {part: tuple(row[k] for row in rows) for k, part in enumerate(PARTS)}

    @cached_property
    def costs(self) -> tuple[Decimal, ...]:
        """Dollars per request."""
        return tuple(sum(row, Decimal(0)) for row in zip(*self.parts.values(), strict=True))

    @cached_property
    def totals(self) -> Mapping[str, Decimal]:
        """Dollars in all, by what they are for (see PARTS)."""
        columns = (self.uncached, self.cache_writes, self.cache_reads, self.traffic.output)
        amounts = [Decimal(0)] * len(columns)
        for prices, those in self._price_lists():
            sums = [int(column[those].sum()) for column in columns]
            amounts = [a + n * each / MILLION for a, n, each in zip(amounts, sums, self._each(prices), strict=True)]
        made = sum((self._summarizing(usage) for usage in self.traffic.summaries if usage != NOTHING), Decimal(0))
        return dict(zip(PARTS, (*amounts, made), strict=True))

    @cached_property
    def total(self) -> Decimal:
        """Dollars in all."""
        return sum(self.totals.values(), Decimal(0))

    def ratio(self, other: Bill) -> float:
        """This cost ÷ the cost of `other`; NaN if that costs nothing."""
        return float(self.total / other.total) if other.total else math.nan

    def _money(self, i: int) -> tuple[Decimal, ...]:
        return (*self._of(self.usage(i)), self._summarizing(self.traffic.summaries[i]))

    def _summarizing(self, usage: Usage) -> Decimal:
        return sum(self._of(usage), Decimal(0)) if usage != NOTHING else Decimal(0)

    def _of(self, usage: Usage) -> tuple[Decimal, ...]:
        sent = usage.input + usage.cache_reads + usage.cache_writes
        prices = self.prices.for_request(sent)
        counts = (usage.input, usage.cache_writes, usage.cache_reads, usage.output)
        return tuple(count * each / MILLION for count, each in zip(counts, self._each(prices), strict=True))

    def _each(self, prices: Prices) -> tuple[Decimal, ...]:
        """Dollars per million tokens, in the order of PARTS."""
        return prices.input, self.cache.write_price(prices), prices.cache_read, prices.output

    def _price_lists(self) -> list[tuple[Prices, np.ndarray]]:
        """Each list of prices with the requests (bool[requests]) it applies to."""
        if not self.prices.long:
            return [(self.prices, np.ones(len(self.traffic.sent), bool))]
        above = self.traffic.sent > self.prices.long_from
        return [(self.prices, ~above), (self.prices.long, above)]


def price(traffic: Traffic, prices: Prices, cache: Cache | str) -> Bill:
    """The bill of the traffic. `cache` is the name of a registered cache model, or a Cache of your own."""
    chosen = open_cache(cache) if isinstance(cache, str) else cache
    reads = chosen.reads(traffic.sent, traffic.shared, traffic.idle)
    return Bill(traffic, prices, chosen, reads, chosen.written(traffic.sent, reads))
