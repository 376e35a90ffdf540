"""The same requests counted otherwise: a preset's own counter decides what is cut, the model's what is paid for."""

from __future__ import annotations

from dataclasses import replace

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Summary
from historylab.counters.base import Counter, count_text, counter_for, model_counter
from historylab.planning.history import History
from historylab.planning.plan import HistoryPlan
from historylab.planning.replay import Timeline
from historylab.planning.texts import Texts


def counter_of_money(timeline: Timeline) -> Counter:
    """The model's own counter, by its token factor; or the caller's, if no setting names the timeline's counter."""
    settings = timeline.settings
    named = counter_for(settings)
    own = named.key == timeline.counter.key
    return model_counter(settings.model, settings.counter_factor) if own else timeline.counter


def recount_timeline(timeline: Timeline, counter: Counter) -> Timeline:
    """The timeline with every decision as it is and every number by `counter`; itself if that is its own."""
    if counter.key == timeline.counter.key:
        return timeline
    recount = _Recount(counter)
    instruments = replace(timeline.instruments, counter=counter)
    return replace(timeline, plans=tuple(map(recount, timeline.plans)), instruments=instruments, derived={})


class _Recount:
    """Counts plans again; each shortened text and each summary once, however many requests send it."""

    def __init__(self, counter: Counter):
        self.counter = counter
        self._texts: dict[int, tuple[Texts, Texts]] = {}  # by id(), with the object that keeps it from being reused
        self._summaries: dict[str, int] = {}

    def __call__(self, plan: HistoryPlan) -> HistoryPlan:
        history = History(plan.history.conversation, self.counter, plan.size)
        new = plan.recounted(history, lambda texts: self._recount_texts(texts, history.conversation))
        new.summary = self._summary(plan.summary) if plan.summary else None
        return new.lay_out(plan.layout) if plan.layout else new

    def _recount_texts(self, texts: Texts, conversation: Conversation) -> Texts:
        if id(texts) not in self._texts:
            self._texts[id(texts)] = (
                texts,
                Texts(conversation, self.counter, texts.given, media=texts.media, every=True),
            )
        return self._texts[id(texts)][1]

    def _summary(self, summary: Summary) -> Summary:
        if summary.text not in self._summaries:
            self._summaries[summary.text] = count_text(self.counter, summary.text)
        return replace(summary, tokens=self._summaries[summary.text])
