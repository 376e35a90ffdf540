"""The contract of stages: functions of a plan and its context that return a new plan.

    @register("pruner")
    def my_pruner(plan: HistoryPlan, context: Context, *, keep: Annotated[int, Field(ge=1)] = 5) -> HistoryPlan: ...

Register it with `carries=True` if it needs the previous request's plan (`context.previous`); or with a function of its
options, if only some of them make it need that.

`phrase=` names its cut in a sentence, in the singular, with "{to}" in place of the budget: "FIFO{to}". It may also
be a function of some of its options, each None where the sentence doesn't mention it.

`facts=` names what it reads of a message besides role and text (`FACTS` in `historylab/exporters/base.py`), so that an
export can say where that is missing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from historylab.chat_models.base import ChatModel
from historylab.conversation.columns import ASSISTANT
from historylab.counters.base import Counter
from historylab.planning.history import History
from historylab.planning.kept import KeptSummaries
from historylab.planning.plan import HistoryPlan
from historylab.registry import FINE, Member
from historylab.relevance.base import Relevance
from historylab.settings.model import Settings
from historylab.summarizers.base import Summarizer
from historylab.summarizers.extractive import ExtractiveSummarizer

KeepTask = Annotated[
    bool,
    Field(
        title="Newest user message stays", description="the newest user message always stays", json_schema_extra=FINE
    ),
]


@dataclass(frozen=True, slots=True)
class Instruments:
    """Counter, summarizer, relevance scorer and chat model of the stages: opened from the settings, or passed in."""

    counter: Counter
    summarizer: Summarizer = field(default_factory=ExtractiveSummarizer)
    relevance: Relevance | None = None
    chat_model: ChatModel | None = None
    now: float | None = None  # seconds since 1970; None: the time of the newest message
    summaries: KeptSummaries | None = None  # those written before; None: every summary is written anew

    def offline(self) -> Instruments:
        """The same without model calls, for the many trial plans that are never sent and leave nothing in a store."""
        offline = getattr(self.summarizer, "offline", False)
        if offline and self.summaries is None:
            return self
        return replace(self, summarizer=self.summarizer if offline else ExtractiveSummarizer(), summaries=None)


@dataclass(slots=True)  # not frozen: one is made per request, and freezing costs more than the rest of it
class Context:
    """The surroundings a stage may look at besides the plan: only messages before the request."""

    history: History
    settings: Settings
    instruments: Instruments
    previous: HistoryPlan | None

    def protected(self, plan: HistoryPlan, *, keep_task: bool = True) -> np.ndarray:
        """bool[blocks]: what a pruner may not drop.

        The newest user message (the task, unless not `keep_task`), the newest block, and the last `min_turns` complete
        turns that filter and policy left, with everything after them. Pinned blocks are decided already and not in it.
        """
        history = self.history
        mask = np.zeros(history.blocks, bool)
        if not history.blocks:
            return mask
        mask[history.columns.block.item(history.size - 1)] = True
        if keep_task and history.users:
            mask[history.columns.user_blocks.item(history.users - 1)] = True
        if self.settings.min_turns:
            mask[first_of_last_turns(plan, self.settings.min_turns) :] = True
        return mask


def first_of_last_turns(plan: HistoryPlan, turns: int) -> int:
    """The block at which the last `turns` complete turns of what the plan still sends begin.

    If there are fewer, the first of them; if there are none, `history.blocks`.
    """
    history, columns = plan.history, plan.history.columns
    if turns <= 0:
        return history.blocks
    turn = columns.block_turn[: history.blocks]
    says_something = plan.sent & (columns.block_role[: history.blocks] == ASSISTANT) & (turn >= 0)
    unanswered = (columns.answered_at[: history.blocks] > history.size) & ~history.replaced
    complete = np.zeros(history.users, bool)
    complete[turn[says_something]] = True
    complete[turn[unanswered & (turn >= 0)]] = False
    numbers = np.flatnonzero(complete)
    if not len(numbers):
        return history.blocks
    return int(columns.user_blocks[numbers[-min(turns, len(numbers))]])


def needs_previous_plan(stage: Member, options: Mapping[str, Any]) -> bool:
    """Whether a stage with these options (defaults may be left out) needs the previous request's plan."""
    carries = stage.attributes.get("carries", False)
    return bool(carries(**options) if callable(carries) else carries)
