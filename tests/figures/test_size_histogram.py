"""The sizes of many requests, beside their limit by its name."""

from __future__ import annotations

from token_sketches import counted

from historylab.figures.size_histogram import size_histogram
from historylab.planning.replay import replay
from historylab.settings.model import Settings
from historylab.tuning.workload import Workload, measure_load


def drawn(**settings) -> str:
    timeline = replay(counted("u5"), Settings(**settings))
    return size_histogram(Workload((measure_load(timeline, None),)), "Sizes")


def test_the_limit_is_the_budget_or_the_window_of_the_model():
    assert ">budget 12</b>" in drawn(budget=12)
    assert ">window 12</b>" in drawn(window=12, compaction="rolling")


def test_a_limit_far_beyond_all_sizes_is_not_drawn():
    assert "hl-limit" not in drawn(budget=60_000)
