"""The bar of a request's context: every kind as wide as its tokens, with its number beside it."""

from __future__ import annotations

import re

import pytest

from historylab import Settings, replay
from historylab.figures.context_bar import context_bar
from historylab.formats.samples import load_sample
from historylab.planning.context_fill import context_fill, context_limit

SAMPLE = load_sample("lamp-through-the-night")[0]


@pytest.mark.parametrize(
    "chosen", [Settings(budget=1500, reserve=100), Settings(compaction="at_threshold", window=3000, overhead=200)]
)
def test_widths_and_numbers_are_those_of_the_request(chosen):
    timeline = replay(SAMPLE, chosen)
    limit = context_limit(timeline)
    for number in (0, len(timeline.plans) - 1):
        drawn, filled = context_bar(timeline, number, "key"), context_fill(timeline, number)
        widths = {kind: float(width) for kind, width in re.findall(r'data-kind="(\w+)" style="width:([\d.]+)%', drawn)}
        told = re.findall(r"([\d,]+)(?:, |$)", re.search(r'title="([^"]+)"', drawn)[1])
        assert [int(number.replace(",", "")) for number in told] == [tokens for tokens in filled.values() if tokens]
        for kind, width in widths.items():
            assert width == pytest.approx(100 * filled[kind] / limit.scale, abs=0.001)


def test_threshold_budget_and_a_limit_that_is_passed_are_marked():
    compacting = Settings(compaction="at_threshold", window=4000, budget=2000)
    drawn = context_bar(replay(SAMPLE, compacting), 0, "key")
    assert "hl-at-threshold" in drawn
    assert "hl-at-budget" in drawn
    assert "hl-at-limit" not in drawn
    assert "hl-at-limit" in context_bar(replay(SAMPLE, Settings(budget=100)), 0, "key")
