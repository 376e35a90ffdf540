"""Retention: whether a timeline keeps values used later, must-remember messages, gold evidence and likely answers.

One test for all (`held.py`): a value is *kept* for a request if **any** message it sends, or its summary or ledger,
holds it verbatim. Each loss names the message, the request and the value; `Retention.explain(loss)` finds the settings
that would have kept it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from historylab.planning.explain import Answer
from historylab.planning.replay import Timeline
from historylab.planning.strategies.facts import relevance_index
from historylab.recall.held import BY_SUMMARY, LOST, find_holder, mentions_of_message
from historylab.recall.must_remember import MustRemember, follow_mark, indices_named_in_file, track_must_remember
from historylab.recall.references import Need, find_needs
from historylab.registry import member

ESTIMATES = frozenset({"link", "question"})
"""Kinds for which the transcript doesn't show that the model needed them."""

KINDS = ("reference", "link", "star", "evidence", "question")
FACTS = ("evidence", "reference", "link")
"""Kinds of needs that a conversation itself shows, nobody's marks or questions."""
LIKELIEST = 5  # messages that could answer a question


@dataclass(frozen=True, slots=True)
class Kept:
    """The number of needs in all, of those that were met, and of those met by the summary alone."""

    total: int = 0
    kept: int = 0
    by_summary: int = 0

    @property
    def share(self) -> float | None:
        """From 0 to 1; None if nothing was needed."""
        return self.kept / self.total if self.total else None

    @property
    def lost(self) -> int:
        return self.total - self.kept


@dataclass(frozen=True, slots=True)
class Loss:
    """A value that a request needed and no longer held.

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
    """Per kind what was kept, every loss in order of the requests, the starred messages, and the questions."""

    timeline: Timeline
    kept: Mapping[str, Kept]
    losses: tuple[Loss, ...]
    starred: tuple[MustRemember, ...]
    questions: tuple[Likely, ...]
    needed: tuple[tuple[Need, bool], ...] = ()
    """Every reference, link and piece of evidence in order of the requests, and whether its request held it."""

    def needed_of(self, message: int) -> list[tuple[Need, bool]]:
        """Those of a message's values that later requests needed, the lost ones first."""
        found = [(need, held) for need, held in self.needed if _mentions(need.mentions, message)]
        return sorted(found, key=lambda each: each[1])

    @property
    def references(self) -> Kept:
        return self.kept["reference"]

    @property
    def stars(self) -> Kept:
        """Must-remember messages, each counted once: kept if every later request held it."""
        return self.kept["star"]

    def explain(self, loss: Loss) -> Answer:
        """Why that request doesn't send the message, and what would have kept it."""
        return self.timeline.explain(loss.step, loss.message)


def retention(timeline: Timeline, *, stars: Iterable[int] | None = None, questions: Sequence[str] = ()) -> Retention:
    """The needs of a timeline's requests, kept and lost.

    `stars` are indices of `timeline.original`'s messages that must be remembered; without them the conversation's own
    `metadata["stars"]` count. Gold evidence comes from `metadata["evidence"]`: `[{"question": …, "at": index of the
    message that asks, "messages": [indices or ids]}]`, without "at" asked of the last request; of what it names, the
    messages there are. Raises LoadError for a star on no message.
    """
    conversation = timeline.conversation
    starred = track_must_remember(timeline, stars)
    needed = [need for step in find_needs(conversation) for need in step]
    found = [_met(timeline, n) for n in needed + list(_evidence(timeline))]
    kept = {kind: _tally(found, kind) for kind in ("reference", "link", "evidence")}
    losses = [_loss(need) for need, how in found if how == LOST]
    losses += [loss for star in starred if (loss := _star_loss(star))]
    kept["star"] = Kept(len(starred), sum(not star.gaps for star in starred))
    likely = asked_later(timeline, questions)
    asked = [(question, m, k) for question in likely for m, k in zip(question.messages, question.kept, strict=True)]
    kept["question"] = Kept(len(asked), sum(k for _, _, k in asked))
    last = len(timeline.plans) - 1
    losses += [Loss("question", last, m, conversation[m].content, None, q.question) for q, m, k in asked if not k]
    losses = sorted(losses, key=lambda loss: (loss.step, KINDS.index(loss.kind), loss.message))
    met = tuple((need, how != LOST) for need, how in sorted(found, key=lambda each: each[0].step))
    return Retention(timeline, kept, tuple(losses), starred, likely, met)


