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
from historylab.registry import register

NOT_RECENT = reason(
    "preserved",
    "Folded into a summary at the compaction threshold: not among the newest messages preserved.",
    setting="compaction.preserve_recent.messages",
)


def phrase(messages: int | None = None, trigger: int | None = None) -> str:
    newest = "newest" if messages is None else counted_noun(messages, "newest messages")
    what = "everything" if messages == 0 else f"all but the {newest}"
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
) -> HistoryPlan:
    """At the threshold, folds everything but the newest messages into a summary."""
    plan = carry_over(plan, context, NOT_RECENT)
    if not threshold_reached(plan, context, trigger):
        return plan
    blocks = before_newest(plan, context, messages, keep_task)
    return fold_if_worth(plan, context, blocks, int(max_share * window(context)), NOT_RECENT, min_freed)
