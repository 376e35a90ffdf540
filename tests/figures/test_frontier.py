"""The frontier's chart: every candidate once, the line over the best, and nothing in a hover text but words of ours."""

from __future__ import annotations

import pytest

from historylab import Settings, generate, tune
from historylab.figures.frontier import frontier_chart
from historylab.formats.samples import load_sample
from historylab.wording.cuts import changes_in_words

pytestmark = pytest.mark.xdist_group("frontier")  # one process has its advice


@pytest.fixture(scope="module")
def advice():
    return tune(generate("tool_loop", seed=2, rounds=14), wishes="never over 5k", tries=8, name=changes_in_words)


def test_every_candidate_is_a_point_that_names_itself(advice):
    figure = frontier_chart(advice, advice.chosen)
    told = {entry[0]: entry for trace in figure.data if trace.customdata is not None for entry in trace.customdata}
    assert sorted(told) == list(range(len(advice.trials)))
    assert told[0][1] == "FIFO to 8,000"
    assert any("breaks “never over 5,000 tokens”" in entry[2] for entry in told.values())


def bars_and_stars(found):
    traces = frontier_chart(found, found.trials[0]).data
    return [t for t in traces if t.error_x.array is not None], [t for t in traces if t.marker.symbol == "star"]


def test_where_nothing_is_advised_no_point_is_starred(advice):
    assert advice.chosen is not advice.trials[0]
    assert bars_and_stars(advice) == ([], [])


def test_what_is_advised_has_a_star_and_its_intervals_beside_yours():
    advice = tune(load_sample("farewell-lunch")[0], tries=8)
    bars, stars = bars_and_stars(advice)
    beside = advice.beside_base(advice.chosen)
    assert len(bars) == len(stars) == 1
    most = min(1, beside.base_kept + beside.more_kept.high)
    assert bars[0].y[0] + bars[0].error_y.array[0] == pytest.approx(100 * most)
    assert bars[0].x[0] - bars[0].error_x.arrayminus[0] == pytest.approx(beside.base_cost_ratio * beside.cost.low)


def test_the_base_the_best_and_not_trimming_are_named(advice):
    beside_what_was_sent = tune(load_sample("held-for-the-auditors")[0], base="as-sent", tries=2)
    for found, word in ((advice, "yours"), (beside_what_was_sent, "as sent")):
        names = [name for trace in frontier_chart(found, found.trials[0]).data for name in trace.text or ()]
        assert {word, "not trimming"} <= set(names)
        assert len(names) == len(set(names)) <= 6


def test_the_upright_axis_has_its_title_above_it(advice):
    layout = frontier_chart(advice, advice.chosen).layout
    assert layout.yaxis.title.text is None
    assert layout.annotations[0].text.startswith("facts kept")


def test_without_prices_tokens_stand_for_cost():
    advice = tune(load_sample()[0], base=Settings(model="nobodys-model-7"), tries=3)
    figure = frontier_chart(advice, advice.trials[0])
    assert figure.layout.xaxis.title.text == "tokens (1× is not trimming)"
    assert all(0 < x <= 1 for trace in figure.data for x in trace.x)
