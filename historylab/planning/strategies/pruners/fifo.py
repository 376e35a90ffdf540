"""`fifo`: over the budget, the oldest are dropped until the request fits; with `trim_to`, until it is well below.

Trimming to just what fits moves the cut again and again, which can cost more than not trimming at all: what
follows the cut is no longer in the provider's prompt cache (docs/evidence.md).
"""

from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import reason
from historylab.planning.strategies.base import UP_TO, Context, KeepTask, request_budget
from historylab.planning.strategies.cutting import (
    LAST_IN_PAUSE,
    UNTIMED,
    TrimTo,
    Unit,
    When,
    carries_cut,
    carry_cut,
    moment_of_cut,
    oldest_blocks,
)
from historylab.registry import register

OVER_BUDGET = reason(
    "budget", "Oldest first: {before}the request had {tokens:,} tokens, the budget allows {budget:,}.", setting="budget"
)
_DOWN = "Oldest first, down to {goal:,} tokens, "
_FULL = f"{_DOWN}last when {{before}}the request had {{tokens:,}} and the budget allowed {{budget:,}}"
CUT_BELOW = {
    "full": reason("budget_cut", f"{_FULL}.", setting="budget"),
    "untimed": reason("budget_cut_untimed", f"{_FULL}: {UNTIMED}", setting="budget"),
    "turn": reason(
        "budget_cut_turn",
        f"{_DOWN}last at the start of a turn, when {{before}}the request had {{tokens:,}} and the budget allowed "
        "{{budget:,}}.",
        setting="budget",
    ),
    "cold": reason("budget_cut_cold", f"{_DOWN}{LAST_IN_PAUSE}", setting="budget"),
}
"""By the moment of the cut."""


@register(
    "pruner",
    carries=carries_cut,
    reads=("min_turns",),
    title="Oldest first",
    phrase="FIFO{to}",
    says=f"{UP_TO} [drop the oldest turns]",
    from_the_end=True,
)
def fifo(
    plan: HistoryPlan,
    context: Context,
    *,
    unit: Unit = "turn",
    keep_task: KeepTask = True,
    trim_to: TrimTo = 1.0,
    when: When = "full",
) -> HistoryPlan:
    """Drops the oldest turns until the request fits the budget."""
    if trim_to < 1:
        plan = carry_cut(plan, context, *CUT_BELOW.values(), keep_task=keep_task)
    goal = int(trim_to * plan.budget)
    moment = moment_of_cut(plan.tokens, goal, plan.budget, context, when)
    if moment is None:
        return plan
    blocks = oldest_blocks(plan, context, plan.tokens - goal, unit, keep_task=keep_task)
    outside, settings = _outside(plan, context), context.settings
    before = "" if settings.layout == "off" else "before its layout "  # which may send less
    numbers = {"tokens": plan.tokens + outside, "budget": request_budget(settings), "before": before}
    if trim_to == 1:
        return plan.drop(blocks, OVER_BUDGET, **numbers)
    return plan.drop(blocks, CUT_BELOW[moment.name], goal=goal + outside, **numbers, **moment.numbers)


def _outside(plan: HistoryPlan, context: Context) -> int:
    """Tokens of the whole request that the plan leaves room for: the overhead, and what a layout adds."""
    return max(request_budget(context.settings), context.settings.overhead) - plan.budget
