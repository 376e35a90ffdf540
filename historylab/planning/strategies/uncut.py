"""Why a message is sent whole although its request is over the budget: protected, or nothing set here cuts it."""

from __future__ import annotations

from typing import Any

from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import reason
from historylab.planning.strategies.base import first_of_last_turns
from historylab.registry import member
from historylab.settings.model import Settings

_OVER = "though the request is over the budget of {budget:,}."
QUESTION = reason("question", f"The newest user message: never cut, {_OVER}")
NEWEST = reason("newest_block", f"The newest message (a tool call counts with its results): never cut, {_OVER}")
PROTECTED = reason(
    "min_turns", "In the {turns:newest complete turns}, which the pruner may not touch: not cut, " + _OVER
)
SPARED = reason("spared", "Not cut by the pruner “{named}”, " + _OVER)
NO_PRUNER = reason("no_pruner", f"No pruner is set, so nothing cuts it, {_OVER}")


def say_why_uncut(plan: HistoryPlan, settings: Settings) -> HistoryPlan:
    """The same decisions; of a plan over its budget, whatever is still open says why it is sent."""
    history, undecided = plan.history, plan.open
    if not undecided.any():
        return plan
    reasons, columns = plan.block_reasons.copy(), plan.history.columns
    reasons[undecided] = NO_PRUNER.code if settings.pruner == "off" else SPARED.code
    if settings.pruner != "off":
        protected = first_of_last_turns(plan, settings.min_turns)
        reasons[protected:][undecided[protected:]] = PROTECTED.code
        newest = columns.block.item(history.size - 1)
        question = columns.user_blocks.item(history.users - 1) if history.users else newest
        for block, why in ((question, QUESTION), (newest, NEWEST)):
            if undecided[block]:
                reasons[block] = why.code
    numbers: dict[str, Any] = {"budget": plan.budget, "turns": settings.min_turns, "pruner": settings.pruner}
    numbers["named"] = member("pruner", settings.pruner).title
    codes = (QUESTION, NEWEST, PROTECTED, SPARED, NO_PRUNER)
    return plan.with_reasons(reasons, {why.code: numbers for why in codes})
