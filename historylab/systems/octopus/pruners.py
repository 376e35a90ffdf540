"""Octopus' three pruners behind one contract. Each only chooses; the cutting is the core's."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Protocol

import numpy as np

from historylab.errors import SettingsError
from historylab.planning.plan import HistoryPlan
from historylab.planning.strategies.base import Context
from historylab.planning.strategies.cutting import oldest_share
from historylab.planning.strategies.folding import FOR_BUDGET
from historylab.planning.strategies.pruners.fifo import fifo
from historylab.planning.strategies.pruners.sliding_window import sliding_window
from historylab.summarizers.base import SummaryTask
from historylab.summarizers.writing import write_summary
from historylab.systems.base import number, require_whole_number
from historylab.systems.octopus.planning import CountTokens, begin_plan, count_message_tokens, plan_messages

SLIDING_WINDOW_TURNS = 10
SUMMARY_PROMPT = "Summarize this conversation history concisely:"
SUMMARY_MARK = "[Earlier conversation summary]: "
Cancelled = Callable[[], bool]


class ContextPruner(Protocol):
    """Brings a history down to `target_tokens`: a new list of the caller's own messages, system messages never removed.

    `cancelled()` is checked before each model call; if it is true, the history is left as it is.
    """

    def prune(self, history: Iterable[Any], target_tokens: int, *, cancelled: Cancelled | None = None) -> list[Any]: ...


class FIFOPruner:
    """Over the target, whole turns are dropped, the oldest first, until it fits: down to system messages alone."""

    def __init__(self, *, count_tokens: CountTokens = count_message_tokens):
        self._count_tokens = count_tokens

    def prune(self, history: Iterable[Any], target_tokens: int, *, cancelled: Cancelled | None = None) -> list[Any]:
        return plan_messages(drop_oldest(*begin_plan(history, target_tokens, self._count_tokens)))


class SlidingWindowPruner:
    """Always the last `turns` turns, whole, whatever the target; with no more turns than that, everything."""

    def __init__(self, turns: int = SLIDING_WINDOW_TURNS):
        self.turns = require_whole_number(turns, "a window in turns of")

    def prune(self, history: Iterable[Any], target_tokens: int, *, cancelled: Cancelled | None = None) -> list[Any]:
        return plan_messages(keep_window(*begin_plan(history, target_tokens), self.turns))


class SummarizePruner:
    """Over the target, the oldest share of the messages, by count, becomes one summary, once; nothing is dropped.

    `summarize(messages, prompt=…, max_output_tokens=…)` writes the text; what it raises passes through. An empty text
    is an InstrumentError.
    """

    def __init__(
        self,
        summarize: Callable[..., str],
        *,
        fraction: float = 0.3,
        max_output_tokens: int = 300,
        count_tokens: CountTokens = count_message_tokens,
    ):
        if not 0 < number(fraction, "fraction") <= 1:
            raise SettingsError(f"a fraction of {fraction!r} of the history cannot be summarised; give 0 to 1")
        self._summarize, self._fraction = summarize, fraction
        self._max_output_tokens, self._count_tokens = max_output_tokens, count_tokens

    def prune(self, history: Iterable[Any], target_tokens: int, *, cancelled: Cancelled | None = None) -> list[Any]:
        return plan_messages(self.fold(*begin_plan(history, target_tokens, self._count_tokens), cancelled=cancelled))

    def fold(self, plan: HistoryPlan, context: Context, *, cancelled: Cancelled | None = None) -> HistoryPlan:
        """The plan with its oldest share summarised, if it is over its budget and a whole turn is that small."""
        blocks = (
            oldest_share(plan, context, self._fraction) if plan.over_budget else np.zeros(plan.history.blocks, bool)
        )
        if not blocks.any() or (cancelled and cancelled()):
            return plan
        history = plan.history
        old = np.flatnonzero(blocks[history.columns.block[: history.size]]).tolist()
        task = SummaryTask([history.conversation[i] for i in old], self._max_output_tokens, history.counter)
        summary = write_summary(task, CallersSummarizer(self._summarize), made_at=history.size, heading=SUMMARY_MARK)
        return plan.summarize(blocks, summary, FOR_BUDGET, tokens=plan.tokens)


class CallersSummarizer:
    """The caller's `summarize` as a summarizer: it is given the caller's own messages and Octopus' prompt."""

    name = "the caller's summarize"

    def __init__(self, summarize: Callable[..., str]):
        self._summarize = summarize

    def summarize(self, task: SummaryTask) -> str:
        given = [message.source for message in task.messages]
        return self._summarize(given, prompt=SUMMARY_PROMPT, max_output_tokens=task.max_tokens)


def drop_oldest(plan: HistoryPlan, context: Context) -> HistoryPlan:
    """FIFO over whole turns."""
    return fifo(plan, context, unit="whole_turn")


def keep_window(plan: HistoryPlan, context: Context, turns: int) -> HistoryPlan:
    """The last `turns` turns, and what the context protects."""
    return sliding_window(plan, context, turns=turns)
