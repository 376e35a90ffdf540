"""Traffic of a replay: what each request sends, how much of it the request before sent, and the same without any cut.

The reusable prefix is the fixed overhead followed by the messages that `shared_prefix.py` finds. What is paid for is
counted by the model's own counter, and so is the one baseline: the conversation as it was recorded.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from historylab.conversation.columns import ASSISTANT
from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Usage
from historylab.conversation.usage import usage_of
from historylab.costs.recount import counter_of_money, recount_timeline
from historylab.costs.shared_prefix import compare_prefixes
from historylab.counters.base import Counter, token_column, without_factor
from historylab.planning.contexts import contexts_of
from historylab.planning.history import sums_of
from historylab.planning.plan import HistoryPlan
from historylab.planning.replay import Timeline, replay
from historylab.planning.strategies.base import Instruments
from historylab.planning.strategies.facts import column, instants
from historylab.settings.effect import CUTS_OFF
from historylab.settings.model import Settings

NO_USAGE = Usage()
NOTHING_CUT: Mapping[str, Any] = {"filter": "off", **CUTS_OFF}


@dataclass(frozen=True, slots=True, eq=False)
class Traffic:
    """The tokens that the requests of a replay send: arrays of one entry per request.

    `sent` (int64) is all of it, as `Timeline.contexts` has it; `shared` (int64) how much of its beginning the request
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
    """The conversation as recorded, whole at every request: what every cost is measured against.

    Counted by the model's own counter, so it is the same whatever the settings cut, rewrite, arrange or count by.
    """
    now = timeline.settings
    untrimmed = Settings(**NOTHING_CUT, overhead=now.overhead, model=now.model, counter_factor=now.counter_factor)
    return replay(timeline.original, untrimmed, instruments=Instruments(counter_of_money(timeline)))


def baseline_of(timeline: Timeline) -> Traffic:
    """The traffic of not trimming, computed once per conversation, the model's counter and overhead."""
    settings = timeline.settings
    key = ("untrimmed", counter_of_money(timeline).key, settings.overhead, settings.model)
    return _without_failed(timeline, timeline.original.remember(key, lambda: _untrimmed_traffic(timeline)))


def _untrimmed_traffic(timeline: Timeline) -> Traffic:
    """The traffic of `replay_untrimmed`, without planning where an API would refuse nothing of the conversation."""
    conversation, settings = timeline.original, timeline.settings
    columns, counter = conversation.columns, counter_of_money(timeline)
    if not columns.clean or len(columns.stand_ins):
        return traffic(replay_untrimmed(timeline))
    sizes = columns.requests
    messages = sums_of(conversation, counter).running[sizes]
    common = np.append(np.zeros(min(1, len(sizes)), np.int64), messages[:-1])
    sent = contexts_of(conversation, settings, counter, messages + counter.per_request)
    shared = scale_shared(common, messages + counter.per_request, sent, settings.overhead)
    broken, idle = np.zeros(len(sizes), bool), _idle(conversation, sizes)
    return Traffic(sent, shared, broken, idle, _output(conversation, sizes, counter), (NO_USAGE,) * len(sizes))


def billed_traffic(timeline: Timeline) -> Traffic:
    """The traffic that is paid for: counted by the model's own counter, whatever the settings count by."""
    return timeline.remember("billed traffic", lambda: _billed_traffic(timeline))


def _billed_traffic(timeline: Timeline) -> Traffic:
    counter = counter_of_money(timeline)
    found = traffic(timeline) if counter.key == timeline.counter.key else _traffic(recount_timeline(timeline, counter))
    if timeline.conversation is timeline.original:
        return found
    recorded = baseline_of(timeline).output  # a projection rewrites the replies, but the model wrote those recorded
    return replace(found, output=recorded) if len(recorded) == len(found.output) else found


