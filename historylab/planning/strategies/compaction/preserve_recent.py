"""`preserve_recent`: at the threshold, everything but the newest messages becomes a summary."""

from typing import Annotated

from pydantic import Field

from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import counted_noun, reason
from historylab.planning.strategies.base import Context, KeepTask
from historylab.planning.strategies.compaction.base import (
    READS,
    MinFreed,
    SummaryShare,
    Trigger,
    before_newest,
    fold_if_worth,
    threshold_reached,
    window,
)
from historylab.planning.strategies.folding import carry_over
from historylab.registry import FINE, register

NOT_RECENT = reason(
    "preserved",
    "Folded into a summary at the compaction threshold: not among the newest messages preserved.",
    setting="compaction.preserve_recent.messages",
)

BEYOND_TOKENS = reason(
    "preserved_tokens",
    "Folded into a summary at the compaction threshold: beyond the newest tokens preserved.",
    setting="compaction.preserve_recent.tokens",
)


def phrase(messages: int | None = None, trigger: int | None = None, tokens: int | None = None) -> str:
    newest = "newest" if messages is None else counted_noun(messages, "newest messages")
    if tokens:
        newest = counted_noun(tokens, "newest tokens")
    what = "everything" if messages == 0 and not tokens else f"all but the {newest}"
    return f"{what} summarised{f' from {trigger:,} tokens on' if trigger else ''}"


@register("compaction", carries=True, reads=READS, title="All but the newest", phrase=phrase)
def preserve_recent(
    plan: HistoryPlan,
    context: Context,
    *,
    messages: Annotated[
        int, Field(ge=0, le=1_000_000, title="Messages that stay", description="newest messages that stay")
    ] = 10,
    max_share: SummaryShare = 0.1,
    keep_task: KeepTask = True,
    min_freed: MinFreed = 0.1,
    trigger: Trigger = 0,
    tokens: Annotated[
        int,
        Field(
            ge=0,
            le=1_000_000_000,
            title="Tokens that stay",
            description="newest tokens that stay, in place of a number of messages; 0: so many messages",
            json_schema_extra=FINE,
        ),
    ] = 0,
) -> HistoryPlan:
    """At the threshold, folds everything but the newest messages into a summary."""
    why = BEYOND_TOKENS if tokens else NOT_RECENT
    plan = carry_over(plan, context, why)
    if not threshold_reached(plan, context, trigger):
        return plan
    blocks = before_newest(plan, context, messages, keep_task, tokens=tokens)
    return fold_if_worth(plan, context, blocks, int(max_share * window(context)), why, min_freed)
