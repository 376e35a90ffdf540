"""What a timeline forgets: values that later calls and answers use, stars, gold evidence, what might be asked later.

One test for all: a value is *kept* for a request if **any** message it sends, or its summary or ledger, holds it
verbatim. That the first mention was dropped proves nothing: most values are said again (docs/evidence.md). Each loss
names the message, the request and the value; `Retention.explain(loss)` finds the settings that would have kept it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from historylab.conversation import Conversation
from historylab.errors import LoadError
from historylab.explain import Answer
from historylab.plan import HistoryPlan
from historylab.reasons import Action
from historylab.references import Need, holds, mentions_in, needs_of, text_of
from historylab.registry import member
from historylab.replay import Timeline
from historylab.strategies.facts import relevance_index

ESTIMATES = frozenset({"link", "question"})
"""Kinds of which nobody can say from the transcript that the model needed them."""

KINDS = ("reference", "link", "star", "evidence", "question")
LIKELIEST = 5  # messages that could answer a question
LOST, BY_MESSAGE, BY_SUMMARY = range(3)


@dataclass(frozen=True, slots=True)
class Kept:
    """How many needs there were, how many were met, and how many of those by the summary alone."""

    total: int = 0
    kept: int = 0
    by_summary: int = 0

    @property
    def share(self) -> float | None:
        """From 0 to 1; None where nothing was needed."""
        return self.kept / self.total if self.total else None

    @property
    def lost(self) -> int:
        return self.total - self.kept


@dataclass(frozen=True, slots=True)
class Loss:
    """What a request needed and no longer held.

    `step` is the first request (from 0) that lacked it and `requests` how many did so in a row; `message` the newest
    one that says `value`; `needed_by` the message that used it, `used_as` as what.
    """

    kind: str
    step: int
    message: int
    value: str
    needed_by: int | None = None
    used_as: str = ""
    requests: int = 1

    @property
    def estimate(self) -> bool:
        return self.kind in ESTIMATES


@dataclass(frozen=True, slots=True)
class Likely:
    """A question that might be asked after the last request, and the messages likeliest to answer it, by BM25.

    `share` is the part of their scores that the last request still holds: an estimate; None where nothing matches.
    """

    question: str
    messages: tuple[int, ...]
    scores: tuple[float, ...]
    kept: tuple[bool, ...]

    @property
    def share(self) -> float | None:
        held = sum(score for score, kept in zip(self.scores, self.kept, strict=True) if kept)
        return held / sum(self.scores) if self.scores else None


@dataclass(frozen=True, eq=False)
class Retention:
    """Per kind what was kept, every loss in order of the requests, and the questions."""

    timeline: Timeline
    kept: Mapping[str, Kept]
    losses: tuple[Loss, ...]
    questions: tuple[Likely, ...]

    @property
    def references(self) -> Kept:
        return self.kept["reference"]

    @property
    def stars(self) -> Kept:
        """Counted once per star: kept if every request since it was said held it."""
        return self.kept["star"]

    def explain(self, loss: Loss) -> Answer:
        """Why that request doesn't send the message, and what would have kept it."""
        return self.timeline.explain(loss.step, loss.message)


def retention(timeline: Timeline, *, stars: Iterable[int] | None = None, questions: Sequence[str] = ()) -> Retention:
    """What the timeline keeps and forgets.

    `stars` are indices of `timeline.conversation`'s messages that must be remembered; without them the conversation's
    own `metadata["stars"]` count. Gold evidence comes from `metadata["evidence"]`: `[{"question": …, "at": index of the
    message that asks, "messages": [indices or ids]}]`, without "at" asked of the last request. Raises LoadError for an
    index or id of no message.
    """
    conversation = timeline.conversation
    starred = conversation.metadata.get("stars", ()) if stars is None else stars
    needed = [need for step in needs_of(conversation) for need in step]
    found = [_met(timeline, n) for n in needed + list(_evidence(conversation))]
    kept = {kind: _tally(found, kind) for kind in ("reference", "link", "evidence")}
    losses = [_loss(need) for need, how in found if how == LOST]
    star_losses = [loss for star in _indices(conversation, starred) if (loss := _star_loss(timeline, star))]
    total = len(_indices(conversation, starred))
    kept["star"] = Kept(total, total - len(star_losses))
    likely = tuple(_likely(timeline, question) for question in questions)
    asked = [(question, m, k) for question in likely for m, k in zip(question.messages, question.kept, strict=True)]
    kept["question"] = Kept(len(asked), sum(k for _, _, k in asked))
    last = len(timeline.plans) - 1
    losses += [Loss("question", last, m, conversation[m].content, None, q.question) for q, m, k in asked if not k]
    losses = sorted([*losses, *star_losses], key=lambda loss: (loss.step, KINDS.index(loss.kind), loss.message))
    return Retention(timeline, kept, tuple(losses), likely)


