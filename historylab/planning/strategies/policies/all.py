"""`all`: keep everything; cutting is left to the pruner."""

from historylab.planning.plan import HistoryPlan
from historylab.planning.strategies.base import Context
from historylab.registry import register


@register("policy", "all", title="All", phrase="all messages", says="[everything]", from_the_end=True)
def everything(plan: HistoryPlan, context: Context) -> HistoryPlan:
    """Every message, as far as the budget allows."""
    return plan
