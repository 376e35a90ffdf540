"""`all`: keep everything; cutting is left to the pruner."""

from historylab.registry import register


@register("policy", "all", title="All")
def everything(plan, context):
    """Every message, as far as the budget allows."""
    return plan
