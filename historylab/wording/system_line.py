"""One line on what a published system does to a conversation, from its replay."""

from __future__ import annotations

from historylab.planning.replay import Timeline
from historylab.wording.context import counted_by
from historylab.wording.over_budget import over_budget_sentence
from historylab.wording.verdict import NO_REQUESTS, count_actions, count_shown, share_sent


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
    said = f"{does}: {share}{made} at the last request{summary}, {timeline.contexts[-1]:,} tokens ({how})."
    return f"{said} {over_budget_sentence(timeline)}".rstrip()
