"""The reason why a request had something or not: who said it, what removed it, what would have kept it.

It is looked for by content, so any copy counts: another message that says it, a shortened text that still does, a
summary. A timeline of any decisions will do, ours or somebody else's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from historylab.conversation.columns import ASSISTANT
from historylab.conversation.compactions import Compaction
from historylab.conversation.conversation import checked_index
from historylab.conversation.sent import is_summary
from historylab.conversation.usage import usage_by_request
from historylab.errors import PlanError
from historylab.planning.given_decisions import FOLDED, GIVEN, LEFT_OUT, NOT_KNOWN, SHORTER, WHOLE
from historylab.planning.pipeline import plan_up_to
from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import BY_MESSAGE, BY_SUMMARY, LOST, Action, Explanation
from historylab.planning.remedy import find_remedy
from historylab.planning.replay import Timeline
from historylab.planning.sent_decisions import GONE, IN_REQUEST, OTHER_TEXT, SUMMED_UP, cut_clause
from historylab.planning.settings_that_keep import find_keeping_settings
from historylab.recall.references import find_needs
from historylab.recall.sayers import find_sayers
from historylab.recall.words import find_words, text_to_search
from historylab.settings.model import Settings

AS_SENT = frozenset(why.rule for why in (IN_REQUEST, OTHER_TEXT, NOT_KNOWN, GONE, SUMMED_UP))
GIVEN_RULES = frozenset(why.rule for why in (GIVEN, WHOLE, SHORTER, FOLDED, LEFT_OUT))
LEAST_UNSEEN = 200  # tokens; fewer may be another way of counting
SHORTEST = 3  # characters: a need of fewer says nothing about the words it is part of


class SaidBy(NamedTuple):
    """A message (from 0) that says it, and who does: "person", "tool", "assistant", "injected" or "system"."""

    message: int
    by: str


@dataclass(frozen=True, slots=True)
class Why:
    """The whole answer; requests and messages from 0.

    Attributes:
        said: the messages that say it, ascending, in the conversation as it was given.
        at_request: the request that is asked about.
        sent: whether a message that the request sent says it; None where the file doesn't tell.
        gone_since: the first request without a copy, of those up to this one; where a summary still has it, the first
            that had it in the summary alone. None where it was sent, or not said yet.
        removed_by: "setting", "cut", "compaction" or "trimmer".
        held_by: "message" or "summary"; None where nothing holds it.
        compaction: the number, among `conversation.recorded.compactions`, of the one that removed it.
        needed_by: the requests whose answers use it after it was said.
        would_keep: complete settings of ours, planned again, under which the request has it.
        holder: the message that holds it, where one does.
        was_sent: whether a request before `gone_since` had it.
        removal: what removed it, in a sentence; or what the file doesn't tell.
        changes: what is other in those settings than in the timeline's, and `more` the tokens they take beyond those
            that were sent (below 0: fewer).
        in_summary: whether under them a summary alone has it.
        unseen: tokens that the request is reported to have had beyond what the file holds.
    """

    said: tuple[SaidBy, ...]
    at_request: int
    sent: bool | None
    gone_since: int | None = None
    removed_by: str | None = None
    held_by: str | None = None
    compaction: int | None = None
    needed_by: tuple[int, ...] = ()
    would_keep: Mapping[str, Any] | None = None
    holder: int | None = None
    was_sent: bool = False
    removal: str = ""
    changes: Mapping[str, Any] | None = None
    more: int | None = None
    in_summary: bool = False
    unseen: int = 0

    @property
    def found(self) -> bool:
        """Tell whether anything ever said it: a message, or else what a request was sent besides."""
        return bool(self.said or self.held_by or self.gone_since is not None)


class _Holder(NamedTuple):
    """The way a request has it: BY_MESSAGE, BY_SUMMARY or LOST; in which message; False if the file doesn't tell."""

    how: int
    message: int | None = None
    known: bool = True


def explain_words(timeline: Timeline, words: str, request: int = -1) -> Why:
    """The reason why a request (from 0 or, if negative, from the end) had these words or not.

    Where nothing ever said them, nothing is `said` and nothing holds them. Raises IndexError where there is no such
    request, and PlanError for a conversation that makes none.
    """
    if not timeline.plans:
        raise PlanError("this conversation makes no request: there is nothing that a model could have been sent")
    return _Search(timeline, words, checked_index(request, len(timeline.plans), "request")).answer()


