"""Context of coding agents (CLAUDE.md, AGENTS.md, the environment): pinned until later messages say all of it again.

A message of a user is context by how it begins (`conversation/injected.py`), and is kept whole with what stands beside
it. Which of them are the newest depends on the request, so that they are pinned in each plan; after the filters, as
what isn't meant for an agent isn't sent for being context.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from historylab.conversation.columns import NEVER
from historylab.conversation.conversation import Conversation
from historylab.conversation.growing import Growing
from historylab.conversation.injected import RULES, agent_context
from historylab.planning.blocks import Ranges
from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import Reason, reason

if TYPE_CHECKING:
    from historylab.planning.strategies.base import Context

AGENT_RULES = reason("agent_rules", "Always sent: rules of the coding agent.")
AGENT_ENVIRONMENT = reason("agent_environment", "Always sent: environment of the coding agent.")
AGENT_CODES = (AGENT_RULES.code, AGENT_ENVIRONMENT.code)


def pin_agent_context(plan: HistoryPlan, context: Context) -> HistoryPlan:
    """Pin the newest context of each directory; the same plan where no coding agent is recognised."""
    found = plan.history.conversation.growing(("agent context",), Contexts)
    for messages, why in found.newest(plan.size):
        homes = np.unique(plan.history.columns.block[messages]).tolist()
        plan = plan.pin(Ranges((home, home + 1) for home in homes), why)
    return plan


def count_agent_context(plan: HistoryPlan) -> int:
    """The number of messages that a plan keeps as context."""
    found = plan.history.conversation.growing(("agent context",), Contexts)
    if not found.newest(plan.size):
        return 0
    return int(np.isin(plan.reasons, AGENT_CODES).sum())


class Contexts(Growing[Conversation]):
    """The messages that are context: which say rules, and from which message on each is said again."""

    __slots__ = ("_left", "_messages", "_newest", "_rules", "_until")

    def __init__(self) -> None:
        self._messages = self._until = np.zeros(0, np.int64)
        self._rules = np.zeros(0, bool)
        self._newest: dict[tuple[str, str, str], int] = {}  # part → the place, among these, of the newest that says it
        self._left: tuple[int, ...] = ()  # of each, the parts that none after it says

    def newest(self, size: int) -> list[tuple[np.ndarray, Reason]]:
        """Find those of the first `size` messages that say what none after them does (int64), and why they are kept."""
        if not len(self._messages):
            return []
        stays = (self._messages < size) & (self._until >= size)
        return [
            (self._messages[stays & self._rules], AGENT_RULES),
            (self._messages[stays & ~self._rules], AGENT_ENVIRONMENT),
        ]

    @property
    def all_last(self) -> bool:
        """Tell whether no message says again what one before it did."""
        return bool((self._until == NEVER).all())

    @property
    def messages(self) -> np.ndarray:
        """int64: all messages that are context."""
        return self._messages

    def followed_by(self, conversation: Conversation, start: int) -> Contexts:
        users = conversation.columns.users
        users = users[users.searchsorted(start) :].tolist()
        said = [(i, parts) for i in users if (parts := agent_context(conversation[i].content))]
        if not said:
            return self
        messages, until = self._messages.tolist(), self._until.tolist()
        rules, newest, left = self._rules.tolist(), dict(self._newest), list(self._left)
        for i, parts in said:
            for part in parts:
                if (before := newest.get(part)) is not None:
                    left[before] -= 1
                    until[before] = until[before] if left[before] else i
                newest[part] = len(messages)
            messages.append(i)
            until.append(NEVER)
            rules.append(any(holds == RULES for _, holds, _ in parts))
            left.append(len(parts))
        new = Contexts()
        new._messages, new._until, new._rules = np.array(messages), np.array(until), np.array(rules)
        new._newest, new._left = newest, tuple(left)
        return new

    def with_leading(self, conversation: Conversation, before: int, now: int) -> Contexts:
        if before == now or not len(self._messages):
            return self
        new, more = Contexts(), now - before
        new._messages, new._rules = self._messages + more, self._rules
        new._until = np.where(self._until < NEVER, self._until + more, NEVER)
        new._newest, new._left = self._newest, self._left
        return new
