"""`automatic`: the provider caches by itself, and writing costs nothing. Source: OpenAI's page on prompt caching."""

from historylab.costs.caches.base import Cache
from historylab.registry import register


@register("cache", title="Automatic cache", priced="with an automatic one")
def automatic() -> Cache:
    """As OpenAI's: from 1,024 tokens, in steps of 128, read at a discount."""
    return Cache("automatic", minimum=1024, step=128)
