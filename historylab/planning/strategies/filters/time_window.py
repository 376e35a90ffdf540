"""`time_window`: only the last minutes before the newest message."""

from typing import Annotated

import numpy as np
from pydantic import Field

from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import reason
from historylab.planning.strategies.base import Context
from historylab.planning.strategies.facts import instants, whole_blocks
from historylab.registry import register

TOO_OLD = reason("time_window", "Older than the {minutes:last minutes}.", setting="filter.time_window.minutes")


@register("filter", title="Last minutes", facts=("time",))
def time_window(
    plan: HistoryPlan,
    context: Context,
    *,
    minutes: Annotated[
        float, Field(ge=0, le=10_000_000, title="Minutes that stay", description="minutes that stay")
    ] = 60.0,
) -> HistoryPlan:
    """Only the last minutes; messages without a time stay."""
    history = context.history
    times = instants(history.conversation)[: history.size]
    now = context.instruments.now
    if now is None:
        now = np.nanmax(times) if not np.isnan(times).all() else np.nan
    with np.errstate(invalid="ignore"):
        old = times < now - 60 * minutes
    return plan.drop(whole_blocks(history, old), TOO_OLD, minutes=minutes)
