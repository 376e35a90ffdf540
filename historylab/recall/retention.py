"""Retention: whether a timeline keeps values used later, must-remember messages, gold evidence and answers.

One test for all (`held.py`, of all requests at once in `holders.py`): a value is *kept* for a request if **any**
message it sends, or its summary or ledger, holds it verbatim. Each loss names the message, the request and the value,
and how bad it is (`severity.py`); `Retention.explain(loss)` finds the settings that would have kept it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from historylab.planning.explain import Answer
from historylab.planning.reasons import BY_SUMMARY, LOST
from historylab.planning.replay import Timeline
from historylab.recall.held import find_holder, mentions_of_message
from historylab.recall.holders import HeldNeeds
from historylab.recall.must_remember import MustRemember, follow_mark, indices_named_in_file, track_must_remember
from historylab.recall.questions import AskedQuestion, Question, ask_all, explain_answer, plan_question
from historylab.recall.references import Need, Said
from historylab.recall.rules import track_rules
from historylab.recall.severity import GONE_FOR_GOOD, SEVERITIES, Fetch, Severity, fetch_of, severity_of
from historylab.recall.value_kinds import VALUE_KINDS, kind_of_value

ESTIMATES = frozenset({"link", "question"})
"""Kinds for which the transcript doesn't show that the model needed them."""

KINDS = ("reference", "link", "star", "evidence", "question")
FACTS = ("evidence", "reference", "link")
"""Kinds of needs that a conversation itself shows, nobody's marks or questions."""


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
    one in which `value` is said by whom `severity` names (one of `severity.SEVERITIES`), or a tool that can be asked
    again; `needed_by` the message that used it, `used_as` as what. Where the same calls would find it, `fetched_from`
    are their results (message indices), and `fetch_tokens` is what calls and results take, an estimate.
    """

    kind: str
    step: int
    message: int
    value: str
    needed_by: int | None = None
    used_as: str = ""
    requests: int = 1
    severity: str = ""
    fetched_from: tuple[int, ...] = ()
    fetch_tokens: int = 0

    @property
    def gone_for_good(self) -> bool:
        """Tell whether nobody can say it again: a person, a prompt, or a tool that can't be asked again said it."""
        return self.severity in GONE_FOR_GOOD

    @property
    def badness(self) -> int:
        """The place of its severity among SEVERITIES, 0 the worst; 0 also where that is unknown."""
        return SEVERITIES.index(self.severity) if self.severity else 0

    @property
    def estimate(self) -> bool:
        return self.kind in ESTIMATES

    @property
    def asked(self) -> bool:
        """Whether a request of its own lacks it, which asks the question `used_as` after request `step`."""
        return self.kind in ("evidence", "question") and self.needed_by is None and bool(self.used_as)


@dataclass(frozen=True, eq=False)
class Retention:
    """Per kind what was kept, every loss in order of the requests, the starred messages, and the questions."""

    timeline: Timeline
    kept: Mapping[str, Kept]
    losses: tuple[Loss, ...]
    starred: tuple[MustRemember, ...]
    questions: tuple[AskedQuestion, ...]
    needed: tuple[tuple[Need, bool], ...] = ()
    """Every reference, link and piece of evidence in order of the requests, and whether its request held it."""
    in_summary: tuple[bool, ...] = ()
    """Per entry of `needed`, whether the summary alone held it."""

    @cached_property
    def by_value(self) -> Mapping[str, Kept]:
        """Per kind of value (`value_kinds.VALUE_KINDS`) the values in `needed`, and how many requests held theirs.

        Last, as "rule", the standing instructions: kept if every later request held it.
        """
        found = [(kind_of_value(need.value), held) for need, held in self.needed]
        held_by_kind = {kind: [held for each, held in found if each == kind] for kind in VALUE_KINDS}
        held_by_kind["rule"] = [not tracked.held.gaps for tracked in track_rules(self.timeline)]
        return {kind: Kept(len(held), sum(held)) for kind, held in held_by_kind.items()}

    @cached_property
    def by_severity(self) -> Mapping[str, int]:
        """Per severity, the worst first, the number of losses but those of questions."""
        counts = Counter(loss.severity for loss in self.losses if loss.kind != "question")
        return {severity: counts[severity] for severity in SEVERITIES}

    @cached_property
    def fetches(self) -> Mapping[int, Fetch]:
        """Per request (from 0) that lost facts which can be fetched again, what that takes: each result once."""
        wanted: dict[int, set[int]] = {}
        for loss in self.losses:
            if loss.kind in FACTS and loss.fetched_from:
                wanted.setdefault(loss.step, set()).update(loss.fetched_from)
        return {step: fetch_of(self.timeline, results) for step, results in sorted(wanted.items())}

    def fetched_tokens(self) -> list[tuple[int, int, int]]:
        """The same, as `Bill.fetching` takes them: request, tokens of its calls, and of what they find."""
        return [(step, fetch.calls, fetch.results) for step, fetch in self.fetches.items()]

    def loss_of(self, need: Need) -> Loss | None:
        """The loss of one of the needs in `needed`; None if it was met."""
        return self._losses.get((need.kind, need.step, need.value, need.message))

    @cached_property
    def _losses(self) -> Mapping[tuple[str, int, str, int | None], Loss]:
        return {(loss.kind, loss.step, loss.value, loss.needed_by): loss for loss in self.losses}

    def needed_of(self, message: int) -> list[tuple[Need, bool]]:
        """Those of a message's values that later requests needed, the lost ones first, of these the worst."""
        found = [(need, held) for need, held in self.needed if _mentions(need.mentions, message)]
        return sorted(found, key=lambda each: (each[1], self._badness(each[0])))

    def _badness(self, need: Need) -> int:
        loss = self.loss_of(need)
        return loss.badness if loss else 0

    @property
    def references(self) -> Kept:
        return self.kept["reference"]

    @property
    def stars(self) -> Kept:
        """Must-remember messages, each counted once: kept if every later request held it."""
        return self.kept["star"]

    def explain(self, loss: Loss) -> Answer:
        """Why that request doesn't send the message, and what would have kept it."""
        if loss.asked:
            return explain_answer(self.timeline, loss.used_as, loss.step, loss.message)
        return self.timeline.explain(loss.step, loss.message)


