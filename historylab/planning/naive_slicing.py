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
from historylab.planning.steps import PlannedRequests
from historylab.settings.model import Settings

SLOTS_AFTER = ("tool_output", "compaction", "pruner", "layout", "projection")  # the timeline's is projected already


def naive_starts(timeline: PlannedRequests) -> list[int]:
    """Per request, the index from which the naive version sends every message, where no filter is set
    and nothing is only shown.

    `lastN` and `lastMessages` slice the last `length` *messages*; a pruner keeps the longest run of newest messages
    that fits the budget, never fewer than one; `none` keeps the newest.
    """
    settings = timeline.settings
    starts: list[int] = []
    if not timeline.plans:
        return starts
    tokens, role = timeline.plans[-1].history.sums.tokens, timeline.conversation.columns.role
    always = (role == SYSTEM) & settings.preserve_system_messages
    running, leading = (np.concatenate(([0], np.cumsum(tokens * mask))) for mask in (~always, always))
    for plan in timeline.plans:
        size, start = plan.size, _by_number(settings, plan.size)
        if settings.pruner != "off":
            room = plan.budget - plan.history.counter.per_request - int(leading[size])
            start = max(start, _first_fitting(running[: size + 1], room))
        starts.append(start)
    return starts


def naive_masks(timeline: PlannedRequests) -> list[np.ndarray]:
    """Per request, bool[size]: what the naive version sends; see `naive_starts`. System messages stay if any do."""
    settings, masks = timeline.settings, []
    for plan, left in zip(timeline.plans, _left_by_filter(timeline), strict=True):
        chosen, mask = np.flatnonzero(left), np.zeros(plan.size, bool)
        always = (plan.history.columns.role[chosen] == SYSTEM) & settings.preserve_system_messages
        start, tokens = _by_number(settings, len(chosen)), plan.history.tokens[chosen]
        if settings.pruner != "off" and len(chosen):
            room = plan.budget - plan.history.counter.per_request - int(tokens[always].sum())
            start = max(start, _first_fitting(np.concatenate(([0], np.cumsum(tokens * ~always))), room))
        mask[chosen[always]] = mask[chosen[start:]] = True
        masks.append(mask)
    return masks


def _by_number(settings: Settings, size: int) -> int:
    """The index from which the policy sends that many messages."""
    if settings.policy == "all":
        return 0
    return max(0, size - (max(1, settings.length) if settings.policy != "none" else 1))


def _first_fitting(running: np.ndarray, room: int) -> int:
    """Where the newest messages that fit the room begin, given the tokens before each and after the last."""
    size = len(running) - 1
    return min(size - 1, int(running[:size].searchsorted(running[size] - room)))


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
