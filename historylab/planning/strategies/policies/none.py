"""`none`: a stateless conversation. The newest user message and what follows it stay, so that there is something to
answer; of what precedes it only system messages and pins are sent, and a call whose result comes later.
"""

from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import reason
from historylab.planning.strategies.base import Context
from historylab.planning.strategies.policies.last_n import without_systems
from historylab.registry import register

NO_HISTORY = reason(
    "none", "The policy is none: nothing before the newest user message is sent.", remedy={"policy": "all"}
)


@register("policy", "none", title="None", phrase="no history", says="[only the newest turn]", from_the_end=True)
def no_history(plan: HistoryPlan, context: Context) -> HistoryPlan:
    """No history: only the newest user message and what follows it."""
    history, columns = context.history, context.history.columns
    if not history.size:
        return plan
    plan = without_systems(plan, context)
    newest = columns.users.item(history.users - 1) if history.users else history.size - 1
    return plan.drop(columns.block_last[: history.blocks] < newest, NO_HISTORY)
