"""Capture: what comes in and what the agent answers goes to the conversation's store; a failing store stops nothing.

It is the first of a chain of interceptors around the agent. Source: toolpack-agents' capture interceptor and chain.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from historylab.systems.toolpack.conversation_store import ConversationStore
from historylab.systems.toolpack.stored_messages import Participant, StoredMessage

log = logging.getLogger("historylab")

DIRECT_CHANNELS = frozenset({"im", "private", "dm"})
CHANNEL_KEYS = ("channelType", "channelName", "channelId", "threadId")

Inbound = Mapping[str, Any]
Next = Callable[..., Any]
Interceptor = Callable[[Inbound, Next], Any]
"""`next_()` hands the message on, `next_(other)` another one; both give the result of what stands behind."""


def compose_chain(interceptors: Iterable[Interceptor], agent: Callable[[Inbound], Any]) -> Callable[[Inbound], Any]:
    """The agent with the interceptors around it, the first outermost: in it comes first, out it comes last.

    An interceptor that doesn't call `next_` ends the chain with what it returns: a result of its own, or None for no
    reply. Errors pass through.
    """
    for interceptor in reversed(list(interceptors)):
        agent = _around(interceptor, agent)
    return agent


def _around(interceptor: Interceptor, agent: Callable[[Inbound], Any]) -> Callable[[Inbound], Any]:
    def call(inbound: Inbound) -> Any:
        return interceptor(inbound, lambda other=None: agent(inbound if other is None else other))

    return call


class CaptureInterceptor:
    """Around an agent: stores the inbound message, calls it, stores its reply.

    An inbound message is `{"message", "conversationId", "participant", "context"}`; a result is `{"output": text or
    None}`, or None where the agent stayed out of it.
    """

    def __init__(self, store: ConversationStore, agent_name: str, *, capture_agent_replies: bool = True):
        self._store, self._agent_name, self._capture_replies = store, agent_name, capture_agent_replies

    def __call__(self, inbound: Inbound, next_: Next) -> Any:
        """The result of `next_(inbound)`, whose errors pass through."""
        if not inbound.get("conversationId"):
            log.warning("[capture-history] Message has no conversationId — skipping capture")
            return next_(inbound)
        if inbound.get("participant"):
            self._keep(lambda: _question(inbound), "inbound message")
        result = next_(inbound)
        output = result.get("output") if isinstance(result, Mapping) else None
        if self._capture_replies and output is not None:
            self._keep(lambda: _reply(inbound, self._agent_name, output), "agent reply")
        return result

    def _keep(self, message: Callable[[], StoredMessage], what: str) -> None:
        try:
            self._store.append(message())
        except Exception:  # whatever a store's driver raises, or an inbound message lacks
            log.warning("[capture-history] Failed to store %s", what, exc_info=True)


def id_of(inbound: Inbound) -> str | None:
    """The id the platform gave the inbound message, if it did."""
    context = inbound.get("context") or {}
    given = next((context[key] for key in ("messageId", "eventId") if context.get(key)), None)
    return None if given is None else str(given)


def _question(inbound: Inbound) -> StoredMessage:
    context, who = inbound.get("context") or {}, inbound["participant"]
    metadata = {key: context[key] for key in (*CHANNEL_KEYS, "messageId") if context.get(key) is not None}
    return StoredMessage(
        id_of(inbound) or str(uuid.uuid4()),
        inbound["conversationId"],
        who if isinstance(who, Participant) else Participant.from_dict(who),
        inbound.get("message") or "",
        now_text(),
        _scope(context),
        {**metadata, "mentions": list(context.get("mentions") or ())},
    )


def _reply(inbound: Inbound, agent_name: str, output: str) -> StoredMessage:
    context = inbound.get("context") or {}
    return StoredMessage(
        str(uuid.uuid4()),
        inbound["conversationId"],
        Participant("agent", agent_name, agent_name),
        output,
        now_text(),
        _scope(context),
        {key: context[key] for key in CHANNEL_KEYS if context.get(key) is not None},
    )


def now_text() -> str:
    """The time as stored messages have it: ISO 8601, UTC, milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _scope(context: Mapping[str, Any]) -> str:
    if context.get("channelType") in DIRECT_CHANNELS:
        return "dm"
    return "thread" if context.get("threadId") else "channel"