def tokens_share(timeline: Timeline) -> float:
    """Tokens of all requests ÷ those of not trimming, both by the model's own counter, without the overhead."""
    sent, whole = (
        int(found.sent.sum()) - timeline.settings.overhead * len(found.sent)
        for found in (billed_traffic(timeline), baseline_of(timeline))
    )
    return sent / max(1, whole)


def traffic(timeline: Timeline) -> Traffic:
    """The tokens each request sends and shares with the one before, by its own counter, computed once.

    Linear in messages × requests.
    """
    return timeline.remember("traffic", lambda: _traffic(timeline))


def _traffic(timeline: Timeline) -> Traffic:
    common, broken = compare_prefixes(timeline)
    counted = np.array([plan.counted_tokens for plan in timeline.plans], np.int64)
    shared = scale_shared(common, counted, timeline.contexts, timeline.settings.overhead)
    summaries = tuple(_summarizer_usage(plan) if plan.summary else NO_USAGE for plan in timeline.plans)
    conversation, sizes = timeline.conversation, timeline.sent_ranges.sizes
    idle, output = _idle(conversation, sizes), _output(conversation, sizes, timeline.counter)
    return _without_failed(timeline, Traffic(timeline.contexts, shared, broken, idle, output, summaries))


def _without_failed(timeline: Timeline, found: Traffic) -> Traffic:
    """The traffic without the requests for which a trimmer failed: nobody knows what they would have sent."""
    if not timeline.errors:
        return found
    sent = timeline.judged
    return replace(found, sent=found.sent * sent, shared=found.shared * sent, output=found.output * sent)


def scale_shared(common: np.ndarray, tokens: np.ndarray, contexts: np.ndarray, overhead: int) -> np.ndarray:
    """int64[…, requests]: the prefix shared with the request before, the overhead and `common` tokens of its messages.

    What was reported of that request beyond what is counted lies evenly between its messages.
    """
    seen, shared = contexts[..., :-1] - overhead, common.copy()
    later, counted = shared[..., 1:], tokens[..., :-1]
    told = (seen != counted) & (counted > 0)
    later[told] = np.rint(later[told] * (seen[told] / counted[told])).astype(np.int64)
    np.minimum(later + overhead, contexts[..., 1:], out=later)
    return shared


def _idle(conversation: Conversation, sizes: np.ndarray) -> np.ndarray:
    """float64[requests]: seconds since the request before, each as old as the newest message it sends; NaN unknown."""
    times = instants(conversation)[sizes - 1] if len(sizes) else np.empty(0)
    return np.diff(times, prepend=np.nan)


def _output(conversation: Conversation, sizes: np.ndarray, counter: Counter) -> np.ndarray:
    """int64[requests]: tokens of the reply each request got; 0 for the next request, which has none yet.

    Counted, or the provider's number where that is larger: thinking is paid for and not in the transcript. Beside a
    reported number the text is counted without the token factor, which thinking and reminders are part of.
    """
    is_reply = conversation.columns.role == ASSISTANT
    is_reply[conversation.columns.stand_ins] = False
    reported = column(conversation, "output", lambda m: (usage_of(m) or Usage()).output, np.int64)
    if not len(sizes):
        return sizes
    counted = token_column(conversation, counter)
    at_least = token_column(conversation, without_factor(counter))
    replies = np.where(reported > 0, np.maximum(at_least, reported), counted)
    running = np.concatenate(([0], np.cumsum(np.where(is_reply, replies, 0))))
    others = np.append(np.flatnonzero(~is_reply), len(conversation))
    output: np.ndarray = running[others[others.searchsorted(sizes)]] - running[sizes]
    return output


def _summarizer_usage(plan: HistoryPlan) -> Usage:
    """The usage of writing the summary, at the request it was written for; zero where no model was called."""
    summary = plan.summary
    fresh = summary is not None and summary.made_at == plan.size
    return (getattr(summary, "usage", None) or NO_USAGE) if fresh else NO_USAGE
