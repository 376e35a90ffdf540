"""`rolling`: beyond so many messages, all but the newest (`keep`), else the older half, become one summary; or, without
summaries, the newest stay.

A former summary counts as one message and is absorbed. One that came with the conversation (as a store keeps it, marked
`isSummary`) is sent whatever the budget, until it is absorbed.
"""

from typing import Annotated

import numpy as np
from pydantic import Field

from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import counted_noun, reason
from historylab.planning.strategies.base import Context, KeepTask
from historylab.planning.strategies.compaction.base import MinFreed, fold_if_worth
from historylab.planning.strategies.facts import stored_summaries
from historylab.planning.strategies.folding import READS, carry_over
from historylab.registry import FINE, register

OLDER_HALF = reason(
    "rolled",
    "Folded into a summary: in the older half of more messages than stay without one.",
    setting="compaction.rolling.messages",
)
NOT_NEWEST = reason(
    "rolled_older",
    "Folded into a summary: not among the newest messages that stay once there are too many.",
    setting="compaction.rolling.keep",
)
NOT_KEPT = reason(
    "unsummarised",
    "Older than the {messages:newest messages}, and no summary is written of what is older.",
    setting="compaction.rolling.messages",
)
STORED_SUMMARY = reason("stored_summary", "A summary of earlier messages: its tokens are reserved before all others.")


def phrase(messages: int | None = None, keep: int | None = None) -> str:
    beyond = "" if messages is None else f" beyond {counted_noun(messages, 'messages')}"
    return f"{f'all but the newest {keep:,}' if keep else 'the older half'} summarised{beyond}"


@register("compaction", carries=True, reads=("min_turns", *READS), title="The older half", phrase=phrase)
def rolling(
    plan: HistoryPlan,
    context: Context,
    *,
    messages: Annotated[
        int,
        Field(
            ge=1, le=1_000_000, title="Messages without a summary", description="messages that stay without a summary"
        ),
    ] = 40,
    max_share: Annotated[
        float,
        Field(
            gt=0,
            le=1,
            title="Largest share of a summary",
            description="share of the budget a summary may take",
            json_schema_extra=FINE,
        ),
    ] = 0.25,
    keep_task: KeepTask = True,
    summaries: Annotated[
        bool,
        Field(
            title="Write summaries",
            description="off: no summary is written; beyond so many messages the older ones are left out",
            json_schema_extra=FINE,
        ),
    ] = True,
    min_freed: MinFreed = 0.1,
    keep: Annotated[
        int,
        Field(
            ge=0,
            le=1_000_000,
            title="Messages that stay then",
            description="newest messages that stay whenever a summary is written; 0: the newer half",
            json_schema_extra=FINE,
        ),
    ] = 0,
) -> HistoryPlan:
    """Beyond so many messages, folds the older half into a summary, or all but the newest."""
    if not summaries:
        return keep_newest(plan, context, messages, keep_task=keep_task)
    why = NOT_NEWEST if keep else OLDER_HALF
    plan = carry_over(plan, context, why)
    blocks = older_half(plan, context, messages, keep_task=keep_task, keep=keep)
    if blocks.any():
        plan = fold_if_worth(plan, context, blocks, int(max_share * plan.budget), why, min_freed)
    return keep_summaries(plan, context)


def older_half(
    plan: HistoryPlan, context: Context, messages: int, *, keep_task: bool = True, keep: int = 0
) -> np.ndarray:
    """bool[blocks]: the oldest half of the open messages, rounded down, once they are more than `messages`.

    With `keep` all but that many of the newest; a call stays with its results.
    """
    sizes = context.history.block_sizes * plan.open
    former = int(plan.summary is not None)
    count = int(sizes.sum()) + former
    if count <= messages:
        return np.zeros(context.history.blocks, bool)
    oldest = count - keep if keep else count // 2
    older = plan.open & (np.cumsum(sizes) <= oldest - former)
    return older & ~context.protected(plan) if keep_task else older


def keep_newest(plan: HistoryPlan, context: Context, messages: int, *, keep_task: bool = True) -> HistoryPlan:
    """Without a summary: the newest messages, and the stored summaries of earlier ones."""
    plan = keep_summaries(plan, context)
    sizes = context.history.block_sizes * plan.open
    newer = np.cumsum(sizes[::-1])[::-1] - sizes  # messages after each block
    return plan.drop((newer >= messages) & ~context.protected(plan, keep_task=keep_task), NOT_KEPT, messages=messages)


def keep_summaries(plan: HistoryPlan, context: Context) -> HistoryPlan:
    """Stored summaries that are still open are sent, whatever the budget."""
    return plan.pin(stored_summaries(context.history), STORED_SUMMARY)
