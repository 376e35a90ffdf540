"""Tokens that a recording's requests read from the provider's cache, as reported and as predicted of what was sent."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from historylab.conversation.usage import usage_by_request
from historylab.costs.bill import price
from historylab.costs.lost_prefix import KEPT, SMALLEST, LostPrefix, explain_loss, lost_prefixes
from historylab.costs.recorded_cache import cache_in_use
from historylab.costs.traffic import Traffic
from historylab.planning.replay import Timeline
from historylab.pricing import Prices


@dataclass(frozen=True, slots=True)
class CacheReads:
    """Tokens read by the `requests` that carry usage, of `of` in all; and the requests that lost their prefix.

    `lost` are those that read far less than the usage before left in the cache, or than was predicted.
    """

    requests: int
    of: int
    reported: int
    predicted: int
    lost: tuple[LostPrefix, ...]


def cache_reads(timeline: Timeline, prices: Prices, sent: Traffic) -> CacheReads | None:
    """The reads of a recording's requests of which `sent` is the traffic; None without usage."""
    usages = usage_by_request(timeline.original)
    if not any(usages) or len(usages) != len(sent.sent):
        return None
    predicted = price(sent, prices, cache_in_use(timeline, prices)).cache_reads.tolist()
    reported = [(i, usage.cache_reads) for i, usage in enumerate(usages) if usage]
    lost = {one.request: one for one in lost_prefixes(timeline.original)}
    for (before, _), (i, read) in pairwise(reported):
        if before == i - 1 and i not in lost and read < KEPT * predicted[i] and predicted[i] >= SMALLEST:
            lost[i] = explain_loss(timeline.original, i, predicted[i])
    return CacheReads(
        len(reported),
        len(usages),
        sum(read for _, read in reported),
        sum(predicted[i] for i, _ in reported),
        tuple(lost[i] for i in sorted(lost)),
    )
