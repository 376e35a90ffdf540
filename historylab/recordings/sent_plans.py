"""A recorded conversation as it was sent: the plans of its requests, as the recording has them.

A line with reasons is drawn from what it says. An older one, which has letters alone, is planned again under the
settings it was sent with.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.recorded import DECIDED, DECISIONS, MODE, NOTED_STATE, SENT_UNDER, UNTRIMMED
from historylab.costs.traffic import NOTHING_CUT
from historylab.counters.base import counter_for
from historylab.formats.requests.purpose import PURPOSES
from historylab.planning.given_decisions import MessageDecisions, plan_given
from historylab.planning.pipeline import open_instruments, open_pipeline, plan_requests, plan_up_to, project
from historylab.planning.plan import HistoryPlan
from historylab.planning.recorded_decisions import RecordedDecisions, has_reasons
from historylab.planning.recorded_state import noted_state
from historylab.planning.replay import Timeline, replay
from historylab.planning.strategies.base import Instruments
from historylab.recordings.exchange import read_settings, run_lengths
from historylab.settings.model import Settings

AUDIT = "audit"


@dataclass(frozen=True, eq=False)
class SentPlans:
    """The timeline, per request whether it was only watched (`audited`: the plan is what would have been sent), and:

    `unrecorded`, the requests (from 0) with an answer that no line is of; `otherwise`, those that were planned again
    and whose recorded decisions are others, as after a change of the program.
    """

    timeline: Timeline
    audited: tuple[bool, ...]
    unrecorded: tuple[int, ...]
    otherwise: tuple[int, ...]


def sent_plans(
    conversation: Conversation, of_newest: Mapping[str, Any] | None = None, *, really: bool = False
) -> SentPlans:
    """The requests as they were sent. What was only watched is as it would have been, or `really`: whole.

    `of_newest` is what an answer to the newest request would say of it, if that failed. No model is called: a summary
    that was written by one and isn't noted is the one made without.
    """
    about = _about_requests(conversation, of_newest)
    if really:
        about = [{**said, MODE: "", UNTRIMMED: AUDIT} if said.get(MODE) == AUDIT else said for said in about]
    settings = _settings(about)
    timeline = _as_recorded(conversation, about, settings)
    return SentPlans(
        timeline,
        tuple(said.get(MODE) == AUDIT for said in about),
        tuple(i for i, said in enumerate(about) if said and MODE not in said),
        _find_differing(about, timeline, (i for i, plan in enumerate(timeline.plans) if not plan.decided_by)),
    )


def decided_otherwise(conversation: Conversation, of_newest: Mapping[str, Any] | None = None) -> tuple[int, ...]:
    """The requests (from 0) about which this version, planning each again, decides otherwise than is on record."""
    about = _about_requests(conversation, of_newest)
    timeline = _planned_again(conversation, _settings(about))
    return _find_differing(about, timeline, range(len(timeline.plans)))


def _find_differing(about: Sequence[Mapping[str, Any]], timeline: Timeline, requests: Iterable[int]) -> tuple[int, ...]:
    """The requests whose plan has other letters than the record."""
    recorded = ((i, about[i].get(DECISIONS)) for i in requests if i < len(about) and not about[i].get(UNTRIMMED))
    return tuple(i for i, runs in recorded if isinstance(runs, str) and runs != run_lengths(timeline.plans[i].sketch()))


def _as_recorded(
    conversation: Conversation, about: Sequence[Mapping[str, Any]], settings: Sequence[Settings]
) -> Timeline:
    """The timeline as recorded; requests whose lines don't say enough are planned again."""
    newest = settings[-1] if settings else Settings()
    shown = project(conversation, newest)
    alike = all(project(conversation, one) is shown for one in {one.key: one for one in settings}.values())
    reasoned = [alike and has_reasons(_recorded_decision(said)) for said in about]
    if not any(reasoned) or len(about) != len(shown.columns.requests):
        return _planned_again(conversation, settings)
    planned = _plan_again(conversation, settings, [i for i, is_known in enumerate(reasoned) if not is_known])
    noted = conversation.metadata.get(NOTED_STATE)
    read = RecordedDecisions(shown, noted if isinstance(noted, Mapping) else {})
    given = list[MessageDecisions | HistoryPlan]()
    for i, size in enumerate(shown.columns.requests.tolist()):
        pipeline, said = open_pipeline(settings[i]), _recorded_decision(about[i])
        given.append(planned[i] if i in planned else read.read(said, size, pipeline.budget, pipeline.layout))
    instruments = Instruments(counter_for(newest))
    apart, plans, digest = plan_given(shown, instruments.counter, given)
    under = tuple(settings) if len({one.key for one in settings}) > 1 else ()
    return Timeline(apart, newest, instruments, plans, conversation, under=under, decided=digest)


