"""`lastMessages`: the newest N messages, whoever said them, and the newest user message if it is older.

System messages and pins are not counted. A call stays with its results, so that more may stay. 0 acts as 1.
"""

from historylab.planning.blocks import before
from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import reason
from historylab.planning.strategies.base import Context
from historylab.planning.strategies.counting import newest_blocks
from historylab.planning.strategies.policies.last_n import without_systems
from historylab.registry import register

OLDER = reason("last_messages", "Older than the {n:last messages}.", setting="length")


@register(
    "policy",
    "lastMessages",
    reads=("length",),
    title="Last N messages",
    says="[the last] {length:messages}",
    from_the_end=True,
)
def last_messages(plan: HistoryPlan, context: Context) -> HistoryPlan:
    """The last N messages, whoever said them, and the newest user message."""
    history, columns = context.history, context.history.columns
    plan = without_systems(plan, context)
    n = max(1, context.settings.length)
    newest = newest_blocks(plan, n)
    if not history.size or not newest.exceed(n - 1):
        return plan
    stays = {columns.block.item(history.size - 1), *columns.user_blocks[: history.users][-1:].tolist()}
    return plan.drop(before(newest.first_of(n), but=stays), OLDER, n=n)
