"""The compaction threshold: reached at exactly its share of the window, everything outside the transcript included."""

from __future__ import annotations

import pytest
from sketches import conv

from historylab.planning.pipeline import plan_history
from historylab.settings.model import Settings

CHAT = "s u:40 a:40 u:40 a:40 u"
OVERHEAD = 100


def compacted(overhead: int, window: int, compaction: str) -> bool:
    settings = Settings(policy="all", pruner="off", compaction=compaction, window=window, threshold=0.5)
    options = {"compaction.preserve_recent.messages": 2, "compaction.preserve_recent.max_share": 0.5}
    return "S" in plan_history(conv(CHAT), settings.replace(overhead=overhead, **options)).sketch()


@pytest.mark.parametrize("compaction", ["at_threshold", "preserve_recent"])
def test_the_threshold_is_reached_by_request_and_overhead_together_and_to_the_token(compaction):
    tokens = plan_history(conv(CHAT), Settings(policy="all", pruner="off")).tokens
    window = 2 * (tokens + OVERHEAD)
    assert compacted(OVERHEAD, window, compaction)
    assert not compacted(OVERHEAD - 1, window, compaction)
    assert not compacted(0, window, compaction)
