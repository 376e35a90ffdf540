"""Traffic and bill of a replay: what each request sends, how much of it is cached, and the cost of not trimming.

The reusable prefix is the fixed overhead followed by the messages that `shared_prefix.py` finds.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from typing import Any

import numpy as np

from historylab.conversation.columns import ASSISTANT
from historylab.conversation.message import Usage
from historylab.conversation.usage import usage_of
from historylab.costs.bill import Bill, Traffic, price
from historylab.costs.caches.base import Cache, cache_of
from historylab.costs.shared_prefix import SharedPrefix
from historylab.errors import SettingsError
from historylab.planning.plan import HistoryPlan
from historylab.planning.replay import Timeline, replay
from historylab.planning.strategies.facts import column, instants
from historylab.pricing import Prices, prices_of
from historylab.settings.model import Settings

NOTHING_CUT: Mapping[str, Any] = {
    "filter": "off",
    "policy": "all",
    "tool_output": "off",
    "compaction": "off",
    "pruner": "off",
}


def bill(timeline: Timeline, cache: Cache | str | None = None, prices: Prices | None = None) -> Bill:
    """The bill of a replay. Default: the list prices of the settings' model, and the cache that goes with them.

    Raises SettingsError if the prices are unknown; give your own then.
    """
    prices = prices or require_prices(timeline.settings.model)
    return price(traffic(timeline), prices, cache or cache_of(prices))


def require_prices(model: str) -> Prices:
    """The list prices of a model. Raises SettingsError if they are unknown."""
    found = prices_of(model)
    if found is None:
        raise SettingsError(f"the prices of {model!r} are not known; give Prices(input=…, output=…) per million tokens")
    return found


def replay_untrimmed(timeline: Timeline) -> Timeline:
    """The same conversation and settings with nothing cut: what every saving is measured against."""
    return replay(timeline.conversation, without_cuts(timeline.settings), instruments=timeline.instruments)


def without_cuts(settings: Settings) -> Settings:
    """These settings with every stage off; a timeline's conversation is projected already."""
    return settings.replace(**NOTHING_CUT, projection="off")


def baseline_of(timeline: Timeline) -> Traffic:
    """The traffic without any cut, computed once per conversation, counter, overhead and layout."""
    settings = timeline.settings
    key = ("untrimmed", timeline.counter.key, settings.overhead, settings.layout)
    return timeline.conversation.remember(key, lambda: traffic(replay_untrimmed(timeline)))


def traffic(timeline: Timeline) -> Traffic:
    """The tokens each request sends and shares with the one before, computed once. Linear in messages × requests."""
    return timeline.remember("traffic", lambda: _traffic(timeline))


def _traffic(timeline: Timeline) -> Traffic:
    overhead, requests = timeline.settings.overhead, len(timeline.plans)
    shared, broken = np.zeros(requests, np.int64), np.zeros(requests, bool)
    prefixes = SharedPrefix(timeline.conversation)
    for i, (before, plan) in enumerate(pairwise(timeline.plans), 1):
        tokens, broken[i] = prefixes.shared(before, plan)
        shared[i] = overhead + tokens
    summaries = tuple(_summarizer_usage(plan) for plan in timeline.plans)
    return Traffic(timeline.tokens + overhead, shared, broken, _idle(timeline), _output(timeline), summaries)


def _idle(timeline: Timeline) -> np.ndarray:
    """float64[requests]: seconds since the request before, each as old as the newest message it sends; NaN unknown."""
    sizes = np.array([plan.size for plan in timeline.plans], np.int64)
    times = instants(timeline.conversation)[sizes - 1] if len(sizes) else np.empty(0)
    return np.diff(times, prepend=np.nan)


def _output(timeline: Timeline) -> np.ndarray:
    """int64[requests]: tokens of the reply each request got; 0 for the next request, which has none yet.

    Counted, or the provider's number where that is larger: thinking is paid for and not in the transcript.
    """
    conversation = timeline.conversation
    is_reply = conversation.columns.role == ASSISTANT
    reported = column(conversation, "output", lambda m: (usage_of(m) or Usage()).output, np.int64)
    sizes = np.array([plan.size for plan in timeline.plans], np.int64)
    if not len(sizes):
        return sizes
    counted = timeline.plans[-1].history.sums.tokens
    running = np.concatenate(([0], np.cumsum(np.where(is_reply, np.maximum(counted, reported), 0))))
    others = np.append(np.flatnonzero(~is_reply), len(conversation))
    output: np.ndarray = running[others[others.searchsorted(sizes)]] - running[sizes]
    return output


def _summarizer_usage(plan: HistoryPlan) -> Usage:
    """The usage of writing the summary, at the request it was written for; zero where no model was called."""
    summary = plan.summary
    fresh = summary is not None and summary.made_at == plan.size
    return (getattr(summary, "usage", None) or Usage()) if fresh else Usage()


@dataclass(frozen=True, eq=False)
class CostComparison:
    """A bill beside that of not trimming, under the same prices and cache."""

    bill: Bill
    baseline: Bill
    history_to_budget: float
    """Mean tokens of the untrimmed history ÷ budget: trimming every turn rarely pays below about 5."""

    @property
    def ratio(self) -> float:
        """Cost ÷ cost of not trimming."""
        return self.bill.ratio(self.baseline)

    @property
    def break_even_read_price(self) -> float:
        """The price of a cache read, as a share of that of input, above which trimming pays.

        0: at any price; infinite: at none. At the prices of short requests.
        """
        fixed = float(self._without_reads(self.bill) - self._without_reads(self.baseline))
        fewer = int(self.baseline.cache_reads.sum() - self.bill.cache_reads.sum())
        each = float(self.bill.prices.input) / 1e6
        if fewer <= 0 or not each:
            return math.inf if fixed > 0 else 0.0
        return max(0.0, fixed / fewer / each)

    @staticmethod
    def _without_reads(bill: Bill) -> Decimal:
        return bill.total - bill.totals["cache_reads"]

    def sentence(self, what: str = "This") -> str:
        """ "FIFO to 8k moves the cut on 41 of 60 requests and costs 1.9× not trimming." """
        moved, requests = self.bill.traffic.breaks, len(self.bill.traffic.sent)
        if math.isnan(self.ratio):
            return f"{what} moves the cut on {moved:,} of {requests:,} requests; not trimming costs nothing here."
        cut = f"moves the cut on {moved:,} of {requests:,} requests" if moved else "never moves the cut"
        return f"{what} {cut} and costs {self.ratio:.2f}× not trimming."


def against_untrimmed(
    timeline: Timeline, cache: Cache | str | None = None, prices: Prices | None = None
) -> CostComparison:
    """Price a replay beside not trimming. Default: the list prices of the settings' model, and their cache."""
    prices = prices or require_prices(timeline.settings.model)
    return against_untrimmed_under(timeline, [cache or cache_of(prices)], prices)[0]


def against_untrimmed_under(
    timeline: Timeline, caches: Iterable[Cache | str], prices: Prices
) -> tuple[CostComparison, ...]:
    """The same traffic priced under each of several caches, beside not trimming."""
    sent, baseline = traffic(timeline), baseline_of(timeline)
    budget = timeline.plans[0].budget if timeline.plans else 0
    history = float(timeline.untrimmed.mean()) if len(timeline.plans) else 0.0
    share = history / budget if budget else math.inf
    return tuple(CostComparison(price(sent, prices, cache), price(baseline, prices, cache), share) for cache in caches)