class _Search:
    """One question of a timeline; the words are looked for in the conversation that it plans."""

    def __init__(self, timeline: Timeline, words: str, request: int):
        self.timeline, self.request, self.plan = timeline, request, timeline.plans[request]
        self.shown = timeline.original if timeline.conversation == timeline.original else timeline.conversation
        self.words, said = find_words(self.shown, words)
        self.copies = np.array(said, np.int64)
        self.first = self.shown.columns.first_request_after(said[0]) if said else 0

    def answer(self) -> Why:
        held = self._holder(self.plan)
        why = Why(self._find_said(), self.request, held.how == BY_MESSAGE, needed_by=self._find_needing())
        why = replace(why, holder=held.message, unseen=self._unseen_tokens())
        if held.how == BY_MESSAGE and held.known:
            return replace(why, held_by="message")
        if held.message is not None and held.how == BY_MESSAGE:
            return replace(why, sent=None, removal=self.plan.reason(held.message).sentence)
        if held.how == BY_SUMMARY:
            why = replace(why, held_by="summary")
        gone = self._find_gone_since(held.how)
        if gone is None:
            return why
        return self._with_settings(self._with_removal(replace(why, gone_since=gone)), held.how)

    def _find_said(self) -> tuple[SaidBy, ...]:
        original = self.timeline.original
        found = self.copies.tolist() if self.shown is original else self.words.among(original)
        sayers = find_sayers(original)
        return tuple(SaidBy(i, sayers.of(self.words.text, i, lambda own, _: self.words.are_in(own))) for i in found)

    def _unseen_tokens(self) -> int:
        reported = self.plan.is_sized and usage_by_request(self.timeline.original)[self.request]
        tokens = self.plan.tokens - self.plan.counted_tokens if reported else 0
        return tokens if tokens >= LEAST_UNSEEN else 0

    # -- what has it

    def _holder(self, plan: HistoryPlan) -> _Holder:
        """The holder in a request: a message that is sent, the surest first, or else a summary."""
        found = [self._as_held(plan, i) for i in self._sent_copies(plan)]
        for other in plan.others:
            if self.words.are_in(text_to_search(other)):
                found.append(_Holder(BY_SUMMARY if is_summary(other) else BY_MESSAGE))
        if plan.summary and self.words.are_in(plan.summary.text):
            found.append(_Holder(BY_SUMMARY))
        return min(found, key=lambda held: (held.how, not held.known), default=_Holder(LOST))

    def _sent_copies(self, plan: HistoryPlan) -> list[int]:
        """The messages that say it in the form they are sent in, the newest first."""
        copies = self._copies_before(plan)
        texts = _shortened_texts(plan, copies if not plan.decided_by else None)
        actions = plan.block_actions[plan.history.columns.block[copies]]
        sent = set(copies[actions <= Action.TRUNCATED].tolist()) - texts.keys()
        conversation = plan.history.conversation
        shorter = (i for i, text in texts.items() if self.words.are_in(text_to_search(conversation[i], text)))
        return sorted((*sent, *shorter), reverse=True)

    def _copies_before(self, plan: HistoryPlan) -> np.ndarray:
        return self.copies[: self.copies.searchsorted(plan.size)]

    def _as_held(self, plan: HistoryPlan, i: int) -> _Holder:
        appended = i not in self.copies and self.shown[i].role == "system"  # an app may write its summary there
        how = BY_SUMMARY if appended or is_summary(self.shown[i]) else BY_MESSAGE
        return _Holder(how, i, not plan.decided_by or plan.reason(i).rule != NOT_KNOWN.rule)

    # -- what would have kept it

    def _with_settings(self, why: Why, how: int) -> Why:
        """The answer with settings under which the request has it, or has it better than in a summary."""
        known = [i for i in self._copies_before(self.plan).tolist() if not is_summary(self.shown[i])]
        if not known:
            return why

        def keeps(plan: HistoryPlan) -> int:
            now = self._holder(plan).how
            return now if now == BY_MESSAGE or how == LOST else LOST

        settings = self.timeline.settings
        if changes := self._find_undo(known[-1]):
            return replace(why, would_keep=_complete(settings.replace(**changes)), changes=changes)
        found = find_keeping_settings(self.timeline.original, settings, self.plan, known[-1], keeps, summaries=True)
        if not found:
            return why
        ours = _complete(settings.replace(**found.changes))
        return replace(why, would_keep=ours, changes=found.changes, more=found.more, in_summary=found.by_summary)

    def _find_undo(self, message: int) -> dict[str, Any] | None:
        """The smallest change of the timeline's own settings under which the request has it, if they decided."""
        stated = self.plan.reason(message)
        if self.plan.decided_by and not (stated.setting or stated.remedy):
            return None
        trial, limit = self.timeline.instruments.offline(), 2 * self.plan.history.total_tokens + self.plan.size

        def explain(settings: Settings) -> Explanation:
            """The explanation in a plan; a message that is sent without the words counts as dropped."""
            plan = plan_up_to(self.timeline.original, settings, trial, self.plan.size)
            found = plan.reason(message)
            has_it = not found.sent or self._holder(plan).how == BY_MESSAGE
            return found if has_it else replace(found, action=Action.DROPPED)

        settings = self.timeline.settings
        return find_remedy(settings, explain(settings), explain, limit + settings.reserve + settings.overhead)

    # -- who needed it

    def _find_needing(self) -> tuple[int, ...]:
        """The requests whose answers say it again, or use a value that is part of it."""
        if not len(self.copies):
            return ()
        columns = self.shown.columns
        again = [i for i in self.copies[1:].tolist() if columns.role[i] == ASSISTANT and not is_summary(self.shown[i])]
        found = {columns.first_request_after(i) - 1 for i in again}
        copies = set(self.copies.tolist())
        for need in (need for step in find_needs(self.shown) for need in step):
            if len(need.value) >= SHORTEST and need.mentions.item(0) in copies and self.words.include(need.value):
                found.add(need.step)
        return tuple(sorted(step for step in found if step >= 0))

    # -- what removed it

    def _find_gone_since(self, how: int) -> int | None:
        """The first request of the run up to this one that has it no better; None where it wasn't said yet."""
        gone = None
        for request in range(self.request, self.first - 1, -1):
            now = self._holder(self.timeline.plans[request]).how
            if now == BY_MESSAGE or (how == LOST and now == BY_SUMMARY):
                break
            gone = request
        return gone if len(self.copies) or gone else None  # in no message: unless an earlier request had it, nowhere

    def _with_removal(self, why: Why) -> Why:
        """The answer with what removed it; a summary that went took its copy along."""
        assert why.gone_since is not None
        gone, plan = why.gone_since, self.timeline.plans[why.gone_since]
        before = self._holder(self.timeline.plans[gone - 1]) if gone > self.first else _Holder(LOST)
        why = replace(why, was_sent=before.how != LOST)
        copies = self._copies_before(plan)
        went = before.message if before.message is not None else copies.item(-1) if len(copies) else None
        stated = None if went is None else plan.reason(went)
        if plan.decided_by and (stated is None or stated.rule in AS_SENT):
            number, cut = self._compaction_at(gone)
            by = "compaction" if why.held_by == "summary" or self._is_compaction(plan, went, cut) else "cut"
            said = f"{cut_clause(cut, plan.decided_by)}." if cut else stated.sentence if stated else ""
            return replace(why, removed_by=by, compaction=number, removal=said)
        theirs = plan.decided_by and (stated is None or stated.rule in GIVEN_RULES)
        said = stated.sentence if stated else ""
        return replace(why, removed_by="trimmer" if theirs else "setting", removal=said)

    def _compaction_at(self, request: int) -> tuple[int | None, Compaction | None]:
        cuts = self.timeline.original.recorded.compactions
        return next(((number, cut) for number, cut in enumerate(cuts) if cut.request == request), (None, None))

    def _is_compaction(self, plan: HistoryPlan, went: int | None, cut: Compaction | None) -> bool:
        """Tell whether a marker or a summary stands for what went; older messages that are missing are a cut."""
        if cut and (not cut.inferred or cut.summary is not None):
            return True
        folded = plan.actions == Action.SUMMARIZED
        if went is None or not folded.any():  # a summary may not say what it is of
            return any(map(is_summary, plan.others))
        return bool(folded[went])


def _shortened_texts(plan: HistoryPlan, among: np.ndarray | None) -> dict[int, str]:
    """The texts that messages are sent with in place of their own; of some messages, or of all."""
    texts = dict[int, str]()
    for cut in plan.shortened:  # of several the last one is what is sent
        messages = cut.messages if among is None else np.intersect1d(cut.messages, among, assume_unique=True)
        texts |= {i: cut.texts[i] for i in messages.tolist()}
    actions = plan.actions if texts else ()
    return {i: text for i, text in texts.items() if actions[i] == Action.TRUNCATED}


def _complete(settings: Settings) -> dict[str, Any]:
    """All that makes these settings, flat: `Settings(**…)` takes it."""
    values = settings.model_dump()
    return {**{name: value for name, value in values.items() if name != "options"}, **values["options"]}
