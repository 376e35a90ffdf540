"""`summarize`: over the budget, the oldest turns are folded into one summary, until it fits."""

from typing import Annotated

from pydantic import Field

from historylab.registry import register
from historylab.strategies.cut import Unit, oldest
from historylab.strategies.folding import carry_over, fold

Share = Annotated[float, Field(gt=0, le=1, description="share of the budget a summary may take at most")]
TrimTo = Annotated[
    float,
    Field(
        gt=0,
        le=1,
        description="share of the budget to come down to, so that the next turns fit without another summary",
    ),
]


@register("pruner", carries=True)
def summarize(plan, context, *, max_share: Share = 0.25, trim_to: TrimTo = 0.75, unit: Unit = "turn"):
    """Folds the oldest turns into one summary until the request fits the budget."""
    plan = carry_over(plan, context)
    if plan.tokens <= plan.budget:
        return plan
    room = int(max_share * plan.budget)
    excess = plan.tokens - plan.summary_tokens + room - int(trim_to * plan.budget)
    blocks = oldest(plan, context, excess, unit)
    rest = plan.tokens - plan.summary_tokens - int(plan.block_tokens[blocks].sum())
    return fold(plan, context, blocks, min(room, plan.budget - rest))
