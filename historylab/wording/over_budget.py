"""Requests over the budget, never without what fills them, why that isn't cut, and what would mend it."""

from __future__ import annotations

import numpy as np

from historylab.costs.amounts import count_of
from historylab.planning.over_budget import OverBudget
from historylab.planning.replay import Timeline


def over_budget_sentence(timeline: Timeline) -> str:
    """How many requests are over the budget, and the cause and the mend of the one that is most; empty if none is."""
    over = np.flatnonzero(timeline.over_budget)
    if not len(over):
        return ""
    worst = int(over[timeline.tokens[over].argmax()])
    found = timeline.over_budget_cause(worst)
    which = f"{len(over):,} of {count_of(len(timeline.plans), 'request')}"
    most = f", most at request {worst + 1:,}" if len(timeline.plans) > 1 else ""
    return f"Over the budget at {which}{most}: {cause_in_words(found)}" if found else ""


def cause_in_words(found: OverBudget) -> str:
    """ "11,764 in the newest tool call and its results. The pruner may not cut any of it. A budget of … would do." """
    return f"{found.filled}. {found.why} {found.mend}"
