"""A comparison in words: what only one of them loses is named, the largest difference is the headline."""

from __future__ import annotations

import pytest
from sketches import load_sample

from historylab import Settings, replay
from historylab.recall.retention import retention
from historylab.tuning.compare import UNTRIMMED, measure_figures, newest_alone
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
