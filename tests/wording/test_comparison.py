"""A comparison in words: what only one of them loses is named, the largest difference is the headline."""

from __future__ import annotations

import pytest
from sketches import load_sample

from historylab import Settings, generate, replay
from historylab.recall.retention import retention
from historylab.tuning.compare import UNTRIMMED, failures_of, measure_figures, newest_alone
from historylab.wording.comparison import (
    ALONE,
    Lane,
    compare_in_rows,
    comparison_headline,
    sentence_beside,
)
from historylab.wording.headline import quoted_loss


def lane(letter: str, **settings: object) -> Lane:
    timeline = replay(load_sample("farewell-lunch")[0], Settings(**settings))
    return letter, measure_figures(timeline), retention(timeline)


@pytest.fixture(scope="module")
def whole() -> Lane:
    return lane("A", **UNTRIMMED)


@pytest.fixture(scope="module")
def newest() -> Lane:
    return lane("B", **newest_alone(12))


def test_a_fact_that_only_one_of_them_loses_is_named(whole, newest):
    _, figures, found = newest
    said = sentence_beside(newest, whole)
    assert f"but loses {figures.facts_lost} more facts (“" in said
    assert any(f"“{quoted_loss(found, loss)}” among them" in said for loss in found.losses)
    assert "“" not in sentence_beside(whole, newest)


def test_the_headline_is_the_sentence_on_the_largest_difference(whole, newest):
    same = (whole[1], "B does the same as A.")
    assert comparison_headline([whole[1], same[0], newest[1]], [same[1], "C loses more."]) == "C loses more."
    assert comparison_headline([whole[1]], []) == ALONE


def test_a_loss_that_another_never_has_is_worse_and_two_that_never_come_are_the_same(whole, newest):
    (cells,) = (
        cells for row, cells in compare_in_rows([whole[1], whole[1], newest[1]]) if row.title == "First message dropped"
    )
    assert [cell.shown for cell in cells[:2]] == ["never", "never"]
    assert (cells[1].delta, cells[2].verdict) == ("same", "worse")


def newest_six(messages):
    return messages[-6:]


def beside_newest_six():
    loop = generate("tool_loop", turns=2, rounds=8, seed=7)
    theirs, ours = replay(loop, trimmer=newest_six), replay(loop, Settings(pruner="fifo", budget=3_000))
    return [(letter, measure_figures(each), retention(each)) for letter, each in (("A", theirs), ("B", ours))]


def test_a_trimmer_that_is_refused_is_named_with_what_ours_does_better():
    theirs, ours = beside_newest_six()
    said = sentence_beside(ours, theirs)
    assert said.startswith(f"A (newest_six) sends {theirs[1].orphans} tool results without their call")
    assert said.endswith("is never refused.")
    assert f"sends {theirs[1].orphans} tool results without their call" in sentence_beside(theirs, ours)


def test_refusals_have_a_row_only_where_there_is_one():
    theirs, ours = beside_newest_six()
    rows = {row.title: cells for row, cells in compare_in_rows([theirs[1], ours[1]])}
    assert [cell.shown for cell in rows["Refused"]] == [str(theirs[1].refused), "0"]
    assert rows["Refused"][1].verdict == "better"
    assert "Failed" not in rows
    assert "Refused" not in {row.title for row, _ in compare_in_rows([ours[1], ours[1]])}


def test_tokens_and_cost_are_of_the_requests_that_both_know():
    def fails_early(messages):
        if len(messages) < 12:
            raise ValueError("too few")
        return messages

    loop = generate("tool_loop", turns=2, rounds=8, seed=7)
    theirs, ours = replay(loop, trimmer=fails_early), replay(loop, Settings(policy="all", pruner="off"))
    failed = failures_of([theirs, ours])
    figures = [measure_figures(each, without=failed) for each in (theirs, ours)]
    assert [each.failed for each in figures] == [len(failed), 0]
    assert figures[0].tokens_total == figures[1].tokens_total > 0
    assert figures[1].cost < measure_figures(ours).cost
