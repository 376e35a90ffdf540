"""`trim()`: the messages to send, under settings from the environment or from the caller."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, TypeVar

from historylab.conversation.conversation import Conversation
from historylab.formats.chat_messages import to_messages, to_record
from historylab.planning.pipeline import plan_history
from historylab.settings.model import Settings
from historylab.settings.resolve import resolve_settings

M = TypeVar("M")


def trim(messages: Sequence[M], settings: Settings | None = None) -> list[M | dict[str, Any]]:
    """The messages to send: the caller's own objects for what is kept, a new dict for a summary or a shortened message.

    `messages` are OpenAI-style dicts or the SDK's message objects; they are not changed. Without `settings` the
    environment decides (`HISTORYLAB_…`). Raises LoadError for something that is no message.
    """
    settings = settings or environment_settings()
    plan = plan_history(Conversation(to_messages(messages)), settings)
    return [to_record(m) if m.source is None else m.source for m in plan.render()]


def environment_settings() -> Settings:
    """The settings in the environment, read again when it changed."""
    names = (name for name in os.environ if name.startswith(("HISTORYLAB_", "NEXT_PUBLIC_DEFAULT_HISTORY_")))
    return _settings_from(tuple(sorted((name, os.environ[name]) for name in names)))


@lru_cache(maxsize=8)
def _settings_from(environment: tuple[tuple[str, str], ...]) -> Settings:
    return resolve_settings(env=dict(environment)).settings
