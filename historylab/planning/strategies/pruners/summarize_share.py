"""`summarize_share`: over the budget, the oldest share of the messages is summarised, then the oldest turns dropped.

Unlike `summarize` it folds by count, so a request is summarised at most once.
"""

from typing import Annotated

from pydantic import Field

from historylab.planning.plan import HistoryPlan
from historylab.planning.strategies.base import UP_TO, Context
from historylab.planning.strategies.cutting import oldest_share
from historylab.planning.strategies.folding import FOR_BUDGET, READS, carry_over, fold
from historylab.planning.strategies.pruners.fifo import fifo
from historylab.registry import FINE, register


@register(
    "pruner",
    carries=True,
    reads=("min_turns", *READS),
    title="Summarise a share",
    phrase="summarising a share{to}",
    says=f"{UP_TO} [summarise the oldest {{fraction:%}}]",
)
def summarize_share(
    plan: HistoryPlan,
    context: Context,
    *,
    fraction: Annotated[
        float,
        Field(
            gt=0,
            le=1,
            title="Share summarised at a time",
            description="share of the messages that is summarised at a time",
        ),
    ] = 0.3,
    max_tokens: Annotated[
        int,
        Field(
            ge=1,
            le=1_000_000,
            title="Largest summary in tokens",
            description="tokens a summary may take at most",
            json_schema_extra=FINE,
        ),
    ] = 300,
) -> HistoryPlan:
    """Folds the oldest share of the messages into a summary, then drops the oldest turns."""
    plan = carry_over(plan, context, FOR_BUDGET)
    if plan.over_budget:
        plan = fold(plan, context, oldest_share(plan, context, fraction), max_tokens, FOR_BUDGET)
    return fifo(plan, context)
