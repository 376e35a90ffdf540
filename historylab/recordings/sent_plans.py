"""A recorded conversation as it was sent: the plans of its requests, each under the settings it was sent with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.recorded import DECISIONS, MODE, SENT_UNDER, UNTRIMMED
from historylab.costs.traffic import NOTHING_CUT
from historylab.planning.pipeline import open_instruments
from historylab.planning.recorded_state import noted_state
from historylab.planning.replay import Timeline, replay
from historylab.recordings.exchange import read_settings, run_lengths
from historylab.settings.model import Settings

AUDIT = "audit"


@dataclass(frozen=True, eq=False)
class SentPlans:
    """The timeline, per request whether it was only watched (`audited`: the plan is what would have been sent), and:

    `unrecorded`, the requests (from 0) with an answer that no line is of; `otherwise`, those whose recorded decisions
    are others than these plans', as after a change of the program.
    """

    timeline: Timeline
    audited: tuple[bool, ...]
    unrecorded: tuple[int, ...]
    otherwise: tuple[int, ...]


def sent_plans(conversation: Conversation, of_newest: Mapping[str, Any] | None = None) -> SentPlans:
    """The requests as they were sent. Where settings rewrite the conversation, all are planned under the newest.

    `of_newest` is what an answer to the newest request would say of it, if that failed.
    No model is called: a summary that was written by one and isn't noted is the one made without.
    """
    about = [_about(conversation, size) for size in conversation.columns.requests.tolist()]
    if about and not about[-1]:
        about[-1] = of_newest or {}
    settings, under = _settings(about), dict[str, Timeline]()
    for one in settings:
        if one.key not in under:
            under[one.key] = _replay(conversation, one)
    newest = under[settings[-1].key] if settings else _replay(conversation, Settings())
    mixed = len(under) > 1 and all(timeline.conversation is newest.conversation for timeline in under.values())
    if mixed:
        plans = tuple(under[one.key].plans[i] for i, one in enumerate(settings))
        newest = replace(newest, plans=plans, under=tuple(settings), derived={})
    decided = [said.get(DECISIONS) for said in about]
    return SentPlans(
        newest,
        tuple(said.get(MODE) == AUDIT for said in about),
        tuple(i for i, said in enumerate(about) if said and MODE not in said),
        tuple(
            i
            for i, (plan, sketch) in enumerate(zip(newest.plans, decided, strict=False))
            if isinstance(sketch, str) and not about[i].get(UNTRIMMED) and sketch != run_lengths(plan.sketch())
        ),
    )


def newest_decision(conversation: Conversation) -> tuple[Settings, bool] | None:
    """The settings of the newest request, and whether it was only watched under them; None if the file doesn't say."""

    def find() -> tuple[Settings, bool] | None:
        for message in reversed(conversation.messages):
            if settings := read_settings(message.metadata.get(SENT_UNDER)):
                return settings, message.metadata.get(MODE) == AUDIT
        return None

    return conversation.remember("newest decision", find)


def _about(conversation: Conversation, size: int) -> Mapping[str, Any]:
    """What the answer to the request with so much history says of it; empty if there is none yet."""
    answered = size < len(conversation) and conversation[size].role == "assistant"
    return {"role": "assistant", **conversation[size].metadata} if answered else {}


def _settings(about: list[Mapping[str, Any]]) -> list[Settings]:
    """The settings of each request; where nothing is known, those of the one before, or else of the next."""
    known = [read_settings(said.get(SENT_UNDER)) for said in about]
    last = next((one for one in known if one), Settings())
    found = []
    for said, one in zip(about, known, strict=True):
        last = one or last
        untrimmed = said.get(UNTRIMMED) and said.get(MODE) != AUDIT
        found.append(last.replace(**NOTHING_CUT) if untrimmed else last)
    return found


def _replay(conversation: Conversation, settings: Settings) -> Timeline:
    """The replay with the summaries that were noted; what isn't noted is summarised without a model."""
    instruments = open_instruments(settings, store=noted_state(conversation))
    offline = replace(instruments, summarizer=instruments.offline().summarizer)
    return replay(conversation, settings, instruments=offline)
