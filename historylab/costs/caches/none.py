"""`none`: nothing is cached."""

from dataclasses import dataclass

import numpy as np

from historylab.costs.caches.base import NO_CACHE, Cache
from historylab.registry import register


@dataclass(frozen=True)
class NoCache(Cache):
    """Reads nothing, whatever its numbers."""

    def reads(self, sent: np.ndarray, shared: np.ndarray, idle: np.ndarray) -> np.ndarray:
        return np.zeros_like(sent)


@register("cache", title="No cache", caching="no", priced="without a prompt cache")
def none() -> Cache:
    """Every token at full price."""
    return NoCache(NO_CACHE)
