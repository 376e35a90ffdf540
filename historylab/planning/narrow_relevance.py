"""What left the pruner `relevance` little to choose from: a stage before it had most of the history go already.

`lastN` in front of it is the usual one. Relevance then ranks the newest messages alone, and an early fact is lost
whatever the question is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.planning.pipeline import plan_up_to
from historylab.planning.plan import HistoryPlan
from historylab.planning.strategies.base import Instruments
from historylab.settings.model import Settings

MOST = 0.5  # share of the messages that went before, from which it is worth a word
BY_AGE = {"policy": ("lastMessages", "lastN", "none"), "filter": ("newest", "time_window"), "compaction": ()}
"""Families whose members go by age, with the names of those that do; of a compaction all."""


@dataclass(frozen=True, slots=True)
class NarrowRelevance:
    """A request under the pruner `relevance` of whose `messages` most were `gone` before it could choose.

    `stage` is the family and name of the stage that had most of them go; `mend` are settings without it under which
    messages are sent that now are not, verified; empty if there are none.
    """

    stage: tuple[str, str]
    gone: int
    messages: int
    mend: Mapping[str, Any]


def narrow_relevance(
    conversation: Conversation, settings: Settings, instruments: Instruments, plan: HistoryPlan
) -> NarrowRelevance | None:
    """The stage that leaves `relevance` less than half of the messages; None if there is none, or another pruner."""
    if settings.pruner != "relevance":
        return None
    stages = {_family_and_name(trace.stage): trace.changed for trace in plan.trace}
    by_age = {stage: changed for stage, changed in stages.items() if _goes_by_age(*stage)}
    if sum(by_age.values()) < MOST * plan.size or not plan.size:
        return None
    stage = max(by_age, key=lambda each: by_age[each])
    mend = _without(settings, *stage)
    trial = plan_up_to(conversation, settings.replace(**mend), instruments.offline(), plan.size)
    better = bool((trial.sent & ~plan.sent).any()) and not (trial.over_budget and not plan.over_budget)
    return NarrowRelevance(stage, sum(by_age.values()), plan.size, mend if better else {})


def _family_and_name(stage: str) -> tuple[str, str]:
    family, _, name = stage.partition(": ")
    return family, name


def _goes_by_age(family: str, name: str) -> bool:
    return family in BY_AGE and (not BY_AGE[family] or name in BY_AGE[family])


def _without(settings: Settings, family: str, name: str) -> dict[str, Any]:
    """The setting that leaves this stage out."""
    if family == "policy":
        return {"policy": "all"}
    rest = [each for each in settings.value(family).split("+") if each.strip() != name]
    return {family: "+".join(rest) or "off"}
