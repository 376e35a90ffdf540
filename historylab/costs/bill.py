"""Bills: what a replay's requests cost under a cache model and a price list, and beside not trimming.

Only arithmetic over arrays: `traffic.py` derives what is sent, `caches/` holds the cache models. Money is Decimal, in
US dollars.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property

import numpy as np

from historylab.conversation.message import Usage
from historylab.conversation.usage import MODEL, model_name
from historylab.costs.caches.base import Cache, as_charged, open_cache
from historylab.costs.recorded_cache import as_recorded, billed_model, cache_in_use
from historylab.costs.traffic import Traffic, baseline_of, billed_traffic
from historylab.errors import SettingsError
from historylab.planning.replay import Timeline
from historylab.pricing import Prices, prices_of

MILLION = Decimal(1_000_000)
PARTS = ("uncached", "cache_writes", "cache_reads", "output", "summaries")
"""The parts of a request's cost, in display order."""
NOTHING = Usage()


@dataclass(frozen=True, eq=False)
class Bill:
    """The cost of each request under one cache model and one price list. Token counts: int64[requests].

    `own` has the price list of each request, where not all have the same: what was really sent is priced as the model
    that answered it.
    """

    traffic: Traffic
    prices: Prices
    cache: Cache
    cache_reads: np.ndarray
    cache_writes: np.ndarray
    own: tuple[Prices, ...] = ()

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

    @property
    def parts(self) -> Mapping[str, np.ndarray]:
        """Tokens per request (int64[requests]) by what is paid for them: all of PARTS but the summaries."""
        return dict(zip(PARTS, (self.uncached, self.cache_writes, self.cache_reads, self.traffic.output), strict=False))

    @cached_property
    def costs(self) -> tuple[Decimal, ...]:
        """Dollars per request."""
        return tuple(sum(self._money(i), Decimal(0)) for i in range(len(self.traffic.sent)))

    @cached_property
    def dollars(self) -> np.ndarray:
        """float64[requests]: `costs` for arithmetic over many requests, where exact money would take too long."""
        found = np.zeros(len(self.traffic.sent))
        for prices, those in self.price_lists():
            each = [float(price) / 1e6 for price in self.each_price(prices)]
            found[those] = sum(price * column[those] for price, column in zip(each, self.parts.values(), strict=True))
        for i, usage in enumerate(self.traffic.summaries):
            if usage != NOTHING:
                found[i] += float(self._total_of(usage))
        return found

    @cached_property
    def totals(self) -> Mapping[str, Decimal]:
        """Dollars in all, by what they are for (see PARTS)."""
        columns = tuple(self.parts.values())
        sums = [(prices, [int(column[those].sum()) for column in columns]) for prices, those in self.price_lists()]
        amounts = add_dollars(sums, self.cache)
        made = sum((self._total_of(usage) for usage in self.traffic.summaries if usage != NOTHING), Decimal(0))
        return dict(zip(PARTS, (*amounts, made), strict=True))

    @cached_property
    def total(self) -> Decimal:
        """Dollars in all."""
        return sum(self.totals.values(), Decimal(0))

    def cost_of_fetching(self, fetches: Iterable[tuple[int, int, int]]) -> Decimal:
        """Dollars for fetching again what requests no longer hold: an estimate, and no part of `total`.

        Each is a request (from 0), the tokens of the calls it would repeat, and those of what they find. It takes one
        more request: the same again, just sent, with calls and results after it.
        """
        request, calls, results = np.array([*fetches], np.int64).reshape(-1, 3).T
        before = self.traffic.sent[request]
        sent = before + calls + results
        reads = self.cache.reads(sent, before, np.zeros(len(sent)))
        written = self.cache.written(sent, reads)
        usages = np.array([sent - reads - written, calls, reads, written]).T.tolist()
        return sum((self._total_of(Usage(*usage)) for usage in usages), Decimal(0))

    def ratio(self, other: Bill) -> float:
        """This cost ÷ the cost of `other`; NaN if that costs nothing."""
        return float(self.total / other.total) if other.total else math.nan

    def _money(self, i: int) -> tuple[Decimal, ...]:
        return (*self._of(self.usage(i), self.prices_of_request(i)), self._total_of(self.traffic.summaries[i]))

    def prices_of_request(self, request: int) -> Prices:
        """The price list of a request (from 0)."""
        return self.own[request] if self.own else self.prices

    def _total_of(self, usage: Usage) -> Decimal:
        return sum(self._of(usage, self.prices), Decimal(0)) if usage != NOTHING else Decimal(0)

    def _of(self, usage: Usage, listed: Prices) -> tuple[Decimal, ...]:
        prices = listed.for_request(usage.context)
        counts = (usage.input, usage.cache_writes, usage.cache_reads, usage.output)
        return tuple(count * each / MILLION for count, each in zip(counts, self.each_price(prices), strict=True))

    def each_price(self, prices: Prices) -> tuple[Decimal, ...]:
        """Dollars per million tokens, in the order of PARTS."""
        return prices_of_parts(prices, self.cache)

    def price_lists(self) -> list[tuple[Prices, np.ndarray]]:
        """Each list of prices with the requests (bool[requests]) it applies to."""
        found, own = [], self.own or (self.prices,) * len(self.traffic.sent)
        for prices in {id(each): each for each in (self.prices, *self.own)}.values():
            those = np.fromiter((each is prices for each in own), bool, len(own))
            above = those & (self.traffic.sent > (prices.long_from or 0)) if prices.long else np.zeros_like(those)
            found += [(prices, those & ~above), *([(prices.long, above)] if prices.long else [])]
        return found


