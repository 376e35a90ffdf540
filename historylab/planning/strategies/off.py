"""`off`: the member that does nothing, in every slot but policy."""

from historylab.registry import register


@register("filter")
@register("tool_output")
@register("compaction")
@register("pruner")
def off(plan, context):
    """Does nothing."""
    return plan


@register("projection", "off")
@register("layout", "off")
def unchanged(messages):
    """Messages as they are."""
    return messages
