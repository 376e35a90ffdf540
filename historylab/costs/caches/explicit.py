"""`explicit`: the caller sets breakpoints and pays for writes. Source: Anthropic's page on prompt caching."""

from historylab.costs.caches.base import Cache
from historylab.registry import register


@register("cache", title="Explicit cache", priced="with an explicit one")
def explicit() -> Cache:
    """As Anthropic's: what is new is written at a premium, the rest read; five minutes."""
    return Cache("explicit", minimum=1024, writes=True)
