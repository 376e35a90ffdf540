"""`summarize`: over the budget, the oldest turns are folded into one summary, until it fits."""

from typing import Annotated

from pydantic import Field

from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import Action
from historylab.planning.strategies.base import Context
from historylab.planning.strategies.cutting import Unit, oldest_blocks
from historylab.planning.strategies.folding import NO_ROOM, READS, carry_over, fold
from historylab.registry import FINE, register

Share = Annotated[
    float,
    Field(
        gt=0,
        le=1,
        title="Largest share of a summary",
        description="share of the budget a summary may take at most",
        json_schema_extra=FINE,
    ),
]
TrimTo = Annotated[
    float,
    Field(
        gt=0,
        le=1,
        title="Cut down to",
        description="share of the budget to come down to, so that the next turns fit without another summary",
        json_schema_extra=FINE,
    ),
]


@register("pruner", carries=True, reads=("min_turns", *READS), title="Summarise the oldest", phrase="summarising{to}")
def summarize(
    plan: HistoryPlan, context: Context, *, max_share: Share = 0.25, trim_to: TrimTo = 0.75, unit: Unit = "turn"
) -> HistoryPlan:
    """Folds the oldest turns into one summary until the request fits the budget."""
    carried = carry_over(plan, context)
    if carried.tokens <= plan.budget:
        return carried
    room = int(max_share * plan.budget)
    excess = carried.tokens - carried.summary_tokens + room - int(trim_to * plan.budget)
    blocks = oldest_blocks(carried, context, excess, unit)
    rest = carried.tokens - carried.summary_tokens - int(carried.block_tokens[blocks].sum())
    folded = fold(carried, context, blocks, min(room, plan.budget - rest))
    if folded.tokens <= plan.budget or folded.summary is plan.summary:
        return folded
    if plan.tokens <= plan.budget:  # since lastN dropped most of what the summary stands for, it takes more room
        return plan
    blocks = oldest_blocks(
        plan, context, plan.tokens - plan.budget, unit
    )  # not even the summary fits beside what must stay
    return plan.drop(blocks | (plan.open & (folded.block_actions == Action.SUMMARIZED)), NO_ROOM)
