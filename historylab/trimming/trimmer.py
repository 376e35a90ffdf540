"""`Trimmer`: the messages to send, request by request, under one set of settings.

    trimmer = Trimmer(settings)  # one for as long as the app runs
    sent = trimmer.trim(messages)  # at every request the whole history; send what it returns

It knows a conversation again by its messages and goes on from the plan it made last, so that a request costs what is
new. What it sends is what `replay` shows of the same history under the same summaries.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, overload

from historylab.errors import NothingToSend, StoreError, UnknownMember
from historylab.formats.requests import FORMS, Request, WrittenRequest
from historylab.planning.pipeline import open_instruments, open_pipeline
from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import Action
from historylab.registry import opened_later
from historylab.settings.environment import environment_settings
from historylab.settings.model import Settings, check_settings
from historylab.trimming.chat_items import KnownChat
from historylab.trimming.chats import Chats
from historylab.trimming.decision_log import log_decision
from historylab.trimming.warn import warn_of_returned, warn_over_budget

if TYPE_CHECKING:
    from historylab.stores.base import StateStore

M = TypeVar("M")
NOTHING_LEFT = "the settings leave no message of this request to be sent"
FILTERED = ": choose a filter that keeps the newest one"


class Decision(NamedTuple):
    """One request decided: what `trim` returns for it, its plan, and the chat it belongs to.

    `chat` is the same object for all requests of a chat, for as long as the Trimmer remembers that; it may be a key of
    a `WeakKeyDictionary`. `items`: those of the request, in order; one after the leading system messages that equals an
    item given before is that earlier object. `moved`: system messages that are in the system field instead, for want of
    a place.
    """

    sent: Any
    plan: HistoryPlan
    chat: Hashable
    items: list[Any]
    moved: int = 0


class Trimmer:
    """Trims the requests of any number of conversations. Safe under threads; `atrim` is for event loops.

    Without `settings` the environment decides (`HISTORYLAB_…`), as it is now. `store` keeps what a restart or a second
    process needs to send the same, summaries and the times of messages that have none, and checkpoints, from which a
    long chat is planned on: an opened store or its URL (`sqlite:///chats.db`, `postgresql://…`); without one it is this
    process's memory. `format` names the API whose messages are given, where they don't show it themselves
    (`chat_completions`, `responses`, `anthropic`, `gemini`).

    The caller's own objects are compared by identity, others by value. So after changing an old message in place call
    `forget()`. Those used last are remembered, up to `chats.MOST_ITEMS` messages in all; one that was forgotten costs
    planning it anew.
    """

    def __init__(
        self, settings: Settings | None = None, *, store: StateStore | str | None = None, format: str | None = None
    ):
        check_settings(settings := environment_settings() if settings is None else settings)
        self.settings = settings
        if format is not None and format not in FORMS:
            raise UnknownMember("format of requests", format, list(FORMS))
        self._format = format
        self.store = opened_later(partial(_open_store, "memory://")) if store is None else _open_store(store)
        self._instruments = open_instruments(self.settings, store=self.store)
        self._chats = Chats(self.settings, self._instruments, self.store)

    @overload
    def trim(self, messages: Mapping[str, Any]) -> dict[str, Any]: ...

    @overload
    def trim(self, messages: Sequence[M]) -> list[M | dict[str, Any]]: ...

    def trim(self, messages: Sequence[M] | Mapping[str, Any]) -> list[M | dict[str, Any]] | dict[str, Any]:
        """What to send, as the same kind: a list of messages, or a request body.

        It holds the caller's own objects for what is kept, and new dicts for a summary or a shortened message. Nothing
        given is changed. Raises LoadError for what can't be read, StoreError if the store fails, NothingToSend where no
        message is left.
        """
        sent: list[M | dict[str, Any]] | dict[str, Any] = self.decide(messages).sent
        return sent

    def decide(self, messages: Any) -> Decision:
        """`trim` and `plan` at once, for one who needs both; raises what `trim` raises."""
        with self._chats.chat_of(messages, self._format) as (known, request):
            plan, written = self._plan_and_write(known, request)
            if request.items and not written.items:
                newest = next((i for i in reversed(range(plan.size)) if plan.actions[i] == Action.DROPPED), None)
                advice = FILTERED if self.settings.filter != "off" else ""
                why = "" if newest is None else f" {plan.reason(newest).sentence}"
                raise NothingToSend(f"{NOTHING_LEFT}{advice}.{why}")
            log_decision(plan, self.settings)
            return Decision(written.back, plan, known, known.as_known(request.items), written.moved)

    @overload
    async def atrim(self, messages: Mapping[str, Any]) -> dict[str, Any]: ...

    @overload
    async def atrim(self, messages: Sequence[M]) -> list[M | dict[str, Any]]: ...

    async def atrim(self, messages: Sequence[M] | Mapping[str, Any]) -> list[M | dict[str, Any]] | dict[str, Any]:
        """`trim` in a thread: a model that is asked for a summary blocks no event loop."""
        import asyncio

        return await asyncio.to_thread(self.trim, messages)

    def plan(self, messages: Any) -> HistoryPlan:
        """The plan of the request: what happens to each message, and why.

        Its decisions are those that `replay` shows; its `tokens` are of what `trim` returns, with what the form of that
        API adds.
        """
        with self._chats.chat_of(messages, self._format) as (known, request):
            return self._plan_and_write(known, request)[0]

    def forget(self) -> None:
        """Forget all conversations; what is in the store stays."""
        self._chats.clear()

    def _plan_and_write(self, known: KnownChat, request: Request) -> tuple[HistoryPlan, WrittenRequest]:
        """The plan, with what the form of that API adds, and what is sent."""
        plan, conversation = known.chat.plan(), known.chat.conversation
        written = request.form.write(request, plan.render(), known.places)
        if written.sent:
            plan = open_pipeline(self.settings).in_form(plan, written.planned, written.sent)
        warn_of_returned(conversation, self.settings, plan)
        warn_over_budget(conversation, self.settings, self._instruments, plan)
        return plan, written


def _open_store(store: StateStore | str) -> StateStore:
    """The store itself, or the one of that URL."""
    from historylab.stores.base import open_store

    if not isinstance(store, str) and not hasattr(store, "write_state"):
        given = type(store).__name__
        raise StoreError(f"store is an opened store or its URL (sqlite:///chats.db), not a Python {given}")
    return open_store(store) if isinstance(store, str) else store
