"""`off`: the member that does nothing, in every slot but policy."""

from collections.abc import Sequence

from historylab.conversation.message import Message
from historylab.planning.plan import HistoryPlan
from historylab.planning.strategies.base import Context
from historylab.registry import register


@register("filter", from_the_end=True)
@register("tool_output", from_the_end=True)
@register("compaction", from_the_end=True)
@register("pruner", says=", then [cut nothing more]", from_the_end=True)
def off(plan: HistoryPlan, context: Context) -> HistoryPlan:
    """Does nothing."""
    return plan


@register("projection", "off")
@register("layout", "off")
def unchanged(messages: Sequence[Message]) -> list[Message]:
    """Messages as they are."""
    return list(messages)
