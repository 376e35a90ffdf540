"""Questions, each planned as the newest user message of a request of its own, and what that holds of their answers.

A question is asked after a request was answered: everything said until then, and the question, are planned under the
timeline's settings, as `trim()` would plan them. So `relevance` is judged by what it sends once it is asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from historylab.conversation.conversation import Conversation, checked_index
from historylab.conversation.message import Message
from historylab.errors import PlanError
from historylab.planning.explain import Answer, explain
from historylab.planning.history import History
from historylab.planning.pipeline import open_pipeline
from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import LOST
from historylab.planning.replay import Timeline
from historylab.planning.strategies.facts import relevance_index
from historylab.recall.held import find_holder, mentions_of_message
from historylab.recall.must_remember import follow_mark
from historylab.registry import member

LIKELIEST = 5  # messages that could answer a question
MOST_REMEMBERED = 500  # answers about one timeline
MOST_MESSAGES = 100_000  # of the conversations that end in a question, kept with the one they begin as


@dataclass(frozen=True, slots=True)
class Question:
    """A question that might be asked, and the messages of the original conversation that are known to answer it.

    Without such messages, those likeliest to answer it are found by BM25: an estimate.
    """

    text: str
    messages: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question asked after request `request` (from 0; -1 where there is none), and its answer there.

    `messages` are those of the timeline's that answer it and were said by then, the likeliest first; `scores` what
    BM25 makes of each, 1 where they are known; `holders` say whether a message sent (`BY_MESSAGE`), the summary
    (`BY_SUMMARY`) or nothing (`LOST`) holds each. `estimate`: nobody said that these messages answer it.
    """

    question: str
    request: int
    messages: tuple[int, ...] = ()
    scores: tuple[float, ...] = ()
    holders: tuple[int, ...] = ()
    estimate: bool = True

    @property
    def kept(self) -> tuple[bool, ...]:
        """Per message, whether the request that asks holds it."""
        return tuple(holder != LOST for holder in self.holders)

    @property
    def share(self) -> float | None:
        """The part of the answer that is held, by the scores; None where nothing said by then answers it."""
        held = sum(score for score, kept in zip(self.scores, self.kept, strict=True) if kept)
        return held / sum(self.scores) if self.scores else None


def as_question(given: str | Question) -> Question:
    """A question; plain text is one without known answers."""
    return given if isinstance(given, Question) else Question(given)


def ask(
    timeline: Timeline, question: str | Question, requests: Iterable[int] | None = None
) -> tuple[AskedQuestion, ...]:
    """The question asked after each of these requests (from 0 or, if negative, from the end); by default the last.

    Raises IndexError where there is no such request.
    """
    question, count = as_question(question), len(timeline.plans)
    numbers = [count - 1] if requests is None else [checked_index(number, count, "request") for number in requests]
    return tuple(_ask_once(timeline, question, number) for number in numbers)


def ask_all(timeline: Timeline, questions: Sequence[str | Question]) -> tuple[AskedQuestion, ...]:
    """Each question, asked after the last request."""
    return tuple(asked for question in questions for asked in ask(timeline, question))


def plan_question(timeline: Timeline, text: str, number: int) -> HistoryPlan:
    """The plan of the request that asks it after request `number` (from 0; -1: after everything): one message longer.

    Stages that carry something on are given the plan of the request before. No model is asked to summarise. Raises
    PlanError where others decided: what they would send for a question is not known.
    """
    if timeline.decided_by:
        raise PlanError(f"questions are planned by our stages, and what {timeline.decided_by} would send is not known")
    if timeline.settings.pruner == "relevance" and timeline.instruments.relevance:
        relevance_index(timeline.conversation, timeline.instruments.relevance)  # taken over by what ends in it
    conversation = _ending_in(timeline.conversation, text, _said_until(timeline.conversation, number))
    history, before = History(conversation, timeline.counter, len(conversation)), _plans_before(timeline, conversation)
    return open_pipeline(timeline.settings).plan(
        history, timeline.instruments.offline(), before[-1] if before else None
    )


def explain_answer(timeline: Timeline, text: str, number: int, message: int) -> Answer:
    """Why the request that asks it after request `number` doesn't send a message, and what would keep it."""
    plan = plan_question(timeline, text, number)
    conversation, settings = plan.history.conversation, timeline.settings.replace(projection="off")  # it is projected
    plans = (*_plans_before(timeline, conversation), plan)
    return explain(conversation, settings, timeline.instruments, plans, -1, message)


# -- one question, asked once


def _ask_once(timeline: Timeline, question: Question, number: int) -> AskedQuestion:
    return timeline.remember(
        ("asked", question, number), lambda: _ask(timeline, question, number), most=MOST_REMEMBERED
    )


def _ask(timeline: Timeline, question: Question, number: int) -> AskedQuestion:
    conversation, said = timeline.conversation, _said_until(timeline.conversation, number)
    messages, scores = (
        _known_answers(timeline, question, said) if question.messages else _likeliest(conversation, question.text, said)
    )
    if not messages:
        return AskedQuestion(question.text, number, estimate=not question.messages)
    plan = plan_question(timeline, question.text, number)
    told = (mentions_of_message(conversation, i) for i in messages)
    holders = (find_holder(plan, value, mentions[: mentions.searchsorted(said)]) for value, mentions in told)
    return AskedQuestion(question.text, number, messages, scores, tuple(holders), not question.messages)


def _known_answers(timeline: Timeline, question: Question, said: int) -> tuple[tuple[int, ...], tuple[float, ...]]:
    there = (i for i in question.messages if 0 <= i < len(timeline.original))
    followed = dict.fromkeys(follow_mark(timeline, i) for i in there)
    messages = tuple(i for i in followed if i is not None and i < said)
    return messages, (1.0,) * len(messages)


def _likeliest(conversation: Conversation, text: str, said: int) -> tuple[tuple[int, ...], tuple[float, ...]]:
    scores = relevance_index(conversation, member("relevance", "bm25").target()).scores(text, said)
    best = tuple(i for i in np.argsort(-scores, kind="stable")[:LIKELIEST].tolist() if scores[i] > 0)
    return best, tuple(float(scores[i]) for i in best)


# -- the conversation that ends in it


def _said_until(conversation: Conversation, number: int) -> int:
    """How many messages were said once request `number` was answered, before anybody else spoke."""
    columns = conversation.columns
    if number < 0:
        return len(conversation)
    answered = columns.requests.item(number)
    later = [*columns.users[columns.users.searchsorted(answered) :][:1], *columns.requests[number + 1 :][:1]]
    return int(min(later, default=len(conversation)))


def _ending_in(conversation: Conversation, text: str, said: int) -> Conversation:
    """The first `said` messages and the question; the same object for every timeline, its tokens counted once."""

    def next_request() -> Conversation:
        before = conversation[said - 1].timestamp if said else None
        return conversation.beginning(said).followed_by([Message("user", text, timestamp=before)])

    most = max(8, MOST_MESSAGES // max(1, len(conversation)))
    return conversation.remember(("ending in", text, said), next_request, most=most)


def _plans_before(timeline: Timeline, conversation: Conversation) -> tuple[HistoryPlan, ...]:
    """The plans of the requests made before the question."""
    return timeline.plans[: len(conversation.columns.requests) - 1]
