"""Naive slicing under the same settings: the last N messages after the filter, or the last that fit the budget.

It is what most code does first: messages are sliced one by one, tool calls apart from their results.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from historylab.conversation.columns import SYSTEM
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
    settings, plans = timeline.settings, timeline.plans
    sizes = timeline.sent_ranges.sizes
    starts: np.ndarray = np.maximum(0, sizes - _most_messages(settings, len(timeline.conversation)))
    if settings.pruner == "off" or not plans:
        return starts
    history, role = plans[-1].history, timeline.conversation.columns.role
    always = (role == SYSTEM) & settings.preserve_system_messages
    running, leading = (running_sums(history.sums.tokens * mask) for mask in (~always, always))
    budgets = np.array([plan.budget for plan in plans], np.int64)
    room = budgets - history.counter.per_request - leading[sizes]
    fitting = np.minimum(sizes - 1, running.searchsorted(running[sizes] - room))
    np.maximum(starts, fitting, out=starts)
    return starts


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
