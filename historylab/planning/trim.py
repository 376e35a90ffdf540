"""`trim()`: the messages to send, under settings from the environment or from the caller."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Hashable, Sequence
from functools import lru_cache
from typing import Any, TypeVar

from historylab.conversation.conversation import Conversation
from historylab.formats.messages.chat_messages import to_messages, to_record
from historylab.planning.over_budget import over_budget_cause
from historylab.planning.pipeline import open_instruments, plan_history
from historylab.planning.plan import HistoryPlan
from historylab.planning.strategies.base import Instruments
from historylab.planning.strategies.layouts.tagged_prompt import is_prompt
from historylab.settings.model import Settings
from historylab.settings.resolve import resolve_settings

log = logging.getLogger("historylab")

M = TypeVar("M")

CAME_BACK = (
    "A summary of ours came back among the messages: keep the whole history and send what trim() returns "
    "(sent = trim(messages)), as what was cut can't be kept for a later request otherwise"
)
PROMPT_CAME_BACK = (
    "A tagged prompt of ours came back among the messages and is put into the next one as a message: keep the whole "
    "history and send what trim() returns (sent = trim(messages))"
)
MOST_SAID = 1000  # warnings that are not repeated
_said: set[Hashable] = set()


def trim(messages: Sequence[M], settings: Settings | None = None) -> list[M | dict[str, Any]]:
    """The messages to send: the caller's own objects for what is kept, a new dict for a summary or a shortened message.

    `messages` are OpenAI-style dicts or the SDK's message objects; they are not changed. Without `settings` the
    environment decides (`HISTORYLAB_…`). Raises LoadError for something that is no message.

    Give it the whole history at every request and send what it returns: what is left out now may be needed later. The
    logger `historylab` warns of a request over its budget, with the cause and the settings that would mend it.
    """
    settings = settings or environment_settings()
    conversation, instruments = Conversation(to_messages(messages)), open_instruments(settings)
    plan = plan_history(conversation, settings, instruments=instruments)
    if plan.returned.any():
        _say_once(("returned", settings.key), lambda: CAME_BACK)
    if settings.layout == "tagged_prompt" and any(m.role == "user" and is_prompt(m.content) for m in conversation):
        _say_once(("prompt returned", settings.key), lambda: PROMPT_CAME_BACK)
    warn_over_budget(conversation, settings, instruments, plan)
    return [to_record(m) if m.source is None else m.source for m in plan.render()]


def warn_over_budget(
    conversation: Conversation, settings: Settings, instruments: Instruments, plan: HistoryPlan
) -> None:
    """Log a warning if the plan is over its budget: once with the cause and the mend, then briefly at level info."""
    if not plan.over_budget:
        return
    log.info("A request has %s tokens, over the budget of %s", f"{plan.tokens:,}", f"{plan.budget:,}")

    def sentence() -> str:
        cause = over_budget_cause(conversation, settings, instruments, plan)
        return f"A request is over its budget: {cause.sentence if cause else plan}"

    _say_once(("over", settings.key, frozenset(plan.block_reasons[plan.open].tolist())), sentence)


def _say_once(key: Hashable, sentence: Callable[[], str]) -> None:
    if key in _said:
        return
    if len(_said) >= MOST_SAID:
        _said.clear()
    _said.add(key)
    log.warning("%s", sentence())


def environment_settings() -> Settings:
    """The settings in the environment, read again when it changed."""
    names = (name for name in os.environ if name.startswith(("HISTORYLAB_", "NEXT_PUBLIC_DEFAULT_HISTORY_")))
    return _settings_from(tuple(sorted((name, os.environ[name]) for name in names)))


@lru_cache(maxsize=8)
def _settings_from(environment: tuple[tuple[str, str], ...]) -> Settings:
    return resolve_settings(env=dict(environment)).settings
