"""`off`: the stage that does nothing, in every slot but policy."""

from historylab.registry import register


@register("filter")
@register("tool_output")
@register("compaction")
@register("pruner")
def off(plan, context):
    """Does nothing."""
    return plan
