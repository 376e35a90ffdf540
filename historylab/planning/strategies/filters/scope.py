"""`scope`: only messages of one scope (channel, dm or thread)."""

from typing import Annotated, Literal

from pydantic import Field

from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import reason
from historylab.planning.strategies.base import Context
from historylab.planning.strategies.facts import column, whole_blocks
from historylab.registry import register

OTHER_SCOPE = reason("scope", "Said in another scope than {scope}.", remedy={"filter": "off"})


@register("filter", title="One scope", facts=("scope",))
def scope(
    plan: HistoryPlan,
    context: Context,
    *,
    scope: Annotated[
        Literal["channel", "dm", "thread"], Field(title="Scope kept", description="the scope kept")
    ] = "channel",
) -> HistoryPlan:
    """Only messages of one scope; messages without a scope stay."""
    history = context.history
    elsewhere = column(
        history.conversation, ("scope", scope), lambda m: m.metadata.get("scope") not in (None, "", scope)
    )
    return plan.drop(whole_blocks(history, elsewhere[: history.size]), OTHER_SCOPE, scope=scope)
