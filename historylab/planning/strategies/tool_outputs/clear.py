"""`clear`: all but the last tool results are cleared, a batch at a time.

Clearing one result per request would invalidate the provider's prompt cache every time; between batches the prefix
stays the same.
"""

import re
from typing import Annotated

from pydantic import Field

from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import reason
from historylab.planning.strategies.base import Context
from historylab.planning.strategies.facts import shorter_results, tool_results
from historylab.registry import FINE, register

ALREADY = re.compile(r"\[Old tool result cleared: [0-9][0-9,]{0,15} tokens\]")
CLEARED = reason(
    "tool_clear", "A tool result older than the {keep:last results}: cleared.", setting="tool_output.clear.keep"
)


def phrase(keep: int | None = None, batch: int | None = None) -> str:
    at_once = "" if batch is None else f" {'one' if batch == 1 else batch} at a time"
    return f"old tool results cleared{at_once}"


@register("tool_output", title="Clear old ones", phrase=phrase)
def clear(
    plan: HistoryPlan,
    context: Context,
    *,
    keep: Annotated[
        int, Field(ge=0, le=1_000_000, title="Results that stay whole", description="newest results that stay whole")
    ] = 10,
    batch: Annotated[
        int,
        Field(
            ge=1,
            le=1_000_000,
            title="Results cleared at a time",
            description="results cleared at a time",
            json_schema_extra=FINE,
        ),
    ] = 10,
) -> HistoryPlan:
    """Clears old tool results in batches."""
    results = tool_results(context.history)
    cleared = max(0, len(results) - keep) // batch * batch
    if not cleared:
        return plan

    def shorten(i: int, tokens: int) -> str:
        message = context.history.conversation[i]
        cleared = ALREADY.fullmatch(message.content) and not message.media
        return message.content if cleared else f"[Old tool result cleared: {tokens:,} tokens]"

    texts = shorter_results(context, "clear", shorten)
    return plan.truncate(texts, CLEARED, before=results.item(cleared - 1) + 1, keep=keep)
