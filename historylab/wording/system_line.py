"""One line on what a published system does to a conversation, from its replay."""

from __future__ import annotations

import numpy as np

from historylab.planning.replay import Timeline
from historylab.wording.verdict import NO_REQUESTS, count_actions, count_shown, counted_by, share_sent


def system_line(title: str, rule: str, timeline: Timeline, original: int) -> str:
    """ "AgentDock keeps the last 20 user messages: 40 of 166 messages at the last request, 1,496 tokens (…)."

    `rule` says what the settings do; empty if they were changed. `original` counts the messages before any projection.
    """
    does = f"{title} {rule}" if rule else f"{title}, with changes"
    if not timeline.plans:
        return f"{does}. {NO_REQUESTS}"
    plan = timeline.plans[-1]
    share = share_sent(count_actions(plan))
    made = f", made from {original:,}," if count_shown(timeline.conversation) != original else ""
    summary = f", {plan.summary.covers:,} more as a summary" if plan.summary else ""
    how = counted_by(timeline)
    over = over_budget(timeline)
    return f"{does}: {share}{made} at the last request{summary}, {plan.tokens:,} tokens ({how}).{over}"


def over_budget(timeline: Timeline) -> str:
    """A phrase on the requests that still exceed the budget; empty if none does."""
    over = int(np.count_nonzero(timeline.over_budget))
    return f" Over the budget at {over:,} of {len(timeline.plans):,} requests." if over else ""
