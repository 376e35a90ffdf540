"""`message_window`: once there are more than so many messages, the newest few stay, whatever the budget.

What was cut stays cut, so between two cuts the prefix is the same. System messages and pins are not counted. Where the
cut would part a call from its results, they stay together, and more stays than was asked for; from a user message on
(`start`), less does. Frameworks ask their trimmers before each request, or once a turn (`asked`).
"""

from typing import Annotated, Literal

from pydantic import Field

from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import counted_noun, reason
from historylab.planning.strategies.base import Context, KeepTask
from historylab.planning.strategies.counting import NOUNS, Counted, newest_blocks
from historylab.planning.strategies.cutting import carry_cut
from historylab.registry import FINE, register

OUTSIDE = reason("message_window", "Outside the window of the {kept}.", setting="pruner.message_window.keep")
CUT = reason(
    "message_window_cut",
    "Outside the window: cut to the {kept} when there were more than {trigger:,}.",
    setting="pruner.message_window.keep",
)


def phrase(keep: int | None = None, trigger: int | None = None, unit: str | None = None) -> str:
    newest = "newest messages" if keep is None else counted_noun(keep, f"newest {NOUNS[unit or 'messages']}")
    return f"a cut to the {newest}{f' beyond {trigger:,}' if trigger and trigger > (keep or 0) else ''}"


def window_in_words(keep: int, trigger: int, unit: str) -> str:
    once = " once there are more than {trigger}" if trigger > keep else ""
    return f", then [drop all but the newest] {{keep:{NOUNS[unit]}}}{once}"


def carries(*, keep: int = 20, trigger: int = 40, start: str = "any", **_others: object) -> bool:
    """Tell whether a cut lasts: else every request is cut to the newest anew."""
    return trigger > keep or start == "user"


@register(
    "pruner",
    carries=carries,
    reads=("min_turns",),
    title="Newest messages",
    phrase=phrase,
    says=window_in_words,
    from_the_end=True,
)
def message_window(
    plan: HistoryPlan,
    context: Context,
    *,
    keep: Annotated[
        int, Field(ge=1, le=1_000_000, title="Messages that stay", description="newest messages that stay after a cut")
    ] = 20,
    trigger: Annotated[
        int,
        Field(
            ge=0,
            le=1_000_000,
            title="Cut beyond",
            description="messages up to which nothing is cut; no more than those that stay: every request is cut to "
            "these",
        ),
    ] = 40,
    unit: Counted = "messages",
    start: Annotated[
        Literal["any", "user"],
        Field(
            title="What stays begins with",
            description="any message, calls whole with their results; or a user message, where one is among the newest",
            json_schema_extra=FINE,
        ),
    ] = "any",
    asked: Annotated[
        Literal["request", "turn"],
        Field(
            title="When it cuts",
            description="at any request; or at the start of a turn alone: what is said in the newest turn is sent "
            "whole, and not counted",
            json_schema_extra=FINE,
        ),
    ] = "request",
    keep_task: KeepTask = True,
) -> HistoryPlan:
    """Keeps the newest messages once there are more than so many, whatever the budget."""
    lasting = carries(keep=keep, trigger=trigger, start=start)
    why = CUT if trigger > keep else OUTSIDE
    if lasting:
        plan = carry_cut(plan, context, why, keep_task=keep_task)
    most = max(keep, trigger)
    newest = newest_blocks(plan, most + 1, unit, before_turn=asked == "turn")
    if not newest.exceed(most):
        return plan
    roles = context.history.columns.block_role
    first = newest.first_user_of(keep, roles) if start == "user" else newest.first_of(keep)
    kept = counted_noun(keep, f"newest {NOUNS[unit]}") + (", from a user message on" if start == "user" else "")
    numbers = {"trigger": trigger} if why is CUT else {}
    return plan.drop(context.free(plan, keep_task=keep_task).before(first), why, kept=kept, keep=keep, **numbers)
