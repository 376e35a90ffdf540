"""Why a message is sent whole although its request is over the budget: protected, or nothing set here cuts it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from historylab.planning.blocks import Ranges, before
from historylab.planning.plan import HistoryPlan
from historylab.planning.planned_blocks import LastWord
from historylab.planning.reasons import Reason, reason
from historylab.planning.strategies.base import first_of_last_turns
from historylab.registry import member
from historylab.settings.model import Settings

_OVER = "though the request is over the budget of {budget:,}."
QUESTION = reason("question", f"The newest user message: never cut, {_OVER}")
NEWEST = reason("newest_block", f"The newest message (a tool call counts with its results): never cut, {_OVER}")
PROTECTED = reason(
    "min_turns", "In the {turns:newest complete turns}, which the pruner may not touch: not cut, " + _OVER
)
SPARED = reason("spared", "Not cut by the pruner “{named}”, " + _OVER)
NO_PRUNER = reason("no_pruner", f"No pruner is set, so nothing cuts it, {_OVER}")


def say_why_uncut(plan: HistoryPlan, settings: Settings) -> HistoryPlan:
    """The same decisions; of a plan over its budget, whatever is still open says why it is sent."""
    if not plan.any_open(before(plan.history.blocks)):
        return plan
    return plan.with_reasons(_why_uncut(settings), _numbers(settings, plan.budget))


@lru_cache(maxsize=64)
def _why_uncut(settings: Settings) -> LastWord:
    def why(plan: HistoryPlan) -> Iterator[tuple[Ranges, Reason]]:
        history, columns = plan.history, plan.history.columns
        yield before(history.blocks), NO_PRUNER if settings.pruner == "off" else SPARED
        if settings.pruner != "off":
            newest = columns.block.item(history.size - 1)
            question = columns.user_blocks.item(history.users - 1) if history.users else newest
            yield Ranges([(first_of_last_turns(plan, settings.min_turns), history.blocks)]), PROTECTED
            yield Ranges([(question, question + 1)]), QUESTION
            yield Ranges([(newest, newest + 1)]), NEWEST

    return why


@lru_cache(maxsize=64)
def _numbers(settings: Settings, budget: int) -> Mapping[int, Mapping[str, Any]]:
    numbers: dict[str, Any] = {"budget": budget, "turns": settings.min_turns, "pruner": settings.pruner}
    numbers["named"] = member("pruner", settings.pruner).title
    return {why.code: numbers for why in (QUESTION, NEWEST, PROTECTED, SPARED, NO_PRUNER)}
