"""The tokens that all requests send, by role: sums over the blocks they send, less what shorter texts save."""

from __future__ import annotations

import numpy as np

from historylab.conversation.columns import OTHER, Columns
from historylab.planning.decision_changes import spread_runs
from historylab.planning.sent_ranges import SentRanges
from historylab.planning.steps import PlannedRequests

ROLES = OTHER + 1


def sent_by_role(timeline: PlannedRequests) -> np.ndarray:
    """int64[roles, requests]: the tokens of the messages that are sent, as they are sent."""
    plans, ranges, shortened = timeline.plans, timeline.sent_ranges, timeline.shortened
    if not plans:
        return np.zeros((ROLES, 0), np.int64)
    columns, tokens = timeline.conversation.columns, plans[-1].history.sums.tokens
    blocks = len(columns.block_first)
    cells = columns.role.astype(np.int64) * blocks + columns.block
    sums = ranges.sums(np.bincount(cells, tokens, ROLES * blocks).astype(np.int64).reshape(ROLES, blocks))
    sums -= _not_yet_said(columns, ranges, tokens)
    if shortened.texts is not None:
        saved = np.zeros((ROLES, len(shortened.texts)), np.int64)
        saved[columns.role[shortened.texts.messages], np.arange(len(shortened.texts))] = shortened.texts.saved
        sums -= shortened.sums(saved)
    for request in shortened.others.tolist():
        plan = plans[request]
        sums[:, request] = np.bincount(columns.role[: plan.size], plan.sent_tokens, ROLES)
    return sums


def _not_yet_said(columns: Columns, ranges: SentRanges, tokens: np.ndarray) -> np.ndarray:
    """int64[roles, requests]: the tokens of messages that came after a request which sent what their block had."""
    arrived = ranges.sizes.searchsorted(np.arange(len(tokens)), "right")
    begins = arrived[columns.block_first[columns.block]]
    late = np.flatnonzero(arrived > begins)
    waiting = (arrived - begins)[late]
    requests, messages = spread_runs(begins[late], waiting), late.repeat(waiting)
    sent = ranges.sends(requests, columns.block[messages])
    cells = columns.role[messages[sent]].astype(np.int64) * len(ranges.sizes) + requests[sent]
    found: np.ndarray = np.bincount(cells, tokens[messages[sent]], ROLES * len(ranges.sizes)).astype(np.int64)
    return found.reshape(ROLES, -1)
