"""`fifo`: over the budget, the oldest go first, until it fits."""

from historylab.plan import reason
from historylab.registry import register
from historylab.strategies.base import KeepTask
from historylab.strategies.cut import Unit, oldest

OVER_BUDGET = reason(
    "budget", "Oldest first: the history had {tokens:,} tokens, the budget is {budget:,}.", knob="budget"
)


@register("pruner")
def fifo(plan, context, *, unit: Unit = "turn", keep_task: KeepTask = True):
    """Drops the oldest turns until the request fits the budget."""
    excess = plan.tokens - plan.budget
    if excess <= 0:
        return plan
    blocks = oldest(plan, context, excess, unit, keep_task=keep_task)
    return plan.drop(blocks, OVER_BUDGET, tokens=plan.tokens, budget=plan.budget)
