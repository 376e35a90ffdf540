"""When compaction begins and how much it may fold: shared by its members. Pins and system messages are never folded."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from historylab.errors import SettingsError
from historylab.planning.blocks import Ranges
from historylab.planning.history import History
from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import Reason, reason
from historylab.planning.strategies import folding
from historylab.planning.strategies.base import Context
from historylab.pricing import window_of
from historylab.registry import FINE

READS = ("threshold", "window", "min_turns", *folding.READS)
"""Settings read by members that fold once the threshold is reached."""
SummaryShare = Annotated[
    float,
    Field(
        gt=0,
        le=1,
        title="Largest share of a summary",
        description="share of the window a summary may take at most",
        json_schema_extra=FINE,
    ),
]

MinFreed = Annotated[
    float,
    Field(
        ge=0,
        le=1,
        title="Worth a summary from",
        description="share of the request that there must be to fold: with less it waits, as every new summary loses "
        "the provider's prompt cache; 0 never waits",
        json_schema_extra=FINE,
    ),
]
Trigger = Annotated[
    int,
    Field(
        ge=0,
        le=1_000_000_000,
        title="Summarised from",
        description="tokens of the whole request, overhead included, from which on it summarises; 0: from the "
        "threshold's share of the window on",
        json_schema_extra=FINE,
    ),
]
WAITS = reason(
    "compaction_waits",
    "Only {folded:,} of {tokens:,} tokens could be folded: the compaction waits for {least:.0%} of the request.",
)


def fold_if_worth(
    plan: HistoryPlan, context: Context, blocks: Ranges | np.ndarray, room: int, why: Reason, min_freed: float
) -> HistoryPlan:
    """Fold these blocks as `folding.fold` does, or, where they are less than that share of the request, say so."""
    folded, least = plan.tokens_of(blocks), min_freed * plan.tokens
    if folded < least:
        return plan.note(blocks, WAITS, folded=folded, tokens=plan.tokens, least=min_freed) if folded else plan
    return folding.fold(plan, context, blocks, room, why)


def window(context: Context) -> int:
    """The model's context window. Raises SettingsError if it is unknown."""
    settings = context.settings
    known = settings.window or window_of(settings.model)
    if known is None:
        raise SettingsError(f"the context window of {settings.model!r} is not known; set `window` (tokens)")
    return known


def threshold_reached(plan: HistoryPlan, context: Context, trigger: int = 0) -> bool:
    """Whether the request, with the overhead outside the transcript, reaches the threshold's share of the window.

    With a `trigger`, so many tokens instead.
    """
    return plan.tokens + context.settings.overhead >= (trigger or context.settings.threshold * window(context))


def before_newest(
    plan: HistoryPlan, context: Context, messages: int, keep_task: bool, *, tokens: int = 0
) -> np.ndarray:
    """bool[blocks]: what is still open before the newest `messages` sent, leading system messages left out.

    With `tokens` before the newest blocks that together have no more, or the newest alone.

    A call and its results stay together: the cut moves back to the start of the first block it would split.
    """
    history = context.history
    free = plan.open & ~_leading_systems(history)
    homes = history.columns.block[: history.size]
    counted = np.flatnonzero(free[homes])
    cut = counted[-messages].item() if 0 < messages <= len(counted) else 0 if messages else history.size
    if tokens:
        cut = _start_of_newest(plan, free, tokens)
    first, last = history.columns.block_first[: history.blocks], _last_messages(history, homes)
    while (split := free & (first < cut) & (last >= cut)).any():
        cut = first[split].min()
    older: np.ndarray = free & (first < cut)
    return older & ~context.protected(plan) if keep_task else older


def _start_of_newest(plan: HistoryPlan, free: np.ndarray, tokens: int) -> int:
    """The first message of the newest of these blocks that together have at most so many tokens, one at least."""
    blocks = np.flatnonzero(free)[::-1]
    fitting = int(plan.block_tokens[blocks].cumsum().searchsorted(tokens, side="right"))
    return plan.history.columns.block_first.item(blocks.item(max(1, fitting) - 1)) if len(blocks) else 0


def _leading_systems(history: History) -> np.ndarray:
    """bool[blocks]: the system messages before any other."""
    return np.logical_and.accumulate(history.columns.system[: history.blocks])


def _last_messages(history: History, homes: np.ndarray) -> np.ndarray:
    """int64[blocks]: the last message of each block so far."""
    last = np.zeros(history.blocks, np.int64)
    last[homes] = np.arange(history.size)
    return last
