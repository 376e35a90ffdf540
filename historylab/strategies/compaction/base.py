"""When compaction begins and how much it may fold: shared by its members. Pins and system messages are never folded."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from historylab.cost import window_of
from historylab.errors import SettingsError
from historylab.plan import HistoryPlan
from historylab.strategies.base import Context

SummaryShare = Annotated[float, Field(gt=0, le=1, description="share of the window a summary may take at most")]


def window(context: Context) -> int:
    """The model's context window. Raises SettingsError where nobody knows it."""
    settings = context.settings
    found = settings.window or window_of(settings.model)
    if found is None:
        raise SettingsError(f"the context window of {settings.model!r} is not known; set `window` (tokens)")
    return found


def threshold_reached(plan: HistoryPlan, context: Context) -> bool:
    """Whether the request, with what is outside the transcript, has come to the threshold's share of the window."""
    return plan.tokens + context.settings.overhead >= context.settings.threshold * window(context)


def before_newest(plan: HistoryPlan, context: Context, messages: int, keep_task: bool) -> np.ndarray:
    """bool[blocks]: what is still open before the newest `messages` sent; the cut moves earlier to a block's start."""
    history = context.history
    open_blocks = plan.open
    running = np.cumsum((history.block_sizes * open_blocks)[::-1])[::-1]  # messages from this block on
    older = open_blocks & (running - history.block_sizes * open_blocks >= messages)
    return older & ~context.protected(plan) if keep_task else older