def asked_later(timeline: Timeline, questions: Sequence[str]) -> tuple[Likely, ...]:
    """Per question, asked after the last request, the messages likeliest to answer it and whether that holds them."""
    return tuple(_likely(timeline, question) for question in questions)


# -- references and links


def _met(timeline: Timeline, need: Need) -> tuple[Need, int]:
    return need, find_holder(timeline.plans[need.step], need.value, need.mentions)


def _tally(found: list[tuple[Need, int]], kind: str) -> Kept:
    how = [h for need, h in found if need.kind == kind]
    return Kept(len(how), len(how) - how.count(LOST), how.count(BY_SUMMARY))


def _mentions(mentions: np.ndarray, message: int) -> bool:
    place = int(mentions.searchsorted(message))
    return place < len(mentions) and int(mentions[place]) == message


def _loss(need: Need) -> Loss:
    return Loss(need.kind, need.step, int(need.mentions[-1]), need.value, need.message, need.used_as)


# -- must-remember messages, evidence, questions


def _star_loss(star: MustRemember) -> Loss | None:
    """The first run of requests that lack the must-remember message."""
    if not star.gaps or star.message is None:  # no message of the timeline's to point to
        return None
    first, stop = star.gaps[0]
    return Loss("star", first, star.message, star.value, requests=stop - first)


def _evidence(timeline: Timeline) -> Iterator[Need]:
    conversation, requests = timeline.conversation, timeline.conversation.columns.requests
    for at, question, messages in _gold(timeline):
        last = len(requests) - 1
        step = last if at is None else min(last, int(requests.searchsorted(at, side="right")))
        for i in messages:
            value, mentions = mentions_of_message(conversation, i)
            earlier = mentions[: mentions.searchsorted(requests[step])] if step >= 0 else mentions[:0]
            if len(earlier):
                yield Need("evidence", step, value, earlier, at, question)


def _gold(timeline: Timeline) -> Iterator[tuple[int | None, str, list[int]]]:
    """(asked by message, question, messages that answer it); entries of another form are ignored."""
    given = timeline.original.metadata.get("evidence")
    for entry in given if isinstance(given, list | tuple) else ():
        if isinstance(entry, Mapping):
            asked = indices_named_in_file(timeline.original, [entry.get("at")])
            answers = (
                follow_mark(timeline, i) for i in indices_named_in_file(timeline.original, entry.get("messages"))
            )
            at = follow_mark(timeline, asked[0]) if asked else None
            yield at, str(entry.get("question", "")), [i for i in answers if i is not None]


def _likely(timeline: Timeline, question: str) -> Likely:
    conversation = timeline.conversation
    plan = timeline.plans[-1] if timeline.plans else None
    if plan is None:
        return Likely(question, (), (), ())
    scores = relevance_index(conversation, member("relevance", "bm25").target()).scores(question, plan.size)
    best = [i for i in np.argsort(-scores, kind="stable")[:LIKELIEST].tolist() if scores[i] > 0]
    held = (find_holder(plan, *_up_to(plan.size, *mentions_of_message(conversation, i))) != LOST for i in best)
    return Likely(question, tuple(best), tuple(float(scores[i]) for i in best), tuple(held))


def _up_to(size: int, value: str, mentions: np.ndarray) -> tuple[str, np.ndarray]:
    return value, mentions[: mentions.searchsorted(size)]