def prices_of_parts(prices: Prices, cache: Cache) -> tuple[Decimal, ...]:
    """Dollars per million tokens, in the order of PARTS; summaries have prices of their own."""
    return prices.input, cache.write_price(prices), prices.cache_read, prices.output


def add_dollars(sums: Iterable[tuple[Prices, Sequence[int]]], cache: Cache) -> list[Decimal]:
    """Dollars by what they are for: of the tokens under each price list, in the order of PARTS without summaries."""
    amounts = [Decimal(0)] * (len(PARTS) - 1)
    for prices, counts in sums:
        each = prices_of_parts(prices, cache)
        amounts = [a + n * price / MILLION for a, n, price in zip(amounts, counts, each, strict=True)]
    return amounts


def total_costs(traffic: Traffic, prices: Prices, cache: Cache, own: Sequence[Prices] = ()) -> list[Decimal]:
    """Dollars of the requests of each of s settings without summaries, of which the traffic has arrays int64[s, r].

    `own` are the price lists of requests, as a bill has them.
    """
    sent, output = traffic.sent, np.broadcast_to(traffic.output, traffic.sent.shape)
    reads = cache.reads(sent, traffic.shared, traffic.idle)
    writes = cache.written(sent, reads)
    parts, sums = (sent - reads - writes, writes, reads, output), list[tuple[Prices, list[list[int]]]]()
    for listed in {id(each): each for each in (prices, *own)}.values():
        those = np.array([each is listed for each in own], bool) if own else np.ones(sent.shape[1], bool)
        above = those & (sent > (listed.long_from or 0)) if listed.long else np.zeros_like(sent, bool)
        for each, chosen in ((listed, those & ~above), (listed.long, above)):
            if each and chosen.any():
                sums.append((each, np.array([(part * chosen).sum(-1) for part in parts]).T.tolist()))
    return [sum(add_dollars([(each, counts[k]) for each, counts in sums], cache), Decimal(0)) for k in range(len(sent))]


def price_as_recorded(timeline: Timeline, sent: Traffic, prices: Prices, cache: Cache) -> Bill:
    """The bill of a timeline's traffic, or of not trimming it, under a cache that lasts as its usage shows it."""
    shown, lasting = as_recorded(timeline, sent, prices, cache)
    return replace(price(shown, prices, lasting), own=prices_by_request(timeline, prices, len(sent.sent)))


def prices_by_request(timeline: Timeline, prices: Prices, requests: int) -> tuple[Prices, ...]:
    """The list prices of the model that answered each request; empty if one list does.

    Of settings too, as they stand beside what was sent.
    """
    conversation, model = timeline.original, billed_model(timeline)
    if len(conversation.recorded.models) < 2 or model != conversation.recorded.model or prices != prices_of(model):
        return ()
    sizes = conversation.columns.requests.tolist()
    answers = (conversation[size].metadata.get(MODEL) if size < len(conversation) else None for size in sizes)
    names = [model_name(name) or model for name in answers]
    listed = {name: prices if name == model else prices_of(name) or prices for name in set(names)}
    return tuple(listed[name] for name in names) if len(names) == requests else ()


def price(traffic: Traffic, prices: Prices, cache: Cache | str) -> Bill:
    """The bill of the traffic. `cache` is the name of a registered cache model, or a Cache of your own."""
    chosen = open_cache(cache) if isinstance(cache, str) else cache
    reads = chosen.reads(traffic.sent, traffic.shared, traffic.idle)
    return Bill(traffic, prices, chosen, reads, chosen.written(traffic.sent, reads))


