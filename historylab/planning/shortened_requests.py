"""The shorter texts that requests send in place of messages, of all requests at once.

Nearly always they are the oldest of one list of texts (`OldestTexts`), as far as their blocks are open, so a request
takes one number: how many of them. The requests of which that isn't so are few, and their plans are asked.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from historylab.planning.plan import HistoryPlan
from historylab.planning.scans import running_sums
from historylab.planning.sent_ranges import SentRanges
from historylab.planning.shortening import OldestTexts
from historylab.planning.texts import Texts


class ShortenedRequests:
    """The texts of all requests.

    Attributes:
        texts: those of which requests send the oldest; None if none does.
        stops: int64[r], how many of them each request may send.
        others: int64, the requests that shorten messages in another way; `stops` says nothing of them.
    """

    def __init__(self, plans: Sequence[HistoryPlan], ranges: SentRanges):
        self.ranges, self.stops, others = ranges, np.zeros(len(plans), np.int64), list[int]()
        self.texts: Texts | None = None
        for request, plan in enumerate(plans):
            if plan.shortened:
                cuts, cut = None if ranges.apart[request] else plan.cuts, plan.shortened[0]
                if cuts and not cuts.pins and isinstance(cut, OldestTexts) and len(plan.shortened) == 1:
                    self.texts = cut.texts if self.texts is None else self.texts
                    if cut.texts is self.texts:
                        self.stops[request] = cut.stop
                        continue
                others.append(request)
        self.others = np.array(others, np.int64)

    def shortens(self, requests: np.ndarray, messages: np.ndarray) -> np.ndarray:
        """bool[k]: whether each request sends a shorter text for the message, which it sends; not of `others`."""
        if self.texts is None or not len(self.texts):
            return np.zeros(len(requests), bool)
        places = np.minimum(self.texts.messages.searchsorted(messages), len(self.texts) - 1)
        there = (self.texts.messages[places] == messages) & (places < self.stops[requests])
        shorter: np.ndarray = there & self.ranges.open[0, self.texts.homes[places]]
        return shorter

    def sums(self, weights: np.ndarray, before: np.ndarray | None = None) -> np.ndarray:
        """int64[..., r]: what the texts weigh together (`weights`, int64[..., k]) that each request sends.

        Of those `before` one block of each (int64[r]; all by default). 0 of `others`.
        """
        assert self.texts is not None
        homes, (request, first, stop) = self.texts.homes, self.ranges.within(before)
        running = running_sums(weights * self.ranges.open[0, homes])

        def sum_up(requests: np.ndarray, blocks: np.ndarray) -> np.ndarray:
            found: np.ndarray = running[..., np.minimum(self.stops[requests], homes.searchsorted(blocks))]
            return found

        left_out = self.ranges.add_up(request, sum_up(request, stop) - sum_up(request, first))
        each = np.arange(len(self.stops))
        sums: np.ndarray = (running[..., self.stops] if before is None else sum_up(each, before)) - left_out
        return sums
