"""`fifo`: over the budget, the oldest are dropped until the request fits; with `trim_to`, until it is well below.

Trimming to just what fits moves the cut again and again, which can cost more than not trimming at all: what
follows the cut is no longer in the provider's prompt cache (docs/evidence.md).
"""

from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import reason
from historylab.planning.strategies.base import Context, KeepTask
from historylab.planning.strategies.cutting import TrimTo, Unit, carries_cut, carry_cut, oldest_blocks
from historylab.registry import register

OVER_BUDGET = reason(
    "budget", "Oldest first: the history had {tokens:,} tokens, the budget is {budget:,}.", setting="budget"
)
CUT_BELOW = reason(
    "budget_cut",
    "Oldest first, down to {goal:,} tokens, last when the history had {tokens:,} and the budget was {budget:,}.",
    setting="budget",
)


@register("pruner", carries=carries_cut, reads=("min_turns",), title="Oldest first", phrase="FIFO{to}")
def fifo(
    plan: HistoryPlan, context: Context, *, unit: Unit = "turn", keep_task: KeepTask = True, trim_to: TrimTo = 1.0
) -> HistoryPlan:
    """Drops the oldest turns until the request fits the budget."""
    if trim_to < 1:
        plan = carry_cut(plan, context, CUT_BELOW, keep_task=keep_task)
    if plan.tokens <= plan.budget:
        return plan
    goal = int(trim_to * plan.budget)
    blocks = oldest_blocks(plan, context, plan.tokens - goal, unit, keep_task=keep_task)
    if trim_to < 1:
        return plan.drop(blocks, CUT_BELOW, tokens=plan.tokens, budget=plan.budget, goal=goal)
    return plan.drop(blocks, OVER_BUDGET, tokens=plan.tokens, budget=plan.budget)
