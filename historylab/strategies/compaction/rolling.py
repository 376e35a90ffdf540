"""`rolling`: beyond so many messages, the older half becomes one summary. Source: toolpack's rolling summarisation."""

from typing import Annotated

import numpy as np
from pydantic import Field

from historylab.plan import reason
from historylab.registry import register
from historylab.strategies.folding import carry_over, fold

OLDER_HALF = reason(
    "rolled",
    "Folded into a summary: in the older half of more messages than stay without one.",
    knob="compaction.rolling.messages",
)


@register("compaction", carries=True)
def rolling(
    plan,
    context,
    *,
    messages: Annotated[int, Field(ge=1, le=1_000_000, description="messages that stay without a summary")] = 40,
    max_share: Annotated[float, Field(gt=0, le=1, description="share of the budget a summary may take")] = 0.25,
):
    """Beyond so many messages, folds the older half into a summary."""
    plan = carry_over(plan, context, OLDER_HALF)
    sizes = context.history.block_sizes * plan.open
    count = int(sizes.sum()) + (plan.summary is not None)
    if count <= messages:
        return plan
    older_half = plan.open & (np.cumsum(sizes) <= count // 2) & ~context.protected(plan)
    return fold(plan, context, older_half, int(max_share * plan.budget), OLDER_HALF)