def _recorded_decision(said: Mapping[str, Any]) -> Mapping[str, Any]:
    """The decision, as its line has it; empty for a line without reasons, and for a request sent whole after all."""
    decided, cause = said.get(DECIDED), said.get(UNTRIMMED)
    sent_whole = cause and cause not in PURPOSES and said.get(MODE) != AUDIT  # for a purpose, it is what a filter left
    return {**decided, "decisions": said.get(DECISIONS)} if isinstance(decided, Mapping) and not sent_whole else {}


def _plan_again(
    conversation: Conversation, settings: Sequence[Settings], requests: Sequence[int]
) -> dict[int, HistoryPlan]:
    """The plans of these requests (from 0) alone; earlier ones are planned where something is carried from them."""
    shown, found = project(conversation, settings[-1]), dict[int, HistoryPlan]()
    for one in {settings[i].key: settings[i] for i in requests}.values():
        numbers, instruments = [i for i in requests if settings[i].key == one.key], _offline(conversation, one)
        if open_pipeline(one).carries:
            plans = plan_requests(conversation, one, instruments=instruments)
            found |= {i: plan for i, plan in enumerate(islice(plans, numbers[-1] + 1)) if i in set(numbers)}
        else:
            sizes = shown.columns.requests[numbers].tolist()
            found |= {i: plan_up_to(conversation, one, instruments, n) for i, n in zip(numbers, sizes, strict=True)}
    return found


def _planned_again(conversation: Conversation, settings: Sequence[Settings]) -> Timeline:
    """Every request planned under its own settings; where these rewrite the conversation, under the newest."""
    under = dict[str, Timeline]()
    for one in settings:
        if one.key not in under:
            under[one.key] = replay(conversation, one, instruments=_offline(conversation, one))
    if not settings:
        return replay(conversation, Settings(), instruments=_offline(conversation, Settings()))
    newest = under[settings[-1].key]
    if len(under) > 1 and all(timeline.conversation is newest.conversation for timeline in under.values()):
        plans = tuple(under[one.key].plans[i] for i, one in enumerate(settings))
        return replace(newest, plans=plans, under=tuple(settings), derived={})
    return newest


def newest_decision(conversation: Conversation) -> tuple[Settings, bool] | None:
    """The settings of the newest request, and whether it was only watched under them; None if the file doesn't say."""

    def find() -> tuple[Settings, bool] | None:
        for message in reversed(conversation.messages):
            if settings := read_settings(message.metadata.get(SENT_UNDER)):
                return settings, message.metadata.get(MODE) == AUDIT
        return None

    return conversation.remember("newest decision", find)


def _about_requests(conversation: Conversation, of_newest: Mapping[str, Any] | None) -> list[Mapping[str, Any]]:
    about = [_about(conversation, size) for size in conversation.columns.requests.tolist()]
    if about and not about[-1]:
        about[-1] = of_newest or {}
    return about


def _about(conversation: Conversation, size: int) -> Mapping[str, Any]:
    """Metadata of the answer to the request with so much history; empty if there is none yet."""
    answered = size < len(conversation) and conversation[size].role == "assistant"
    return {"role": "assistant", **conversation[size].metadata} if answered else {}


def _settings(about: Sequence[Mapping[str, Any]]) -> list[Settings]:
    """The settings of each request; where nothing is known, those of the one before, or else of the next."""
    known = [read_settings(said.get(SENT_UNDER)) for said in about]
    last = next((one for one in known if one), Settings())
    found = []
    for said, one in zip(about, known, strict=True):
        last = one or last
        untrimmed = said.get(UNTRIMMED) and said.get(MODE) != AUDIT
        found.append(last.replace(**NOTHING_CUT) if untrimmed else last)
    return found


def _offline(conversation: Conversation, settings: Settings) -> Instruments:
    """Instruments with the summaries that were noted; what isn't noted is summarised without a model."""
    instruments = open_instruments(settings, store=noted_state(conversation))
    return replace(instruments, summarizer=instruments.offline().summarizer)
