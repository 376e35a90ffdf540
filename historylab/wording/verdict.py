"""The number of messages that one request sends, and of tokens that it may have, in words."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from historylab.conversation.columns import NEVER
from historylab.conversation.conversation import Conversation
from historylab.planning.context_fill import context_budget
from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import REPLACED, SHOWN, Action
from historylab.planning.replay import Timeline
from historylab.wording.must_remember import at_step
from historylab.wording.phrases import capitalize_first

SEES, WOULD_SEE = "sees", "would see"
"""What the model does with a request; and would, were it sent as planned."""
NOT_KNOWN = "–"
"""Stands in place of a number that nobody knows."""
NO_REQUESTS = "This conversation makes no model requests."


def without_requests(conversation: Conversation) -> str:
    """Why it makes no model requests, and what to do."""
    why = "A request is made for every answer to a user or a tool"
    if any(m.role != "assistant" for m in conversation) or not len(conversation):
        return f"{why}. Open another conversation."
    only = "only an answer" if len(conversation) == 1 else f"only {len(conversation):,} answers"
    return f"{why}; this holds {only}. Open a file that has what was asked, too."


def seen_sentence(timeline: Timeline, number: int, *, sees: str = SEES) -> str:
    """ "At turn 12, request 3 of 9, the model sees 40 of 166 messages." """
    step = timeline.steps[number]
    return f"{capitalize_first(at_step(step))}, the model {sees} {share_sent(count_actions(step.plan))}."


def sent_line(timeline: Timeline, number: int) -> str:
    """ "Turn 12, request 3 of 9: 40 of 166 messages sent": what follows a headline about all requests."""
    step = timeline.steps[number]
    sent, size = count_sent(count_actions(step.plan))
    return f"{capitalize_first(step.label)}: {sent:,} of {size:,} messages sent"


def count_actions(plan: HistoryPlan) -> dict[Action, int]:
    """The number of messages per action, without commands and those that a later message stands for."""
    told = ~np.isin(plan.reasons, (REPLACED.code, SHOWN.code))
    counts = np.bincount(plan.actions[told], minlength=len(Action))
    return {action: int(counts[action]) for action in Action}


def count_sent(counts: Mapping[Action, int]) -> tuple[int, int]:
    """The number of messages that are sent, whole or in part, and that of all."""
    return counts[Action.KEPT] + counts[Action.PINNED] + counts[Action.TRUNCATED], sum(counts.values())


def count_shown(conversation: Conversation) -> int:
    """The number of messages of a conversation in the end, without those that a later one stands for."""
    return int(np.count_nonzero(conversation.columns.replaced_by == NEVER))


def stopped_being_sent(timeline: Timeline, number: int, message: int) -> int:
    """The first request (from 0) of the run, up to `number`, in which the message isn't sent."""
    for earlier in reversed(timeline.plans[:number]):
        if message >= earlier.size or earlier.action_of(message) <= Action.TRUNCATED:
            break
        number -= 1
    return number


def share_sent(counts: Mapping[Action, int]) -> str:
    """ "40 of 166 messages": how many are sent, of those there are."""
    sent, size = count_sent(counts)
    if sent == size:
        few = ("no message yet", "the one message so far", "both messages")
        return few[size] if size < len(few) else f"all {size:,} messages"
    return f"{sent:,} of {size:,} messages"


def budget_in_words(timeline: Timeline, number: int) -> str:
    """ "66,000 (71,000 less 5,000 reserved)": what request `number` may have, and what is taken off the setting."""
    left = context_budget(timeline, number)
    less = timeline.settings.budget - left
    return f"{left:,} ({timeline.settings.budget:,} less {less:,} reserved)" if less > 0 else f"{left:,}"
