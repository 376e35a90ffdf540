"""Traffic of a replay: what each request sends, how much of it the request before sent, and the same untrimmed.

The reusable prefix is the fixed overhead followed by the messages that `shared_prefix.py` finds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from historylab.conversation.columns import ASSISTANT
from historylab.conversation.message import Usage
from historylab.conversation.usage import usage_of
from historylab.costs.shared_prefix import SharedPrefix
from historylab.planning.plan import HistoryPlan
from historylab.planning.replay import Timeline, replay
from historylab.planning.strategies.facts import column, instants
from historylab.settings.model import Settings

NOTHING_CUT: Mapping[str, Any] = {
    "filter": "off",
    "policy": "all",
    "tool_output": "off",
    "compaction": "off",
    "pruner": "off",
}


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
