"""Replay: the plan of every request of a conversation, what each sends, and what changed since the one before."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, TypeVar, overload

import numpy as np

from historylab.conversation.conversation import Conversation
from historylab.conversation.memo import Memo
from historylab.conversation.message import MOST_TOKENS
from historylab.counters.base import Counter
from historylab.errors import PlanError
from historylab.planning.contexts import contexts_of
from historylab.planning.decision_changes import (
    DecisionChanges,
    block_changes,
    message_changes,
)
from historylab.planning.explain import Answer, Progress, explain
from historylab.planning.given_decisions import RequestDecisions, plan_given, read_decisions, read_trimmed
from historylab.planning.narrow_relevance import NarrowRelevance, narrow_relevance
from historylab.planning.over_budget import OverBudget, over_budget_cause
from historylab.planning.pipeline import open_instruments, open_pipeline, plan_requests, project
from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import INVALID
from historylab.planning.recorded_state import noted_state
from historylab.planning.sent_ranges import SentRanges
from historylab.planning.sent_tokens import sent_by_role
from historylab.planning.shortened_requests import ShortenedRequests
from historylab.planning.steps import ROLE_OF_KIND, Step
from historylab.planning.strategies.base import Instruments
from historylab.planning.unused_budget import UnusedBudget, unused_budget
from historylab.planning.validity import validity
from historylab.pricing import window_of
from historylab.settings.model import Settings, check_settings
from historylab.stores.base import StateStore
from historylab.trimmers.driving import TrimmerRun, drive
from historylab.trimmers.given import SECONDS, TrimmerChoice, open_trimmer_choice

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Timeline(Memo):
    """All requests of one conversation under one set of settings.

    `original` is the conversation as it was given; `conversation` is its projection, which is planned and counted.
    Without a projection they are the same. `under` are the settings of each plan, where not all are under `settings`:
    those of the newest. `decided` is a digest of the decisions that came from outside, and `unknown` are the requests
    (from 0) that nothing tells them of. `run` is the trimmer that decided, where one was driven.
    """

    conversation: Conversation
    settings: Settings
    instruments: Instruments
    plans: tuple[HistoryPlan, ...]
    original: Conversation
    derived: dict[Hashable, Any] = field(default_factory=dict, repr=False)
    under: tuple[Settings, ...] = ()
    decided: str = ""
    unknown: frozenset[int] = frozenset()
    run: TrimmerRun | None = None

    @classmethod
    def from_decisions(
        cls,
        conversation: Conversation,
        requests: Iterable[RequestDecisions],
        *,
        by: str = "the app",
        settings: Settings | None = None,
    ) -> Timeline:
        """The timeline of what somebody else decided: a log, a framework's trimmer, an agent's compaction.

        Args:
            conversation: the whole of it, from which the indices in the decisions count.
            requests: one per request that the conversation makes (`conversation.columns.requests`), in order.
            by: who decided, as sentences name them.
            settings: what counts and prices it: model, counter, overhead and budget. Its stages are asked nothing.

        A request that an API would refuse is shown with its fault (`validity`), not mended. Raises PlanError, which
        names the request (from 0), for decisions about messages that don't exist, and for two about one message.
        """
        check_settings(settings := Settings() if settings is None else settings)
        requests = list(requests)
        sizes, instruments = conversation.columns.requests, open_instruments(settings)
        if len(requests) != len(sizes):
            asked = f"decisions about {len(requests):,} requests were given"
            raise PlanError(f"{asked}, and this conversation makes {len(sizes):,}; give one of each")
        budget, counter = open_pipeline(settings).budget, instruments.counter
        given = [read_decisions(each, conversation, i, by, budget, counter) for i, each in enumerate(requests)]
        shown, plans, decided = plan_given(conversation, counter, given)
        return cls(shown, settings, instruments, plans, conversation, decided=decided)

    @property
    def decided_by(self) -> str:
        """The author of the decisions, if not these settings' own stages (the last of several); else ""."""
        return next((plan.decided_by for plan in reversed(self.plans) if plan.decided_by), "")

    def __repr__(self) -> str:
        title, messages, requests = self.conversation.title, len(self.conversation), len(self.plans)
        return f"Timeline({title!r}, {messages:,} messages, {requests:,} requests)"

    @property
    def counter(self) -> Counter:
        return self.instruments.counter

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """One step per request."""
        return tuple(self._steps())

    def _steps(self) -> Iterator[Step]:
        columns = self.conversation.columns
        turns = columns.users.searchsorted(columns.requests) - 1
        per_turn = np.bincount(turns + 1, minlength=1)
        seen: dict[int, int] = {}
        for request, (turn, plan) in enumerate(zip(turns.tolist(), self.plans, strict=True)):
            seen[turn] = seen.get(turn, 0) + 1
            before = self.plans[request - 1] if request else None
            known, error = request not in self.unknown, self.errors.get(request, "")
            yield Step(request, turn, seen[turn], int(per_turn[turn + 1]), plan, before, known, error)

    @cached_property
    def errors(self) -> Mapping[int, str]:
        """The requests (from 0) for which a trimmer failed, each with the reason: nothing of them is judged or paid."""
        return self.run.errors if self.run else {}

    @cached_property
    def judged(self) -> np.ndarray:
        """bool[requests]: those that are judged and paid, all but the ones for which a trimmer failed."""
        return np.array([number not in self.errors for number in range(len(self.plans))], bool)

    @cached_property
    def tokens(self) -> np.ndarray:
        """int64[requests]: tokens each request sends."""
        return np.array([plan.tokens for plan in self.plans], np.int64)

    @cached_property
    def untrimmed(self) -> np.ndarray:
        """int64[requests]: tokens each request would send if nothing were cut but what no API takes."""
        columns, per_request = self.conversation.columns, self.counter.per_request
        called = (columns.answered_at[columns.block[columns.shown]] > 0).any()  # whose results go with it
        if not self.plans or len(columns.stand_ins) or called or not columns.clean:  # not all is sent: no running sums
            without = ((p, (p.block_reasons == INVALID.code) | p.history.shown) for p in self.plans)
            refused = (int(p.history.block_tokens @ out) for p, out in without)
            whole = (p.history.untrimmed_tokens + per_request for p in self.plans)
            return np.array([tokens - out for tokens, out in zip(whole, refused, strict=True)], np.int64)
        untrimmed: np.ndarray = self.plans[-1].history.sums.running[columns.requests] + per_request
        return untrimmed

    @cached_property
    def contexts(self) -> np.ndarray:
        """int64[requests]: tokens of each whole request, what is outside the messages included.

        One that reports its usage stands at its reported size, less what the settings remove. Stages decide by what is
        counted: `tokens` and the overhead. A request whose size came with the decisions from outside has that one.
        """
        found = contexts_of(self.original, self.settings, self.counter, self.tokens)
        given = np.array([plan.is_sized for plan in self.plans], bool)
        return np.where(given, self.tokens, found) if given.any() else found

    @cached_property
    def untrimmed_contexts(self) -> np.ndarray:
        """int64[requests]: the same, if nothing were cut. A request of known size that sends all has that one."""
        found = contexts_of(self.original, self.settings, self.counter, self.untrimmed)
        sent = np.array([plan.counted_tokens if plan.is_sized else -1 for plan in self.plans], np.int64)
        return np.where(sent == self.untrimmed, self.tokens, found)

    @cached_property
    def tokens_by_kind(self) -> Mapping[str, np.ndarray]:
        """Per kind, int64[requests]; together with the framing they add up to `tokens`."""
        sums = sent_by_role(self)
        return {
            **{kind: sums[code] for kind, code in ROLE_OF_KIND.items()},
            "summary": np.array([plan.summary_tokens for plan in self.plans], np.int64),
            "framing": np.array([plan.framing for plan in self.plans], np.int64),
        }

    @cached_property
    def sent_ranges(self) -> SentRanges:
        """The blocks that each request sends."""
        return SentRanges.of_plans(self.conversation.columns, self.plans)

    @cached_property
    def shortened(self) -> ShortenedRequests:
        """The messages that each request sends as shorter texts."""
        return ShortenedRequests(self.plans, self.sent_ranges)

    @cached_property
    def block_changes(self) -> DecisionChanges:
        """The blocks about which a request decides otherwise than the one before it."""
        return block_changes(self.conversation.columns, self.plans)

    @cached_property
    def changes(self) -> DecisionChanges:
        """The messages about which a request decides otherwise than the one before it."""
        return message_changes(self.conversation.columns, self.plans, self.block_changes)

    @cached_property
    def over_budget(self) -> np.ndarray:
        """bool[requests]."""
        return np.array([plan.over_budget for plan in self.plans], bool)

    @property
    def refused(self) -> np.ndarray:
        """bool[requests]: what any API would refuse, as `validity` says."""
        return validity(self).refused

    def actions(self) -> np.ndarray:
        """uint8[messages, requests]: an Action each, 255 where the message comes later."""
        matrix = np.full((len(self.conversation), len(self.plans)), 255, np.uint8)
        for column, plan in enumerate(self.plans):
            matrix[: plan.size, column] = plan.actions
        return matrix

    def explain(self, step: int, message: int, *, progress: Progress | None = None) -> Answer:
        """Why request `step` treats `message` as it does, since when, and which settings would keep it.

        Both count from 0 or, if negative, from the end. Raises IndexError where there is none. A search that has to
        plan many requests again tells `progress` how many settings it tried and how many requests it planned under the
        next; what that raises ends it.
        """
        return explain(self.original, self.settings, self.instruments, self.plans, step, message, progress)

    def over_budget_cause(self, request: int) -> OverBudget | None:
        """The cause why a request (from 0) is over its budget, and the settings that would mend it; None if it fits.

        Raises IndexError where there is no such request.
        """
        return self._of_our_plan("over budget", over_budget_cause, request)

    def unused_budget(self, request: int) -> UnusedBudget | None:
        """Why a request (from 0) leaves much of its budget unused, and what would use it; None if it doesn't.

        Raises IndexError where there is no such request.
        """
        return self._of_our_plan("unused budget", unused_budget, request)

    def narrow_relevance(self, request: int) -> NarrowRelevance | None:
        """What left the pruner `relevance` little to choose from at a request (from 0); None if nothing did.

        Raises IndexError where there is no such request.
        """
        return self._of_our_plan("narrow relevance", narrow_relevance, request)

    def _of_our_plan(self, what: str, find: Callable[..., T | None], request: int) -> T | None:
        """A finding made by planning a request again; None if its decisions came from outside."""
        plan = self.plans[request]
        if plan.decided_by:
            return None
        return self.remember((what, plan.size), partial(find, self.conversation, self.settings, self.instruments, plan))


