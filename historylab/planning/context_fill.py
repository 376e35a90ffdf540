"""How full a request is: tokens by kind, of the window where a compaction or a large budget makes it the limit."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from historylab.planning.replay import Timeline
from historylab.planning.steps import KINDS
from historylab.planning.strategies.base import request_budget
from historylab.pricing import window_of
from historylab.settings.effect import has_effect
from historylab.settings.model import Settings

FILLS = ("overhead", *KINDS, "framing")
"""The kinds of tokens a request takes of its limit, in display order; `free` and `reserve` are the rest of it."""


@dataclass(frozen=True, slots=True)
class ContextLimit:
    """The tokens a request is measured against, the same for every request of a timeline.

    Attributes:
        tokens: the model's window or the whole budget, overhead and reserve included.
        is_window: which of the two.
        threshold: tokens from which a compaction summarises; None without one that has a threshold.
        budget: the budget, where it is below the window that is `tokens`.
        scale: tokens that a drawing must have room for: the limit, or what the largest request takes.
    """

    tokens: int
    is_window: bool
    threshold: int | None
    budget: int | None
    scale: int


def context_limit(timeline: Timeline) -> ContextLimit:
    """The limit of a timeline's requests: the window where it is known and counts, else the budget."""
    settings, largest = timeline.settings, int(timeline.contexts.max(initial=0))
    largest += settings.reserve
    tokens, is_window = limit_of(settings)
    elsewhere = timeline.run is not None or (timeline.plans and timeline.plans[-1].is_sized)
    if elsewhere and tokens == (settings.window or window_of(settings.model)):
        return ContextLimit(tokens, True, None, None, max(tokens, largest))  # decided elsewhere: no stage has a limit
    if not is_window:
        return ContextLimit(tokens, False, None, None, max(tokens, largest, 1))
    window = tokens
    trigger = settings.options.get(f"compaction.{settings.compaction}.trigger")
    threshold = (trigger or math.ceil(settings.threshold * window)) if has_effect(settings, "threshold") else None
    budget = settings.budget if settings.budget < window else None
    return ContextLimit(window, True, threshold, budget, max(window, largest))


def strictest_limit(timeline: Timeline) -> int:
    """The tokens that sizes are said to be of: the budget where a request exceeds it, even if the window is larger."""
    limit = context_limit(timeline)
    return limit.budget if limit.budget is not None and timeline.over_budget.any() else limit.tokens


def limit_of(settings: Settings) -> tuple[int, bool]:
    """The tokens that requests under these settings are measured against, and whether that is the model's window."""
    window, compacts = settings.window or window_of(settings.model), settings.compaction != "off"
    if window is None or not (compacts or settings.budget > window):
        return settings.budget, False
    return window, True


def context_fill(timeline: Timeline, number: int) -> Mapping[str, int]:
    """Tokens of request `number` (from 0) by FILLS, then what is free and what is reserved.

    What was reported beyond what is counted is overhead, too: the file doesn't hold it.
    """
    settings = timeline.settings
    filled = {kind: int(tokens[number]) for kind, tokens in context_by_kind(timeline).items()}
    free = context_limit(timeline).tokens - sum(filled.values()) - settings.reserve
    return {**filled, "free": max(0, free), "reserve": settings.reserve}


def context_by_kind(timeline: Timeline) -> Mapping[str, np.ndarray]:
    """Per kind of FILLS, int64[requests]; together they are `timeline.contexts`, and none is negative.

    Where less was reported than is counted of the messages, they are that much smaller.
    """
    return timeline.remember("context by kind", lambda: _context_by_kind(timeline))


def _context_by_kind(timeline: Timeline) -> Mapping[str, np.ndarray]:
    contexts, found = timeline.contexts, timeline.tokens_by_kind
    counted = np.array([plan.counted_tokens for plan in timeline.plans], np.int64)
    found = {**found, "framing": found["framing"] - (timeline.tokens - counted)}
    less = contexts < counted
    if less.any():
        share = np.where(less, contexts / np.maximum(counted, 1), 1)
        found = {kind: (np.maximum(tokens, 0) * share).astype(np.int64) for kind, tokens in found.items()}
    outside = contexts - sum(found.values(), np.zeros_like(contexts))
    by_kind = {"overhead": outside, **found}
    return {kind: by_kind[kind] for kind in FILLS}


def context_budget(timeline: Timeline, number: int) -> int:
    """Tokens that the context of request `number` (from 0) may have: the budget less the reserve."""
    plan, settings = timeline.plans[number], timeline.settings
    room = request_budget(settings)
    if plan.is_sized:
        return plan.budget
    ours = plan.budget == max(0, room - settings.overhead)  # a recorded decision may be under another budget
    return room if ours else plan.budget + settings.overhead


def tokens_over(timeline: Timeline, number: int) -> int:
    """Tokens by which request `number` (from 0) is counted over its budget, if it is."""
    plan = timeline.plans[number]
    counted = plan.tokens + (0 if plan.is_sized else timeline.settings.overhead)
    return counted - context_budget(timeline, number) if plan.over_budget else 0


def known_window(settings: Settings) -> int:
    """The window of the model that these settings name, 0 where it isn't known."""
    return settings.window or window_of(settings.model) or 0
