"""One request of a timeline: its place in the turns, its plan, its tokens by kind, and what changed since the last."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np

from historylab.conversation.columns import ASSISTANT, OTHER, SYSTEM, TOOL, USER
from historylab.conversation.conversation import Conversation
from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import REPLACED, Action
from historylab.planning.sent_ranges import SentRanges
from historylab.planning.shortened_requests import ShortenedRequests
from historylab.planning.strategies.base import Instruments
from historylab.settings.model import Settings

T = TypeVar("T")

KINDS = ("system", "user", "assistant", "tool", "other", "summary")
"""The kinds of tokens in a request; `framing` (a few tokens a request) is the rest."""
ROLE_OF_KIND = {"system": SYSTEM, "user": USER, "assistant": ASSISTANT, "tool": TOOL, "other": OTHER}


class PlannedRequests(Protocol):
    """The part of a Timeline that these modules look at; it knows of them, and not the other way round."""

    @property
    def conversation(self) -> Conversation: ...
    @property
    def original(self) -> Conversation: ...
    @property
    def settings(self) -> Settings: ...
    @property
    def instruments(self) -> Instruments: ...
    @property
    def plans(self) -> tuple[HistoryPlan, ...]: ...
    @property
    def decided_by(self) -> str: ...
    @property
    def errors(self) -> Mapping[int, str]: ...
    @property
    def sent_ranges(self) -> SentRanges: ...
    @property
    def shortened(self) -> ShortenedRequests: ...
    def remember(self, key: Hashable, make: Callable[[], T]) -> T: ...


@dataclass(frozen=True, slots=True)
class Change:
    """Message indices that became sent, stopped being sent, or were folded into a summary since the request before."""

    entered: tuple[int, ...]
    left: tuple[int, ...]
    folded: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """One request: its number (from 0), its turn (from 0; -1 before the first user message), and its plan."""

    number: int
    turn: int
    request_in_turn: int  # from 1
    requests_in_turn: int
    plan: HistoryPlan
    before: HistoryPlan | None
    known: bool = True  # which messages it was sent, where that was decided elsewhere
    error: str = ""  # why a trimmer gave none

    @property
    def size(self) -> int:
        """The number of messages that precede the request."""
        return self.plan.size

    @property
    def tokens_by_kind(self) -> Mapping[str, int]:
        """Tokens sent per kind (see KINDS) and as framing; they add up to `plan.tokens`."""
        plan = self.plan
        sums = np.bincount(plan.history.columns.role[: plan.size], plan.sent_tokens, 5).astype(int)
        by_role = {kind: int(sums[code]) for kind, code in ROLE_OF_KIND.items()}
        return {**by_role, "summary": plan.summary_tokens, "framing": plan.framing}

    @property
    def changed(self) -> Change:
        """The messages in which this request differs from the previous one. What a later one stands for hasn't left."""
        now, fates = self.plan.actions, _fates(self.plan)
        was = np.full(len(now), Action.DROPPED, np.uint8)
        if self.before is not None:
            was[: self.before.size] = self.before.actions
        sent, sent_before = now <= Action.TRUNCATED, was <= Action.TRUNCATED
        folded = (fates == Action.SUMMARIZED) & sent_before
        left = (fates == Action.DROPPED) & sent_before
        return Change(*(tuple(np.flatnonzero(m).tolist()) for m in (sent & ~sent_before, left, folded)))

    @property
    def label(self) -> str:
        """Words for the slider: "turn 12, request 3 of 9"."""
        if self.turn < 0:
            return "before the first user message"
        of = f", request {self.request_in_turn} of {self.requests_in_turn}" if self.requests_in_turn > 1 else ""
        return f"turn {self.turn + 1}{of}"


def _fates(plan: HistoryPlan) -> np.ndarray:
    """uint8[size]: an Action per message; where another stands for it, what happened to that one."""
    actions = plan.actions
    replaced = np.flatnonzero(plan.reasons == REPLACED.code)
    actions[replaced] = actions[plan.history.columns.replaced_by[replaced]]
    return actions
