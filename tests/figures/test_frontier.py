"""The frontier's chart: every candidate once, the line over the best, and nothing in a hover text but words of ours."""

from __future__ import annotations

import pytest

from historylab.figures.frontier import frontier_chart
from historylab.formats.samples import load_sample
from historylab.settings.model import Settings
from historylab.tuning.recommend import recommend
from historylab.tuning.sweep import grid, sweep
from historylab.wording.cuts import changes_in_words


@pytest.fixture(scope="module")
def table():
    axes = {"budget": [500, 2000, 8000], "pruner": ["fifo", "relevance"]}
    return sweep(load_sample("tide-tables-agent")[0], grid(Settings(policy="all"), **axes))


@pytest.mark.parametrize("dark", [False, True])
def test_every_candidate_is_a_point_that_names_itself(table, dark):
    found = recommend(table, "never over 1k, cheapest", name=changes_in_words)
    figure = frontier_chart(found, found.points[0], found.choice, dark=dark)
    told = {entry[0]: entry for trace in figure.data if trace.customdata is not None for entry in trace.customdata}
    assert sorted(told) == list(range(len(found.points)))
    assert told[0][1] == "FIFO to 500"
    assert any("breaks “never over 1,000 tokens”" in entry[2] for entry in told.values())


def test_without_prices_tokens_stand_for_cost():
    table = sweep(load_sample()[0], grid(Settings(model="nobodys-model-7"), budget=[500, 8000]))
    found = recommend(table)
    xs = [x for trace in frontier_chart(found, None, None).data for x in trace.x]
    assert found.cost_is == "tokens_total"
    assert all(0 < x <= 1 for x in xs)