@overload
def replay(
    conversation: Conversation,
    settings: Settings,
    *,
    instruments: Instruments | None = None,
    store: StateStore | None = None,
) -> Timeline: ...


@overload
def replay(
    conversation: Conversation,
    settings: Settings | None = None,
    *,
    trimmer: str | Callable[..., Any],
    carry: bool | None = None,
    form: str | None = None,
    seconds: float = SECONDS,
    progress: Callable[[int, int], None] | None = None,
    **options: Any,
) -> Timeline: ...


def replay(
    conversation: Conversation,
    settings: Settings | None = None,
    *,
    instruments: Instruments | None = None,
    store: StateStore | None = None,
    trimmer: str | Callable[..., Any] | None = None,
    carry: bool | None = None,
    form: str | None = None,
    seconds: float = SECONDS,
    progress: Callable[[int, int], None] | None = None,
    **options: Any,
) -> Timeline:
    """Plan every request of the conversation. Each message is counted once, however many requests hold it.

    With the `store` of a `Trimmer` its summaries are those that were sent, and so are those that a recording noted;
    without `instruments` alone.

    With a `trimmer` the decisions are its own, faults included: a function of yours (or a class, an instance of which
    is made for each conversation, or an object), "module:function", or a name of `historylab.trimmers()`. At each
    request it is given a fresh copy of the whole history before it, or what it returned last and what was said since
    if you `carry`, as apps do that overwrite their history. Its messages are Chat Completions' dicts, or what its
    annotations say, or of the `form` that is named. Every other keyword is an option of the trimmer's. The settings
    then only count and price. A request for which it raises, gives no answer in so many `seconds` or returns no
    messages is not known (`steps[i].error`), and the rest goes on.

    Raises SettingsError for a trimmer that can't be opened, MissingLibrary where its library isn't installed.
    """
    if trimmer is not None:
        if instruments is not None or store is not None:
            raise TypeError("instruments and store are of our own stages, and a trimmer takes neither")
        settings = Settings() if settings is None else settings
        choice = open_trimmer_choice(trimmer, options, carry=carry, form=form, model=settings.model)
        return replay_trimmer(conversation, choice, settings, seconds=seconds, progress=progress)
    if options or settings is None:
        raise TypeError(f"replay() has no {next(iter(options))!r} without a trimmer" if options else "give settings")
    projected = project(conversation, settings)
    instruments = instruments or open_instruments(settings, store=store or noted_state(conversation))
    plans = tuple(plan_requests(projected, settings, instruments=instruments))
    return Timeline(projected, settings, instruments, plans, conversation)


def replay_trimmer(
    conversation: Conversation,
    choice: TrimmerChoice,
    settings: Settings,
    *,
    seconds: float = SECONDS,
    progress: Callable[[int, int], None] | None = None,
) -> Timeline:
    """The timeline of what a trimmer sends, asked once for each request.

    The budget is the model's window, or what the largest request takes where that is more or none is known.
    """
    run, counter = drive(conversation, choice, seconds, progress), open_instruments(settings)
    given = [
        read_trimmed(each, conversation, number, choice.title, counter.counter)
        for number, each in enumerate(run.requests)
    ]
    shown, plans, decided = plan_given(conversation, counter.counter, given)
    window = settings.window or window_of(settings.model) or 0
    largest = max([window, 1, *(plan.tokens for plan in plans)])
    settings = settings.replace(budget=min(largest, MOST_TOKENS), reserve=0)
    for plan in plans:
        plan.budget = settings.budget
    return Timeline(
        shown, settings, counter, plans, conversation, decided=decided, unknown=frozenset(run.errors), run=run
    )
