"""Warnings of production calls, on the logger `historylab`: each cause once, as an app asks again and again."""

from __future__ import annotations

import logging
from collections.abc import Callable, Hashable

from historylab.conversation.conversation import Conversation
from historylab.planning.plan import HistoryPlan
from historylab.planning.strategies.base import Instruments
from historylab.settings.model import Settings

log = logging.getLogger("historylab")

CAME_BACK = (
    "A summary of ours came back among the messages: keep the whole history and send what trim() returns "
    "(sent = trim(messages)), as what was cut can't be kept for a later request otherwise"
)
PROMPT_CAME_BACK = (
    "A tagged prompt of ours came back among the messages and is put into the next one as a message: keep the whole "
    "history and send what trim() returns (sent = trim(messages))"
)
USED_ONCE = (
    "These settings carry a summary or a cut from one request to the next, so every call of trim() plans all earlier "
    "requests again: keep a historylab.Trimmer for as long as the app runs and call its trim() instead, which goes on "
    "from its last plan"
)
MOST_SAID = 1000  # warnings that are not repeated
_said: set[Hashable] = set()


def warn_of_returned(conversation: Conversation, settings: Settings, plan: HistoryPlan) -> None:
    """Log a warning if the caller's list holds what an earlier call returned, once for these settings."""
    if plan.returned.any():
        say_once(("returned", settings.key), lambda: CAME_BACK)
    if settings.layout != "tagged_prompt":
        return
    from historylab.planning.strategies.layouts.tagged_prompt import is_prompt

    if any(m.role == "user" and is_prompt(m.content) for m in conversation):
        say_once(("prompt returned", settings.key), lambda: PROMPT_CAME_BACK)


def warn_over_budget(
    conversation: Conversation, settings: Settings, instruments: Instruments, plan: HistoryPlan
) -> None:
    """Log a warning if the plan is over its budget: once with the cause and the mend, then briefly at level info."""
    if not plan.over_budget:
        return
    log.info("A request has %s tokens, over the budget of %s", f"{plan.tokens:,}", f"{plan.budget:,}")

    def sentence() -> str:
        from historylab.planning.over_budget import over_budget_cause

        cause = over_budget_cause(conversation, settings, instruments, plan)
        return f"A request is over its budget: {cause.sentence if cause else plan}"

    by_added = plan.tokens - plan.added <= plan.budget
    say_once(("over", settings.key, by_added, frozenset(plan.block_reasons[plan.open].tolist())), sentence)


def say_once(key: Hashable, sentence: Callable[[], str]) -> None:
    """Log a warning, unless one was logged under this key."""
    if key in _said:
        return
    if len(_said) >= MOST_SAID:
        _said.clear()
    _said.add(key)
    log.warning("%s", sentence())
