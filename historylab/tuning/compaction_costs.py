"""The cost of compacting at one size down to another, for requests of which only the tokens are known.

The history grows as it did; the cache reads and writes the shares that the table shows. Where a request would be larger
than `at`, a request of its own makes a summary of it first: all of that goes in, and `to` is what is left, of which the
first request's size stays as it is and the summary is the rest. Where the agent cut its history itself, what was new
then is unknown: what its requests usually grow by stands for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from historylab.pricing import MONEY, Prices, prices_of, window_of
from historylab.tuning.agent_requests import AgentRequests

SHORTEST = 1_000
"""Tokens of the shortest summary."""
PER_TOKEN = Prices(1_000_000, 1_000_000)
"""Every token counts as one, where a model has no price."""


class CompactionSizes(NamedTuple):
    """Tokens of a request at which the history is compacted, and of what is left; None: it never is."""

    at: int | None = None
    to: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class SessionCosts:
    """Per session what it costs and the tokens its requests send (float64 each); whether all fit the model's window."""

    cost: np.ndarray
    sent: np.ndarray
    fits: bool


@dataclass(frozen=True, eq=False)
class CompactionCosts:
    """The cost of compactions for the requests of one type of agent."""

    columns: AgentRequests

    @cached_property
    def priced(self) -> bool:
        """Tell whether every model has a price; else costs are tokens."""
        return all(map(prices_of, self.columns.models))

    @cached_property
    def as_recorded(self) -> np.ndarray:
        """float64[sessions]: the cost of what was sent."""
        counts = self.columns.counts
        parts = [counts[name] for name in ("cache_reads", "cache_writes", "cache_writes_1h", "output")]
        return self._by_session(self._price(np.arange(len(self.columns)), counts["context"], *parts))

    @cached_property
    def openings(self) -> np.ndarray:
        """int64[histories]: the context of the first request of each."""
        found: np.ndarray = self.columns.counts["context"][self.columns.starts]
        return found

    @cached_property
    def growth(self) -> np.ndarray:
        """int64[requests]: tokens that each adds to the history."""
        columns, context = self.columns, self.columns.counts["context"]
        grown: np.ndarray = context - columns.before
        grown[columns.cut] = np.minimum(int(self._usual(grown)), context[columns.cut])
        return grown

    @cached_property
    def largest(self) -> int:
        """The context of the largest request if nothing was ever compacted."""
        return int(self._grown.max(initial=0))

    def of(self, compaction: CompactionSizes) -> SessionCosts:
        """The outcome of compacting so."""
        columns, rows = self.columns, np.arange(len(self.columns))
        left = np.maximum(self.openings + SHORTEST, compaction.to or 0)
        made = self._find_made(compaction.at, left) if compaction.at else np.zeros(len(rows), bool)
        since = np.maximum.accumulate(np.where(made, rows, 0))  # the latest of any history
        known = since >= columns.starts[columns.history]
        anew = left[columns.history] + self._running - self._running[since]
        sizes = np.where(known & made[since], anew, self._grown)
        before = np.roll(sizes, 1)
        before[columns.starts] = self.openings
        opening = self.openings[columns.history]
        cost = self._request(rows, sizes, np.where(made, opening, before), columns.counts["output"])
        at = np.flatnonzero(made)
        whole = before[at] + self.growth[at]
        summary = (left - self.openings)[columns.history[at]]
        np.add.at(cost, at, self._request(at, whole, before[at], summary))
        fits = bool((sizes <= self._windows).all() and (whole <= self._windows[at]).all())
        return SessionCosts(self._by_session(cost), self._by_session(sizes), fits)

    def _find_made(self, at: int, left: np.ndarray) -> np.ndarray:
        """bool[requests]: those before which a compaction is made, each found at once for all histories."""
        columns, running = self.columns, self._running
        found = np.zeros(len(columns), bool)
        histories = np.flatnonzero(left < at)
        first = columns.starts[histories]
        reached, following = running[first] - self.openings[histories] + at, first + 1
        while len(histories):
            requests = np.maximum(running.searchsorted(reached, "right"), following)
            goes_on = requests < columns.ends[histories]
            histories, requests = histories[goes_on], requests[goes_on]
            found[requests] = True
            reached, following = running[requests] + at - left[histories], requests + 1
        return found

    @cached_property
    def _running(self) -> np.ndarray:
        """int64[requests]: the growth up to each, that of the histories before included."""
        return self.growth.cumsum()

    @cached_property
    def _grown(self) -> np.ndarray:
        """int64[requests]: the context of each if nothing was ever compacted."""
        starts = self.columns.starts
        found: np.ndarray = self._running - (self._running[starts] - self.openings)[self.columns.history]
        return found

    @cached_property
    def _read_share(self) -> np.ndarray:
        """float64[requests]: what each read of the context before it; of its own where it is the first."""
        columns = self.columns
        shared = np.where(columns.before > 0, columns.before, columns.counts["context"])
        shares = columns.counts["cache_reads"] / np.maximum(1, shared)
        return np.where(columns.cut, self._usual(shares), shares)

    def _usual(self, values: np.ndarray) -> float:
        """The median over the requests that only add to the one before."""
        adding = (self.columns.before > 0) & ~self.columns.cut
        return float(np.median(values[adding])) if adding.any() else 0.0

    def _request(self, rows: np.ndarray, sizes: np.ndarray, shared: np.ndarray, output: np.ndarray) -> np.ndarray:
        """float64: the cost of requests of these sizes, of which so much could be read."""
        counts = self.columns.counts
        reads = np.minimum(self._read_share[rows] * shared, sizes)
        unread = np.maximum(1, (counts["context"] - counts["cache_reads"])[rows])
        writes = np.minimum(1.0, counts["cache_writes"][rows] / unread) * (sizes - reads)
        hours = writes * counts["cache_writes_1h"][rows] / np.maximum(1, counts["cache_writes"][rows])
        return self._price(rows, sizes, reads, writes, hours, output)

    def _price(
        self,
        rows: np.ndarray,
        sizes: np.ndarray,
        reads: np.ndarray,
        writes: np.ndarray,
        hours: np.ndarray,
        output: np.ndarray,
    ) -> np.ndarray:
        tables, steps = self._prices
        models = self.columns.model[rows]
        each = tables[models, (sizes > steps[models]).astype(np.int64)]
        parts = (sizes - reads - writes, output, reads, writes - np.minimum(hours, writes), np.minimum(hours, writes))
        found: np.ndarray = sum(price * part for price, part in zip(each.T, parts, strict=True)) / 1e6
        return found

    @cached_property
    def _prices(self) -> tuple[np.ndarray, np.ndarray]:
        """float64[models, up to the step or above it, MONEY], and float64[models]: that step."""
        listed = [(prices_of(model) if self.priced else None) or PER_TOKEN for model in self.columns.models]
        tables = [[[float(getattr(each, name)) for name in MONEY] for each in (p, p.long or p)] for p in listed]
        return np.array(tables), np.array([np.inf if p.long_from is None else p.long_from for p in listed])

    @cached_property
    def _windows(self) -> np.ndarray:
        """float64[requests]: the window of its model, or the largest request that it was seen to take."""
        columns = self.columns
        seen = [int(columns.counts["context"][columns.model == n].max()) for n in range(len(columns.models))]
        windows = [max(window_of(name) or np.inf, most) for name, most in zip(columns.models, seen, strict=True)]
        found: np.ndarray = np.array(windows)[columns.model]
        return found

    def _by_session(self, values: np.ndarray) -> np.ndarray:
        columns = self.columns
        found: np.ndarray = np.bincount(columns.session[columns.history], values, columns.sessions)
        return found
