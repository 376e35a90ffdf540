"""The prefix strip: the share of each request that repeats the previous one byte for byte, and where that ends.

A provider's prompt cache can serve that prefix; where the beginning changes, the prefix ends.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from historylab.costs.traffic import billed_traffic
from historylab.planning.replay import Timeline


@dataclass(frozen=True, eq=False)
class PrefixStrip:
    """Per request: `share` float64 from 0 to 1; `moved` bool, whether its beginning changed."""

    share: np.ndarray
    moved: np.ndarray


def prefix_strip(timeline: Timeline) -> PrefixStrip:
    """The strip of a timeline. The first request shares nothing."""
    if not timeline.plans:
        return PrefixStrip(np.empty(0), np.empty(0, bool))
    seen = billed_traffic(timeline)
    share = np.divide(seen.shared, seen.sent, out=np.zeros(len(seen.sent)), where=seen.sent > 0)
    return PrefixStrip(share, seen.broken)
