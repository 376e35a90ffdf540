"""Why a message is sent whole although its request is over the budget: protected, or nothing set here cuts it."""

from __future__ import annotations

from collections.abc import Iterator

from historylab.planning.blocks import Ranges, before
from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import Reason, reason
from historylab.planning.strategies.base import first_of_last_turns, request_budget
from historylab.registry import member
from historylab.settings.model import Settings

_OVER = "though the request is over the budget, which allows {budget:,}."
QUESTION = reason("question", f"The newest user message: never cut, {_OVER}")
NEWEST = reason("newest_block", f"The newest message (a tool call counts with its results): never cut, {_OVER}")
PROTECTED = reason(
    "min_turns", "In the {turns:newest complete turns}, which the pruner may not touch: not cut, " + _OVER
)
SPARED = reason("spared", "Not cut by the pruner “{named}”, " + _OVER)
NO_PRUNER = reason("no_pruner", f"No pruner is set, so nothing cuts it, {_OVER}")


CODES = tuple(why.code for why in (QUESTION, NEWEST, PROTECTED, SPARED, NO_PRUNER))


class WhyUncut:
    """Of a plan over its budget: why whatever is still open is sent."""

    def __init__(self, settings: Settings):
        self._settings, self._title = settings, member("pruner", settings.pruner).title

    def said_of(self, plan: HistoryPlan) -> HistoryPlan:
        """The same decisions, with these reasons."""
        if not plan.any_open(before(plan.history.blocks)):
            return plan
        numbers = {
            "budget": request_budget(self._settings),
            "turns": self._settings.min_turns,
            "pruner": self._settings.pruner,
            "named": self._title,
        }
        return plan.with_reasons(self, dict.fromkeys(CODES, numbers))

    def __call__(self, plan: HistoryPlan) -> Iterator[tuple[Ranges, Reason]]:
        history, columns, settings = plan.history, plan.history.columns, self._settings
        yield before(history.blocks), NO_PRUNER if settings.pruner == "off" else SPARED
        if settings.pruner != "off":
            newest = columns.block.item(history.size - 1)
            question = columns.user_blocks.item(history.users - 1) if history.users else newest
            yield Ranges([(first_of_last_turns(plan, settings.min_turns), history.blocks)]), PROTECTED
            yield Ranges([(question, question + 1)]), QUESTION
            yield Ranges([(newest, newest + 1)]), NEWEST