# -- the one test


def holder(plan: HistoryPlan, value: str, mentions: np.ndarray) -> int:
    """LOST, or what of the request still holds `value`, of whose mentions (int64, ascending) at least one was said."""
    block = plan.history.columns.block
    sent = mentions[plan.block_actions[block[mentions]] <= Action.TRUNCATED]
    if len(sent) and (not plan.shortened or any(_still_says(plan, i, value) for i in sent[::-1].tolist())):
        return BY_MESSAGE
    return BY_SUMMARY if plan.summary and value and holds(plan.summary.text, value) else LOST


def _still_says(plan: HistoryPlan, i: int, value: str) -> bool:
    """Whether message `i`, which is sent and says `value` as a whole, does so as it is sent."""
    for cut in reversed(plan.shortened):  # the last one is what is sent
        place = int(cut.messages.searchsorted(i))
        if place < len(cut.messages) and cut.messages[place] == i:
            return holds(text_of(plan.history.conversation[i], cut.texts[i]), value)
    return True


def _met(timeline: Timeline, need: Need) -> tuple[Need, int]:
    return need, holder(timeline.plans[need.step], need.value, need.mentions)


def _tally(found: list[tuple[Need, int]], kind: str) -> Kept:
    how = [h for need, h in found if need.kind == kind]
    return Kept(len(how), len(how) - how.count(LOST), how.count(BY_SUMMARY))


def _loss(need: Need) -> Loss:
    return Loss(need.kind, need.step, int(need.mentions[-1]), need.value, need.message, need.used_as)


# -- stars, evidence, questions


def _star_loss(timeline: Timeline, star: int) -> Loss | None:
    """The first run of requests that lack what the starred message says."""
    conversation, requests = timeline.conversation, timeline.conversation.columns.requests
    value, mentions = _said_by(conversation, star)
    first, run = None, 0
    for step in range(int(requests.searchsorted(star, side="right")), len(requests)):
        said = mentions[: mentions.searchsorted(requests[step])]
        if holder(timeline.plans[step], value, said) == LOST:
            first, run = step if first is None else first, run + 1
        elif first is not None:
            break
    return None if first is None else Loss("star", first, star, value, requests=run)


def _said_by(conversation: Conversation, i: int) -> tuple[str, np.ndarray]:
    """What must be held of message `i`, its text or else its calls' values, and the messages that hold it."""
    value = conversation[i].content.strip() or text_of(conversation[i]).strip("\0")
    mentions = mentions_in(conversation).of(value) if value else np.empty(0, np.int64)
    return value, mentions if i in mentions else np.array([i], np.int64)


def _evidence(conversation: Conversation) -> Iterator[Need]:
    requests = conversation.columns.requests
    for entry in conversation.metadata.get("evidence", ()):
        at, last = entry.get("at"), len(requests) - 1
        step = last if at is None else min(last, int(requests.searchsorted(at, side="right")))
        for i in _indices(conversation, entry.get("messages", ())):
            value, mentions = _said_by(conversation, i)
            said = mentions[: mentions.searchsorted(requests[step])] if step >= 0 else mentions[:0]
            if len(said):
                yield Need("evidence", step, value, said, at, str(entry.get("question", "")))


def _indices(conversation: Conversation, given: Iterable[int | str]) -> list[int]:
    """Indices of messages given by index or id, each once."""
    found: list[int] = []
    for mark in given:
        named = range(len(conversation)) if isinstance(mark, int) else [m.id for m in conversation]
        if mark not in named:
            raise LoadError(f"message {mark!r} is marked to be remembered, but {conversation.title!r} has none such")
        found.append(named.index(mark))
    return list(dict.fromkeys(found))


def _likely(timeline: Timeline, question: str) -> Likely:
    conversation = timeline.conversation
    plan = timeline.plans[-1] if timeline.plans else None
    if plan is None:
        return Likely(question, (), (), ())
    scores = relevance_index(conversation, member("relevance", "bm25").target()).scores(question, plan.size)
    best = [i for i in np.argsort(-scores, kind="stable")[:LIKELIEST].tolist() if scores[i] > 0]
    held = (holder(plan, *_up_to(plan.size, *_said_by(conversation, i))) != LOST for i in best)
    return Likely(question, tuple(best), tuple(float(scores[i]) for i in best), tuple(held))


def _up_to(size: int, value: str, mentions: np.ndarray) -> tuple[str, np.ndarray]:
    return value, mentions[: mentions.searchsorted(size)]
