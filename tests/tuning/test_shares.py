"""An interval for a share over conversations holds the share of all those it was drawn from."""

from __future__ import annotations

from statistics import fmean

import pytest
from pools import coverage, pools

import historylab
from historylab.tuning import share_interval
from historylab.tuning.shares import wilson_interval

POOLS = pools()


@pytest.mark.parametrize(("conversations", "widest"), [(3, 0.95), (5, 0.70), (8, 0.50), (15, 0.36), (30, 0.28)])
def test_it_holds_the_share_of_all_conversations_and_is_no_wider_than_that_takes(conversations, widest):
    found = {name: coverage(share_interval, pool, conversations, draws=150) for name, pool in POOLS.items()}
    means, together, widths = zip(*found.values(), strict=True)
    assert min(fmean(means), fmean(together)) >= 0.93
    assert {name: each for name, each in found.items() if min(each[:2]) < 0.87} == {}
    assert fmean(widths) <= widest


@pytest.mark.parametrize("parts", [[], [(98, 100)], [(98, 100), (1, 2)], [(3, 3), (4, 4), (0, 0)]])
def test_fewer_than_three_conversations_with_needs_say_nothing(parts):
    assert historylab.share_interval(parts) == (0, 1)


def test_where_all_is_kept_one_may_still_keep_nothing():
    low, high = share_interval([(9, 9)] * 30)
    assert (0.85 < low < 0.95, high) == (True, 1)
    assert share_interval([(0, 9)] * 30) == (0, pytest.approx(1 - low))


def test_a_conversation_says_the_same_however_much_it_needed():
    few, many = ([(size, size), (size, size), (0, size)] for size in (1, 99))
    assert share_interval(few) == pytest.approx(share_interval(many))


def test_both_readings_of_a_share_are_within():
    low, high = share_interval([(500, 500)] * 2 + [(1, 2)] * 20)
    assert low < (2 + 20 * 0.5) / 22 < 1020 / 1040 < high


def test_independent_trials_have_wilsons_interval():
    assert wilson_interval(1, 20) == (pytest.approx(0.839, abs=1e-3), 1)
    assert wilson_interval(0, 20) == (0, pytest.approx(0.161, abs=1e-3))


@pytest.mark.parametrize("impossible", [(5, 3), (-1, 3), (1, -2)])
def test_what_is_no_share_is_refused_and_gets_no_interval(impossible):
    with pytest.raises(ValueError, match="is no share"):
        share_interval([(1, 2), (2, 2), impossible])
