"""`Trimmer`: the messages to send, request by request, under one set of settings.

    trimmer = Trimmer(settings)  # one for as long as the app runs
    sent = trimmer.trim(messages)  # at every request the whole history; send what it returns

It knows a conversation again by its messages and goes on from the plan it made last, so that a request costs what is
new. What it sends is what `replay` shows of the same history under the same summaries.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import lru_cache
from typing import Any, TypeVar

from historylab.errors import LoadError
from historylab.formats.base import kind_of
from historylab.formats.messages.chat_messages import to_messages, to_record
from historylab.planning.chat import Chat
from historylab.planning.chats import Chats
from historylab.planning.known_chat import Groups, KnownChat
from historylab.planning.pipeline import open_instruments
from historylab.planning.plan import HistoryPlan
from historylab.planning.warn import warn_of_returned, warn_over_budget
from historylab.settings.model import Settings
from historylab.settings.resolve import resolve_settings
from historylab.stores.base import StateStore, open_store

M = TypeVar("M")


class Trimmer:
    """Trims the requests of any number of conversations. Safe under threads; `atrim` is for event loops.

    Without `settings` the environment decides (`HISTORYLAB_…`), as it is now. `store` keeps what a restart or a second
    process needs to send the same, summaries and the times of messages that have none: an opened store or its URL
    (`sqlite:///chats.db`, `postgresql://…`); without one it is this process's memory. `format` names the API whose
    messages are given, where they don't show it themselves.

    The caller's own objects are compared by identity, others by value. So after changing an old message in place call
    `forget()`. Those used last are remembered, up to `chats.MOST_ITEMS` messages in all; one that was forgotten costs
    planning it anew.
    """

    def __init__(
        self, settings: Settings | None = None, *, store: StateStore | str | None = None, format: str | None = None
    ):
        self.settings = settings or environment_settings()
        self.store: StateStore = open_store(store or "memory://") if isinstance(store, str | None) else store
        self._instruments = open_instruments(self.settings, store=self.store)
        self._chats = Chats(self.settings, self._instruments, self.store)

    def trim(self, messages: Sequence[M]) -> list[M | dict[str, Any]]:
        """The messages to send: the caller's own objects for what is kept, a new dict for a summary or a shortened one.

        Raises LoadError for something that is no message. Nothing given is changed.
        """
        with self._going_on(messages) as known:
            rendered = self._plan(known.chat).render()
            return [to_record(m) if m.source is None else known.own(m.source) for m in rendered]

    async def atrim(self, messages: Sequence[M]) -> list[M | dict[str, Any]]:
        """`trim` in a thread: a model that is asked for a summary blocks no event loop."""
        return await asyncio.to_thread(self.trim, messages)

    def plan(self, messages: Sequence[Any]) -> HistoryPlan:
        """The plan of the request: what happens to each message, and why."""
        with self._going_on(messages) as known:
            return self._plan(known.chat)

    def forget(self) -> None:
        """Forget all conversations; what is in the store stays."""
        self._chats.clear()

    def _going_on(self, messages: Sequence[Any]) -> AbstractContextManager[KnownChat]:
        leading, items = split_leading(messages)
        return self._chats.going_on(leading, items, ChatMessages())

    def _plan(self, chat: Chat) -> HistoryPlan:
        plan = chat.plan()
        warn_of_returned(chat.conversation, self.settings, plan)
        warn_over_budget(chat.conversation, self.settings, self._instruments, plan)
        return plan


def environment_settings() -> Settings:
    """The settings in the environment, read again when it changed."""
    names = (name for name in os.environ if name.startswith(("HISTORYLAB_", "NEXT_PUBLIC_DEFAULT_HISTORY_")))
    return _settings_from(tuple(sorted((name, os.environ[name]) for name in names)))


@lru_cache(maxsize=8)
def _settings_from(environment: tuple[tuple[str, str], ...]) -> Settings:
    return resolve_settings(env=dict(environment)).settings


class ChatMessages:
    """Reads Chat Completions' messages, each apart from the others if it has the ids that pair it."""

    def read(self, items: Sequence[Any], at: int) -> Groups:
        messages = to_messages(items, at)
        if all(m.tool_call_id for m in messages if m.role == "tool") and all(
            call.id for m in messages for call in m.tool_calls
        ):
            return [(1, (message,)) for message in messages]
        return [(len(messages), messages)]


def split_leading(messages: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    if isinstance(messages, str | bytes | Mapping) or not isinstance(messages, Iterable):
        raise LoadError(f"{kind_of(messages)} was given where a list of messages is meant")
    items = messages if isinstance(messages, list | tuple) else list(messages)
    leading = next((k for k, m in enumerate(items) if _role(m) not in ("system", "developer")), len(items))
    return list(items[:leading]), list(items[leading:])


def _role(item: Any) -> Any:
    return item.get("role") if isinstance(item, Mapping) else getattr(item, "role", None)
