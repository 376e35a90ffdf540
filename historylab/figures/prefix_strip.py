"""The prefix strip: how much of each request begins just as the one before did, and where the cut moved.

That beginning is what a provider's prompt cache can serve again; a cut that moves ends it there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from historylab.costs.traffic import traffic
from historylab.planning.replay import Timeline


@dataclass(frozen=True, eq=False)
class PrefixStrip:
    """Per column: `share` float64 from 0 to 1, the least in the bin; `moved` bool, whether the cut moved in it."""

    share: np.ndarray
    moved: np.ndarray


def prefix_strip(timeline: Timeline, columns: np.ndarray) -> PrefixStrip:
    """The strip of a timeline over bins of requests given by their edges. The first request has nothing before it."""
    if not timeline.plans:
        return PrefixStrip(np.empty(0), np.empty(0, bool))
    seen = traffic(timeline)
    share = np.divide(seen.shared, seen.sent, out=np.zeros(len(seen.sent)), where=seen.sent > 0)
    starts = columns[:-1]
    return PrefixStrip(np.minimum.reduceat(share, starts), np.logical_or.reduceat(seen.broken, starts))
