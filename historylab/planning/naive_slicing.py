"""Naive slicing under the same settings: the last N messages after the filter, or the last that fit the budget.

It is what most code does first: messages are sliced one by one, tool calls apart from their results.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from historylab.conversation.columns import SYSTEM
from historylab.conversation.conversation import Conversation
from historylab.counters.base import Counter
from historylab.planning.history import sums_of
from historylab.planning.pipeline import plan_requests
from historylab.planning.reasons import INVALID
from historylab.planning.scans import running_sums
from historylab.planning.steps import PlannedRequests
from historylab.settings.model import Settings

SLOTS_AFTER = ("tool_output", "compaction", "pruner", "layout", "projection")  # the timeline's is projected already


def naive_starts(timeline: PlannedRequests) -> np.ndarray:
    """int64[requests]: the index from which the naive version sends every message, where no filter is set
    and nothing is only shown.

    `lastN` and `lastMessages` slice the last `length` *messages*; a pruner keeps the longest run of newest messages
    that fits the budget, never fewer than one; `none` keeps the newest.
    """
    plans, conversation = timeline.plans, timeline.conversation
    if not plans:
        return np.zeros(0, np.int64)
    budgets = np.array([plan.budget for plan in plans], np.int64)
    starts: np.ndarray = find_starts(conversation, timeline.instruments.counter, [timeline.settings], budgets)[0]
    return starts


def find_starts(
    conversation: Conversation, counter: Counter, settings: Sequence[Settings], budgets: np.ndarray
) -> np.ndarray:
    """int64[s, requests]: the same under s settings that treat system messages alike; `budgets`: int64[s, requests]."""
    columns, tokens = conversation.columns, sums_of(conversation, counter).tokens
    sizes, always = columns.requests, (columns.role == SYSTEM) & settings[0].preserve_system_messages
    starts = np.maximum(0, sizes - np.array([[_most_messages(each, len(tokens))] for each in settings]))
    running, leading = (running_sums(tokens * mask) for mask in (~always, always))
    room = budgets - counter.per_request - leading[sizes]
    fitting = np.minimum(sizes - 1, running.searchsorted(running[sizes] - room))
    found: np.ndarray = np.where([[each.pruner != "off"] for each in settings], np.maximum(starts, fitting), starts)
    return found


def naive_masks(timeline: PlannedRequests) -> list[np.ndarray]:
    """Per request, bool[size]: what the naive version sends; see `naive_starts`. System messages stay if any do."""
    settings, masks = timeline.settings, []
    for plan, left in zip(timeline.plans, _left_by_filter(timeline), strict=True):
        chosen, mask = np.flatnonzero(left), np.zeros(plan.size, bool)
        always = (plan.history.columns.role[chosen] == SYSTEM) & settings.preserve_system_messages
        most, tokens = _most_messages(settings, len(chosen)), plan.history.tokens[chosen]
        start = max(0, len(chosen) - most)
        if settings.pruner != "off" and len(chosen):
            room = plan.budget - plan.history.counter.per_request - int(tokens[always].sum())
            running = running_sums(tokens * ~always)
            start = max(start, min(len(chosen) - 1, int(running.searchsorted(running[-1] - room))))
        mask[chosen[always]] = mask[chosen[start:]] = True
        masks.append(mask)
    return masks


def _most_messages(settings: Settings, size: int) -> int:
    """The number of newest messages that the policy sends of so many."""
    if settings.policy == "all":
        return size
    return max(1, settings.length) if settings.policy != "none" else 1


def _left_by_filter(timeline: PlannedRequests) -> Iterable[np.ndarray]:
    """Per request, bool[size]: the messages the filter leaves; what is broken in the source among them."""
    if timeline.settings.filter == "off":
        histories = [plan.history for plan in timeline.plans]
        return [~(each.replaced | each.shown)[each.columns.block[: each.size]] for each in histories]
    off: dict[str, Any] = dict.fromkeys(SLOTS_AFTER, "off")
    alone = timeline.settings.replace(**off, policy="all")
    plans = plan_requests(timeline.conversation, alone, instruments=timeline.instruments)
    return [
        (plan.sent | (plan.block_reasons == INVALID.code))[plan.history.columns.block[: plan.size]] for plan in plans
    ]