def retention(
    timeline: Timeline, *, stars: Iterable[int] | None = None, questions: Sequence[str | Question] = ()
) -> Retention:
    """The needs of a timeline's requests, kept and lost.

    `stars` are indices of `timeline.original`'s messages that must be remembered; without them the conversation's own
    `metadata["stars"]` count. Gold evidence comes from `metadata["evidence"]`: `[{"question": …, "at": index of the
    message that asks, "messages": [indices or ids]}]`; without "at" the question is asked after the last request, as
    `questions` are: planned as the newest user message of a request of its own. Of what it names, the messages there
    are. Raises LoadError for a star on no message.
    """
    starred = track_must_remember(timeline, stars)
    facts = HeldNeeds(timeline)
    found = [*zip(facts.needs, facts.held.tolist(), strict=True), *_evidence(timeline)]
    kept = {kind: _tally(found, kind) for kind in ("reference", "link", "evidence")}
    losses = [_loss_of_fact(timeline, facts, number) for number in np.flatnonzero(facts.held == LOST).tolist()]
    losses += [_loss(timeline, n, [(n.value, n.mentions)]) for n, how in found[len(facts.needs) :] if how == LOST]
    losses += [loss for star in starred if (loss := _star_loss(timeline, star))]
    kept["star"] = Kept(len(starred), sum(not star.gaps for star in starred))
    answers = ask_all(timeline, questions)
    asked = [(answer, m, k) for answer in answers for m, k in zip(answer.messages, answer.kept, strict=True)]
    kept["question"] = Kept(len(asked), sum(k for _, _, k in asked))
    losses += [_question_loss(timeline, answer, m) for answer, m, held in asked if not held]
    losses = sorted(losses, key=lambda loss: (loss.step, KINDS.index(loss.kind), loss.message))
    found.sort(key=lambda each: each[0].step)
    met, in_summary = tuple((need, how != LOST) for need, how in found), tuple(how == BY_SUMMARY for _, how in found)
    return Retention(timeline, kept, tuple(losses), starred, answers, met, in_summary)


# -- references and links


def _tally(found: list[tuple[Need, int]], kind: str) -> Kept:
    how = [h for need, h in found if need.kind == kind]
    return Kept(len(how), len(how) - how.count(LOST), how.count(BY_SUMMARY))


def _mentions(mentions: np.ndarray, message: int) -> bool:
    place = int(mentions.searchsorted(message))
    return place < len(mentions) and int(mentions[place]) == message


def _loss_of_fact(timeline: Timeline, facts: HeldNeeds, number: int) -> Loss:
    """The loss of a reference or link, the same under all settings that lose the same lines of it."""
    gone = facts.lost_said(number)
    known = timeline.conversation.remember(("losses", timeline.counter.key), dict[tuple[object, ...], Loss])
    key = (number, *(value for value, _ in gone))
    if key not in known:
        known[key] = _loss(timeline, facts.needs[number], gone)
    return known[key]


def _loss(timeline: Timeline, need: Need, gone: Sequence[Said]) -> Loss:
    found = severity_of(timeline.conversation, gone)
    loss = Loss(need.kind, need.step, found.message, need.value, need.message, need.used_as)
    return _with_severity(timeline, loss, found)


def _with_severity(timeline: Timeline, loss: Loss, found: Severity) -> Loss:
    """The loss with how bad it is, and what fetching it again takes."""
    tokens = fetch_of(timeline, found.results).tokens if found.results else 0
    return replace(loss, severity=found.name, fetched_from=found.results, fetch_tokens=tokens)


# -- must-remember messages, evidence, questions


def _star_loss(timeline: Timeline, star: MustRemember) -> Loss | None:
    """The first run of requests that lack the must-remember message."""
    if not star.gaps or star.message is None:  # no message of the timeline's to point to
        return None
    first, stop = star.gaps[0]
    loss = Loss("star", first, star.message, star.value, requests=stop - first)
    return _with_severity(timeline, loss, severity_of(timeline.conversation, [(star.value, star.mentions)]))


def _question_loss(timeline: Timeline, asked: AskedQuestion, message: int) -> Loss:
    loss = Loss("question", asked.request, message, timeline.conversation[message].content, None, asked.question)
    return _with_severity(timeline, loss, severity_of(timeline.conversation, [(loss.value, np.array([message]))]))


def _evidence(timeline: Timeline) -> Iterator[tuple[Need, int]]:
    """Every need of gold evidence and its holder, in the request that holds the question."""
    conversation, columns = timeline.conversation, timeline.conversation.columns
    last = len(columns.requests) - 1
    for at, question, messages in _gold(timeline):
        step = last if at is None else min(last, columns.first_request_after(at))
        if step < 0 or not messages:
            continue
        asked = at is None and bool(question) and not timeline.decided_by
        plan = plan_question(timeline, question, step) if asked else timeline.plans[step]
        for i in messages:
            value, mentions = mentions_of_message(conversation, i)
            earlier = mentions[: mentions.searchsorted(plan.size - asked)]
            if len(earlier):
                yield Need("evidence", step, value, earlier, at, question), find_holder(plan, value, earlier)


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
