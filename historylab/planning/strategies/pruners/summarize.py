"""`summarize`: over the budget, the oldest turns are folded into one summary, until it fits."""

from typing import Annotated

from pydantic import Field

from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import Action, reason
from historylab.planning.strategies.base import UP_TO, Context
from historylab.planning.strategies.cutting import LAST_IN_PAUSE, UNTIMED, Unit, When, moment_of_cut, oldest_blocks
from historylab.planning.strategies.folding import FOR_BUDGET, NO_ROOM, READS, carry_over, fold
from historylab.registry import FINE, register

Share = Annotated[
    float,
    Field(
        gt=0,
        le=1,
        title="Largest share of a summary",
        description="share of the budget a summary may take at most",
        json_schema_extra=FINE,
    ),
]
TrimTo = Annotated[
    float,
    Field(
        gt=0,
        le=1,
        title="Cut down to",
        description="share of the budget to come down to, so that the next turns fit without another summary",
        json_schema_extra=FINE,
    ),
]

FOLDED = {
    "full": FOR_BUDGET,
    "untimed": reason("summary_untimed", f"{FOR_BUDGET.sentence[:-1]}: {UNTIMED}", setting="budget"),
    "turn": reason(
        "summary_turn",
        "Folded into the summary made at the start of a turn, when the history had {tokens:,} tokens.",
        setting="budget",
    ),
    "cold": reason("summary_cold", f"Folded into the summary, {LAST_IN_PAUSE}", setting="budget"),
}
"""By the moment at which they were folded."""


@register(
    "pruner",
    carries=True,
    reads=("min_turns", *READS),
    title="Summarise the oldest",
    phrase="summarising{to}",
    says=f"{UP_TO} [summarise the oldest turns]",
)
def summarize(
    plan: HistoryPlan,
    context: Context,
    *,
    max_share: Share = 0.25,
    trim_to: TrimTo = 0.75,
    unit: Unit = "turn",
    when: When = "full",
) -> HistoryPlan:
    """Folds the oldest turns into one summary until the request fits the budget."""
    carried, goal = carry_over(plan, context, *FOLDED.values()), int(trim_to * plan.budget)
    moment = moment_of_cut(carried.tokens, goal, plan.budget, context, when)
    if moment is None:
        return carried
    room = int(max_share * plan.budget)
    excess = carried.tokens - carried.summary_tokens + room - goal
    blocks = oldest_blocks(carried, context, excess, unit)
    rest = carried.tokens - carried.summary_tokens - carried.tokens_of(blocks)
    folded = fold(carried, context, blocks, min(room, plan.budget - rest), FOLDED[moment.name], **moment.numbers)
    if folded.summary is carried.summary and moment.early:  # no text fits: wait until something has to go
        return carried
    if folded.tokens <= plan.budget or folded.summary is plan.summary:
        return folded
    if plan.tokens <= plan.budget:  # since lastN dropped most of what the summary stands for, it takes more room
        return plan
    blocks = oldest_blocks(
        plan, context, plan.tokens - plan.budget, unit
    )  # not even the summary fits beside what must stay
    return plan.drop(plan.among(blocks) | (plan.open & (folded.block_actions == Action.SUMMARIZED)), NO_ROOM)
