"""Assembling a history for a target: one strategy, and the minimum that it may not touch."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from historylab.errors import SettingsError
from historylab.planning.plan import HistoryPlan
from historylab.systems.octopus.minimum import MIN_HISTORY_TURNS
from historylab.systems.octopus.planning import (
    CountTokens,
    MinimumContext,
    begin_plan,
    count_message_tokens,
    counted_messages,
)
from historylab.systems.octopus.pruners import (
    SLIDING_WINDOW_TURNS,
    SlidingWindowPruner,
    SummarizePruner,
    drop_oldest,
    keep_window,
)

log = logging.getLogger("historylab")

STRATEGIES = ("FIFO", "Summarize", "SlidingWindow")


@dataclass(frozen=True, slots=True)
class AssembledHistory:
    """The messages to send, their tokens in all and each, whether that is over the target, whether any was left out."""

    messages: list[Any]
    tokens: int
    over_budget: bool
    token_counts: tuple[int, ...] = ()
    pruning_applied: bool = False


def assemble_history(
    history: Iterable[Any],
    target_tokens: int,
    *,
    strategy: str = "FIFO",
    min_history_turns: int = MIN_HISTORY_TURNS,
    sliding_window_turns: int = SLIDING_WINDOW_TURNS,
    count_tokens: CountTokens = count_message_tokens,
    summarize: Callable[..., str] | None = None,
) -> AssembledHistory:
    """Prune by `strategy`; the last `min_history_turns` complete turns and what follows them stay, over budget or not.

    Args:
        history: messages; the caller's own objects are given back.
        target_tokens: system messages count towards it; below 0 is 0.
        strategy: "FIFO", "Summarize" (when that is not enough, FIFO goes on) or "SlidingWindow".
        summarize: as SummarizePruner's; when it fails, that is logged and FIFO does the work.
    """
    plan, context = begin_plan(history, target_tokens, count_tokens, min_history_turns)
    if strategy == "SlidingWindow":
        plan = keep_window(plan, context, SlidingWindowPruner(sliding_window_turns).turns)
    elif strategy in STRATEGIES:
        plan = drop_oldest(_summarize(plan, context, summarize) if strategy == "Summarize" else plan, context)
    else:
        raise SettingsError(f"there is no strategy {strategy!r}; choose one of {', '.join(STRATEGIES)}")
    counted = counted_messages(plan)
    return AssembledHistory(
        messages=[message for message, _ in counted],
        tokens=plan.tokens,
        over_budget=plan.tokens > target_tokens,
        token_counts=tuple(count for _, count in counted),
        pruning_applied=not plan.sent.all(),
    )


def _summarize(plan: HistoryPlan, context: MinimumContext, summarize: Callable[..., str] | None) -> HistoryPlan:
    if summarize is None:
        raise SettingsError("strategy 'Summarize' needs a model: give summarize=")
    try:
        return SummarizePruner(summarize).fold(plan, context)
    except Exception as problem:  # whatever a model's client raises: the conversation must go on
        log.warning("No summary (%s: %s); the oldest turns are dropped instead", type(problem).__name__, problem)
        return plan