def bill(timeline: Timeline, cache: Cache | str | None = None, prices: Prices | None = None) -> Bill:
    """The bill of a replay, counted by its model's own counter.

    Default: the list prices of the settings' model (of the recorded one where they leave the default), and its cache as
    the usage in the transcript shows it: whether it was used, how long it lasted, what it held at first and when it was
    lost. Raises SettingsError if the prices are unknown; give your own then.
    """
    prices = prices or require_prices(billed_model(timeline))
    chosen = as_charged(cache or cache_in_use(timeline, prices), prices)
    return price_as_recorded(timeline, billed_traffic(timeline), prices, chosen)


def require_prices(model: str) -> Prices:
    """The list prices of a model. Raises SettingsError if they are unknown."""
    found = prices_of(model)
    if found is None:
        raise SettingsError(f"the prices of {model!r} are not known; give Prices(input=…, output=…) per million tokens")
    return found


@dataclass(frozen=True, eq=False)
class CostComparison:
    """A bill beside that of not trimming, under the same prices and cache.

    Not trimming sends the conversation as recorded, whole at every request: one baseline for all settings.
    """

    bill: Bill
    baseline: Bill
    history_to_budget: float
    """Mean tokens of the untrimmed history ÷ budget, both by the settings' own counter."""

    @property
    def ratio(self) -> float:
        """Cost ÷ cost of not trimming."""
        return self.bill.ratio(self.baseline)

    @property
    def break_even_read_price(self) -> float:
        """The price of a cache read, as a share of that of input, at which both cost the same.

        0 if there is none but trimming pays, or costs the same, at any price; infinite if it pays at none. At the
        prices of short requests.
        """
        fewer = self._fewer_reads
        if not fewer or self._dearer_at(0) / fewer < 0:
            return math.inf if self._dearer_at(0) > 0 else 0.0
        return float(self._dearer_at(0) / fewer)

    def pays_at(self, read_price: float) -> bool:
        """Whether trimming costs less, if a cache read costs that share of the price of input."""
        return self._dearer_at(read_price) < 0

    def _dearer_at(self, read_price: float) -> float:
        """Dollars that trimming costs above not trimming, if a cache read costs that share of the price of input."""
        ours, theirs = (each.total - each.totals["cache_reads"] for each in (self.bill, self.baseline))
        return float(ours - theirs) - read_price * self._fewer_reads

    @property
    def _fewer_reads(self) -> float:
        """Tokens that trimming reads less from the cache, in dollars at the price of input."""
        fewer = int(self.baseline.cache_reads.sum() - self.bill.cache_reads.sum())
        return fewer * float(self.bill.prices.input) / 1e6

    def sentence(self, what: str = "This") -> str:
        """ "FIFO to 8k breaks the prompt cache at 41 of 60 requests and costs 1.90× not trimming." """
        moved, requests = self.bill.traffic.breaks, len(self.bill.traffic.sent)
        at = f"{moved:,} of {requests:,} requests" if moved else "no request"
        if math.isnan(self.ratio):
            return f"{what} breaks the prompt cache at {at}; not trimming costs nothing here."
        return f"{what} breaks the prompt cache at {at} and costs {self.ratio:.2f}× not trimming."


def against_untrimmed(
    timeline: Timeline, cache: Cache | str | None = None, prices: Prices | None = None
) -> CostComparison:
    """Price a replay beside not trimming, by default as `bill` does."""
    prices = prices or require_prices(billed_model(timeline))
    return against_untrimmed_under(timeline, [cache or cache_in_use(timeline, prices)], prices)[0]


def against_untrimmed_under(
    timeline: Timeline, caches: Iterable[Cache | str], prices: Prices
) -> tuple[CostComparison, ...]:
    """The same traffic priced under each of several caches, beside not trimming."""
    sent, baseline = billed_traffic(timeline), baseline_of(timeline)
    budget = timeline.plans[0].budget if timeline.plans else 0
    history = float(timeline.untrimmed.mean()) if len(timeline.plans) else 0.0
    share = history / budget if budget else math.inf
    charged = [as_charged(cache, prices) for cache in caches]
    bills = [[price_as_recorded(timeline, each, prices, cache) for each in (sent, baseline)] for cache in charged]
    return tuple(CostComparison(ours, theirs, share) for ours, theirs in bills)
