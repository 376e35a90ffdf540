"""The tool-output stage `clear`: all but the newest results, a batch at a time, and never one that is to stay."""

from __future__ import annotations

import pytest
from sketches import conv

from historylab.costs.traffic import traffic
from historylab.planning.pipeline import plan_history
from historylab.planning.replay import replay
from historylab.settings.model import Settings

ALTERNATING = "u a(t:40) a(t:40) a(t:40) a(t:40)"


def clearing(keep: int, batch: int) -> Settings:
    options = {"tool_output.clear.keep": keep, "tool_output.clear.batch": batch}
    return Settings(policy="all", pruner="off", tool_output="clear", **options)


@pytest.mark.parametrize(
    ("keep", "batch", "expected"),
    [
        (1, 1, "KKTKTKTKK"),
        (1, 2, "KKTKTKKKK"),
        (1, 3, "KKTKTKTKK"),
        (1, 4, "KKKKKKKKK"),
        (0, 2, "KKTKTKTKT"),
        (4, 1, "KKKKKKKKK"),
        (9, 1, "KKKKKKKKK"),
    ],
)
def test_only_whole_batches_of_the_oldest_results_are_cleared(keep, batch, expected):
    assert plan_history(conv(ALTERNATING), clearing(keep, batch)).sketch() == expected


@pytest.mark.parametrize(("keep", "expected"), [(3, "KKKKK"), (2, "KKTKK"), (1, "KKTTK"), (0, "KKTTT")])
def test_of_parallel_results_the_newest_stay_whole(keep, expected):
    assert plan_history(conv("u a(t:40 t:40 t:40)"), clearing(keep, 1)).sketch() == expected


@pytest.mark.parametrize(("batch", "breaks"), [(1, 5), (2, 2), (3, 1), (6, 0)])
def test_the_prefix_breaks_once_per_batch(batch, breaks):
    timeline = replay(conv("u " + "a(t:40) " * 6), clearing(1, batch))
    assert traffic(timeline).breaks == breaks
