"""The contract of stages: functions of a plan and its context that return a new plan.

    @register("pruner")
    def my_pruner(plan: HistoryPlan, context: Context, *, keep: Annotated[int, Field(ge=1)] = 5) -> HistoryPlan: ...

Register it with `carries=True` if it needs the previous request's plan (`context.previous`); or with a function of its
options, if only some of them make it need that. Of that plan it may read the history, size, tokens, summary and
numbers, and what was left out for which reason (`decided_before`): after a restart no more of it is known.

`phrase=` names its cut in a sentence, in the singular, with "{to}" in place of the budget: "FIFO{to}". It may also
be a function of some of its options, each None where the sentence doesn't mention it.

`says=` is its part of the sentence that says the settings, of a policy and a pruner: "up to {budget} tokens, then
[drop the oldest turns]". What is chosen with it stands in brackets. A number of the settings or of its options stands
in braces, with its noun ("{turns:turns}"); in the brackets it may also be a share ("{share:%}"). It may also be a
function of some of its options, where they decide the noun.

`from_the_end=True` says that what it decides about a message follows from that message and those after it, and that of
what it drops nothing is newer than what it keeps, apart from the newest user message and block: so where the end of a
long history begins with a dropped message, that end is enough to plan a request. A function of its options gives 0
where that doesn't hold, or the number of tool results of which a multiple must be left out.

`unlisted=True`: screens offer it only where it is chosen already, as another member does the same for all but a system.

`facts=` names what it reads of a message besides role and text (`FACTS` in `historylab/exporters/base.py`), so that an
export can say where that is missing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from pydantic import Field

from historylab.conversation.columns import ASSISTANT
from historylab.counters.base import Counter
from historylab.planning.blocks import Ranges, before
from historylab.planning.history import History
from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import SENT
from historylab.planning.stored_state import KeptSummaries
from historylab.registry import FINE, Member, member, opened_later
from historylab.settings.model import Settings

UP_TO = "up to {budget} tokens, then"
"""In the sentence of the settings, what a pruner's part begins with if it acts once the budget is exceeded."""

if TYPE_CHECKING:
    from historylab.chat_models.base import ChatModel
    from historylab.relevance.base import Relevance
    from historylab.summarizers.base import Summarizer

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
    summarizer: Summarizer = field(default_factory=lambda: opened_later(_extractive))
    relevance: Relevance | None = None
    chat_model: ChatModel | None = None
    now: float | None = None  # seconds since 1970; None: the time of the newest message
    summaries: KeptSummaries | None = None  # those written before; None: every summary is written anew

    def offline(self) -> Instruments:
        """The same without model calls, for the many trial plans that are never sent and leave nothing in a store."""
        offline = getattr(self.summarizer, "offline", False)
        if offline and self.summaries is None:
            return self
        return replace(self, summarizer=self.summarizer if offline else _extractive(), summaries=None)


def _extractive() -> Summarizer:
    summarizer: Summarizer = member("summarizer", "extractive").target()
    return summarizer


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
        mask: np.ndarray = ~self.free(plan, keep_task=keep_task).mask(self.history.blocks)
        return mask

    def free(self, plan: HistoryPlan, *, keep_task: bool = True) -> Ranges:
        """All blocks that are not protected, decided or not: as ranges, for cuts that are quick to plan and to keep."""
        history, columns = self.history, self.history.columns
        if not history.blocks:
            return Ranges()
        stays = {columns.block.item(history.size - 1)}
        if keep_task and history.users:
            stays.add(columns.user_blocks.item(history.users - 1))
        turns = self.settings.min_turns
        return before(first_of_last_turns(plan, turns) if turns else history.blocks, but=stays)


def request_budget(settings: Settings) -> int:
    """The most tokens a request may have, what is outside its messages included: the budget less the reserve."""
    return max(0, settings.budget - settings.reserve)


def first_of_last_turns(plan: HistoryPlan, turns: int) -> int:
    """The block at which the last `turns` complete turns of what the plan still sends begin.

    If there are fewer, the first of them; if there are none, `history.blocks`.
    """
    history, columns = plan.history, plan.history.columns
    if turns <= 0 or not history.users:
        return history.blocks
    oldest, looked = max(0, columns.block_turn.item(min(plan.first_spoken(), history.blocks - 1))), turns + 1
    while True:  # from the newest turn back, as far as it takes
        first = max(oldest, history.users - looked)
        complete = _complete_turns(plan, first)
        if len(complete) >= turns or first == oldest:
            break
        looked *= 4
    return columns.user_blocks.item(complete.item(max(0, len(complete) - turns))) if len(complete) else history.blocks


def _complete_turns(plan: HistoryPlan, first: int) -> np.ndarray:
    """int64: the complete turns of what the plan still sends, from that one on."""
    history, columns = plan.history, plan.history.columns
    blocks = slice(columns.user_blocks.item(first), history.blocks)
    turn = columns.block_turn[blocks] - first
    says_something = (plan.actions_at(blocks) <= SENT) & (columns.block_role[blocks] == ASSISTANT)
    unanswered = columns.answered_at[blocks] > history.size
    if len(columns.stand_ins):
        unanswered &= ~history.replaced[blocks]
    complete = np.zeros(history.users - first, bool)
    complete[turn[says_something]] = True
    complete[turn[unanswered]] = False
    found: np.ndarray = complete.nonzero()[0] + first
    return found


def newest_sent_users(plan: HistoryPlan, most: int) -> np.ndarray:
    """int64: the newest blocks of user messages that the plan still sends, `most` at most."""
    users = plan.history.columns.user_blocks[: plan.history.users]
    users, looked = users[users.searchsorted(plan.first_spoken()) :], most
    while True:  # from the newest back, as far as it takes
        newest = users[max(0, len(users) - looked) :]
        sent = newest[plan.actions_at(newest) <= SENT]
        if len(sent) >= most or looked >= len(users):
            return sent[max(0, len(sent) - most) :]
        looked *= 4


def needs_previous_plan(stage: Member, options: Mapping[str, Any]) -> bool:
    """Whether a stage with these options (defaults may be left out) needs the previous request's plan."""
    carries = stage.attributes.get("carries", False)
    return bool(carries(**options) if callable(carries) else carries)
