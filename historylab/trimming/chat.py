"""A chat as it goes on: the conversation so far, and the plans from which its next request is planned.

Settings that carry something (a summary, a cut) plan each request from the one before. Replay finds these requests in
the whole conversation; a chat makes them one after the other as it grows, and keeps some of their plans, so that after
an edit only what follows it is planned again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.lineage import same_beginning
from historylab.conversation.message import prompt_length
from historylab.planning import checkpoints
from historylab.planning.checkpoints import KeptPlans
from historylab.planning.history import History
from historylab.planning.pipeline import open_pipeline, project
from historylab.planning.plan import HistoryPlan
from historylab.planning.strategies.base import Instruments
from historylab.settings.model import Settings

MOST_MARKS = 16
"""Plans kept for edits, besides the newest."""


class Chat:
    """One conversation under one set of settings: `go_on` tells it what it is now, `plan` gives its next request."""

    def __init__(self, settings: Settings, instruments: Instruments, kept: KeptPlans | None = None):
        self.conversation = Conversation()
        self._settings, self._instruments, self._pipeline = settings, instruments, open_pipeline(settings)
        self._kept = kept
        self._as_replayed = True  # else plans were made under other leading messages
        self._before: HistoryPlan | None = None  # of the newest request that was answered
        self._latest: HistoryPlan | None = None  # of the newest call
        self._marks: list[HistoryPlan] = []  # of answered requests at which what is carried changed

    def go_on(self, conversation: Conversation, same: int) -> None:
        """Take the conversation as it is now, of which the first `same` messages are as they were.

        What was cut and summarised is kept as far as they go; leading system messages may count as the same though they
        are others now, as many of them.
        """
        led = prompt_length(self.conversation)
        if same and self._kept and self.conversation[:led] != conversation[:led]:
            self._as_replayed = False
        if same < len(self.conversation):
            self._go_back(conversation, same)
        elif conversation is not self.conversation and len(conversation) == len(self.conversation):
            self._latest = None
        self.conversation = conversation

    def take_again(self, sources: Mapping[int, Any]) -> None:
        """Have some messages, by their index, as they are given now, though they say the same."""
        self.conversation, self._latest = self.conversation.with_sources(sources), None

    def fork(self) -> Chat:
        """Another chat that has come to the same."""
        other = Chat(self._settings, self._instruments, self._kept)
        other._as_replayed = self._as_replayed
        other.conversation, other._before, other._latest = self.conversation, self._before, self._latest
        other._marks = list(self._marks)
        return other

    def plan(self) -> HistoryPlan:
        """The plan for a request that sends the whole conversation, equal to the one replay makes of it."""
        projected = project(self.conversation, self._settings)
        if self._latest is None or self._latest.size != len(projected):
            self._catch_up(projected)
            self._latest = self._plan(projected, len(projected))
        return self._latest

    def _catch_up(self, projected: Conversation) -> None:
        """Plan the requests that were answered since, where a plan depends on the one before."""
        if not self._pipeline.carries:
            return
        requests = projected.columns.requests
        done = self._before.size if self._before else 0
        first, stop = int(requests.searchsorted(done, "right")), int(requests.searchsorted(len(projected)))
        kept = self._kept if self._as_replayed else None
        if kept and stop - first > checkpoints.EVERY and (found := kept.newest(projected, done)):
            self._before = found
            self._mark(found)
            first = int(requests.searchsorted(found.size, "right"))
        place = None
        for number, size in enumerate(requests[first:stop].tolist(), first):
            made = self._latest if self._latest and self._latest.size == size else self._plan(projected, size)
            before = self._before
            if before is None or made.summary is not before.summary or made.numbers != before.numbers:
                self._mark(made)
            self._before = made
            place = made if number and number % checkpoints.EVERY == 0 else place
        if kept and place:
            kept.keep(place, projected)

    def _plan(self, projected: Conversation, size: int) -> HistoryPlan:
        history = History(projected, self._instruments.counter, size)
        return self._pipeline.plan(history, self._instruments, self._before)

    def _mark(self, plan: HistoryPlan) -> None:
        self._marks.append(plan)
        if len(self._marks) > MOST_MARKS:
            del self._marks[: MOST_MARKS // 2 : 2]  # the older, the further apart

    def _go_back(self, conversation: Conversation, same: int) -> None:
        """Forget the plans of requests that held other messages, or that were not answered in this conversation."""
        now = project(conversation, self._settings)
        if now is not conversation:
            same = same_beginning(project(self.conversation, self._settings), now)
        answered = frozenset(now.columns.requests.tolist()) - {len(now)}  # of a request at the end nobody knows yet
        plans = self._marks if self._before is None else [*self._marks, self._before]
        plans = [plan for plan in plans if plan.size <= same and plan.size in answered]
        self._before = plans[-1] if plans else None
        self._as_replayed = self._as_replayed or not plans
        self._marks, self._latest = [plan for plan in self._marks if plan.size <= same and plan in plans], None
