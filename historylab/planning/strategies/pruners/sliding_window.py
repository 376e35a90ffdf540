"""`sliding_window`: always the last whole turns, whatever the budget; a request over it is reported."""

from typing import Annotated

from pydantic import Field

from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import counted_noun, reason
from historylab.planning.strategies.base import Context, newest_sent_users
from historylab.planning.strategies.cutting import (
    LAST_IN_PAUSE,
    UNTIMED,
    TrimTo,
    WhenCold,
    carries_cut,
    carry_cut,
    moment_of_cut,
)
from historylab.registry import register

Turns = Annotated[int, Field(ge=0, le=1_000_000, title="Turns in the window", description="whole turns that stay")]
OUTSIDE = reason("window", "Outside the window of the {turns:last turns}.", setting="pruner.sliding_window.turns")
_FULL = "Outside the window: cut to the {left:last turns} when there were more than {turns:,}"
CUT_BELOW = {
    "full": reason("window_cut", f"{_FULL}.", setting="pruner.sliding_window.turns"),
    "untimed": reason("window_cut_untimed", f"{_FULL}; {UNTIMED}", setting="pruner.sliding_window.turns"),
    "cold": reason(
        "window_cut_cold",
        f"Outside the window: cut to the {{left:last turns}}, {LAST_IN_PAUSE}",
        setting="pruner.sliding_window.turns",
    ),
}
"""By the moment of the cut."""


def phrase(turns: int | None = None) -> str:
    return f"a window of {counted_noun(turns, 'turns')}" if turns is not None else "a sliding window"


@register(
    "pruner",
    carries=carries_cut,
    reads=("min_turns",),
    title="Sliding window",
    phrase=phrase,
    says=", then [drop all but the last] {turns:turns}",
    from_the_end=True,
)
def sliding_window(
    plan: HistoryPlan, context: Context, *, turns: Turns = 10, trim_to: TrimTo = 1.0, when: WhenCold = "full"
) -> HistoryPlan:
    """Keeps the last turns whole, whatever the budget."""
    left = turns if trim_to == 1 else min(turns, max(1, int(trim_to * turns)))
    if trim_to < 1:
        plan = carry_cut(plan, context, *CUT_BELOW.values())
    sent = newest_sent_users(plan, turns + 1)
    moment = moment_of_cut(len(sent), left, turns, context, when)
    if moment is None:
        return plan
    outside = context.free(plan)
    if left:
        outside = outside.before(sent.item(-left))
    if trim_to == 1:
        return plan.drop(outside, OUTSIDE, turns=turns)
    return plan.drop(outside, CUT_BELOW[moment.name], turns=turns, left=left, **moment.numbers)
