"""`at_threshold`: at a share of the window, the oldest turns are folded until a lower target is reached.

The gap between threshold and target keeps the prefix stable until the threshold is reached again.
"""

from typing import Annotated

from pydantic import Field

from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import in_percent, reason
from historylab.planning.strategies.base import Context
from historylab.planning.strategies.compaction.base import (
    READS,
    MinFreed,
    SummaryShare,
    fold_if_worth,
    threshold_reached,
    window,
)
from historylab.planning.strategies.cutting import Unit, oldest_blocks
from historylab.planning.strategies.folding import carry_over
from historylab.registry import register

AT_THRESHOLD = reason(
    "compacted",
    "Folded into a summary at the compaction threshold, when the history had {tokens:,} tokens.",
    remedy={"compaction": "off"},
)


def phrase(target: float | None = None) -> str:
    share = "a target" if target is None else f"{in_percent(target)} of the window"
    return f"summarised down to {share}"


@register("compaction", carries=True, reads=READS, title="Down to a target", phrase=phrase)
def at_threshold(
    plan: HistoryPlan,
    context: Context,
    *,
    target: Annotated[
        float, Field(gt=0, le=1, title="Summarised down to", description="share of the window to come down to")
    ] = 0.25,
    max_share: SummaryShare = 0.05,
    unit: Unit = "turn",
    min_freed: MinFreed = 0.1,
) -> HistoryPlan:
    """At the threshold, folds the oldest turns into a summary until a lower target is reached."""
    plan = carry_over(plan, context, AT_THRESHOLD)
    if not threshold_reached(plan, context):
        return plan
    room = int(max_share * window(context))
    goal = target * window(context) - context.settings.overhead
    blocks = oldest_blocks(plan, context, int(plan.tokens - plan.summary_tokens + room - goal), unit)
    return fold_if_worth(plan, context, blocks, room, AT_THRESHOLD, min_freed)
