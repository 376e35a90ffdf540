"""The prompt cache as a recording's usage shows it: how long it lasted, what it held at first, when it was lost.

These are facts of the recording, so they hold whatever the settings cut; they say nothing of another model or of
another kind of cache than its own.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from decimal import Decimal

import numpy as np

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Usage
from historylab.conversation.usage import usage_by_request
from historylab.costs.caches.base import NO_CACHE, Cache, as_charged, cache_of, open_cache
from historylab.costs.lost_prefix import SMALLEST, cache_lifetime, lost_prefixes
from historylab.costs.recount import counter_of_money
from historylab.costs.traffic import Traffic, billed_traffic
from historylab.counters.reported_contexts import FEWEST_REQUESTS
from historylab.planning.replay import Timeline
from historylab.pricing import FIVE_MINUTES, Prices
from historylab.settings.fields import DEFAULT_MODEL


def billed_model(timeline: Timeline) -> str:
    """The model that a replay is priced for: the settings', or the recorded one where they leave the default."""
    chosen = timeline.settings.model
    return timeline.original.recorded.model or chosen if chosen == DEFAULT_MODEL else chosen


def cache_in_use(timeline: Timeline, prices: Prices) -> Cache:
    """The cache that the prices imply; none where the recording is that model's and shows that nothing was cached.

    A cache whose writes are paid for shows at any long request, any other at one of the few that follow.
    """
    implied = cache_of(prices)
    if not _is_of_the_recording(timeline):
        return implied
    usages = [u for u in usage_by_request(timeline.original) if u and u.context >= 2 * SMALLEST]
    enough = len(usages) >= (1 if implied.writes else FEWEST_REQUESTS)
    unused = enough and not any(u.cache_reads or u.cache_writes for u in usages)
    return open_cache(NO_CACHE) if unused else implied


def as_recorded(timeline: Timeline, sent: Traffic, prices: Prices, cache: Cache) -> tuple[Traffic, Cache]:
    """Traffic and cache with what the usage shows, if this is the cache of the recorded model; else as they are.

    A lifetime that somebody chose stays. A prefix that was lost for a reason outside the history is lost here too.
    """
    charged = as_charged(cache, prices)
    own = charged == cache_of(prices) and charged.name != NO_CACHE
    if not own or not _is_of_the_recording(timeline) or not any(usages := usage_by_request(timeline.original)):
        return sent, charged
    lifetime = cache_lifetime(timeline.original)
    lasting = charged if lifetime == FIVE_MINUTES else replace(charged, lifetime=lifetime)
    if lasting.writes and not any(u.cache_writes_1h for u in usages if u):  # it lasted longer than was paid for
        lasting = replace(lasting, write_premium=prices.cache_write / prices.input)
    if len(usages) != sent.sent.shape[-1]:  # a projection makes other requests
        return sent, lasting
    shared = _shared_tokens(timeline.original, sent)
    if timeline.plans and sent is billed_traffic(timeline):  # what was really sent read what it reports
        for i, (usage, plan) in enumerate(zip(usages, timeline.plans, strict=True)):
            if usage and plan.is_sized:
                shared[i] = usage.cache_reads
    if timeline.original.recorded.textless:
        sent, lasting = _as_reported(timeline, sent, prices, lasting)
    return replace(sent, shared=shared), lasting


@dataclass(frozen=True, eq=False, kw_only=True)
class ReportedCache(Cache):
    """A cache known by its usage alone: of the requests that were `reported`, it read and wrote what is reported."""

    reported: np.ndarray
    was_read: np.ndarray
    was_written: np.ndarray

    def reads(self, sent: np.ndarray, shared: np.ndarray, idle: np.ndarray) -> np.ndarray:
        return self._as_reported(self.was_read, Cache.reads(self, sent, shared, idle))

    def written(self, sent: np.ndarray, read: np.ndarray) -> np.ndarray:
        return self._as_reported(self.was_written, Cache.written(self, sent, read))

    def _as_reported(self, was: np.ndarray, modelled: np.ndarray) -> np.ndarray:
        return np.where(self.reported, was, modelled) if len(was) == len(modelled) else modelled


def _as_reported(timeline: Timeline, sent: Traffic, prices: Prices, cache: Cache) -> tuple[Traffic, Cache]:
    """Traffic and cache of a session known by its usage alone, as reported for the requests that are sent whole.

    A request is whole at its reported size, with or without what is counted around its messages.
    """
    usages = [usage or Usage() for usage in usage_by_request(timeline.original)]
    counts = [(u.context, u.cache_reads, u.cache_writes, u.cache_writes_1h) for u in usages]
    contexts, read, written, hour = np.array(counts, np.int64).T
    framing = counter_of_money(timeline).per_request
    whole = (contexts > 0) & np.isin(sent.sent - contexts, (0, framing))
    values = {each.name: getattr(cache, each.name) for each in fields(Cache)}
    if cache.writes and written.sum() and prices.input:  # at the mean price, as some are paid for an hour
        share = Decimal(int(np.minimum(hour, written).sum())) / int(written.sum())
        mean = prices.cache_write + share * (prices.cache_write_1h - prices.cache_write)
        values["write_premium"] = mean / prices.input
    reported = ReportedCache(**values, reported=whole, was_read=read, was_written=written)
    return replace(sent, sent=np.where(whole, contexts, sent.sent)), reported


def _shared_tokens(conversation: Conversation, sent: Traffic) -> np.ndarray:
    """int64[…, requests]: `sent.shared`, with what was cached before the first request, less what was lost."""
    shared, first = sent.shared.copy(), usage_by_request(conversation)[0]
    if first and first.cache_reads:
        shared[..., 0] = np.minimum(first.cache_reads, sent.sent[..., 0])
    for lost in lost_prefixes(conversation):
        if lost.cause not in ("message", "cut"):  # not trimming would have kept that
            shared[..., lost.request] = np.minimum(shared[..., lost.request], lost.read)
    return shared


def _is_of_the_recording(timeline: Timeline) -> bool:
    return billed_model(timeline) == timeline.original.recorded.model
