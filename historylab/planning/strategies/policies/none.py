"""`none`: a stateless conversation; only system messages and pins are sent."""

from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import reason
from historylab.planning.strategies.base import Context
from historylab.registry import register

NO_HISTORY = reason("none", "The policy is none: no history is sent.", remedy={"policy": "all"})


@register("policy", "none", title="None", phrase="no history")
def no_history(plan: HistoryPlan, context: Context) -> HistoryPlan:
    """No history: system messages and pins only."""
    return plan.drop(plan.open, NO_HISTORY)
