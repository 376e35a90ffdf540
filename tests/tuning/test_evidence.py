"""Evidence: the chance that settings do no worse than the base on further requests."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from historylab.tuning.evidence import ClusterSums, Comparison, Limits, compare_sums


def beside_base(
    held: Sequence[int],
    cost: float = 0.8,
    *,
    needed: int = 10,
    exposure: float = 0.5,
    noted: int = 0,
    limits: Limits | None = None,
) -> Comparison:
    """Runs that held so many of their needs, for so much of the base's cost."""
    runs = len(held)
    many, whole = np.full(runs, float(needed)), np.full(runs, 2.0)
    ours = ClusterSums(many, np.array(held, float), np.full(runs, noted), np.full(runs, cost), whole)
    base = ClusterSums(many, many / 2, np.zeros(runs), np.full(runs, 1.0), whole)
    return compare_sums(ours, base, [(0, 0, runs)], 0, limits or Limits(), exposure=exposure)


def test_what_lost_nothing_and_never_sends_less_holds():
    assert beside_base(10 * [5], exposure=0).holds == 1


def test_where_less_is_sent_a_loss_may_come_that_was_never_seen():
    found = beside_base(10 * [5])
    assert found.more_kept.low == found.more_kept.high == 0  # no draw of what was seen shows one
    assert 0.7 < found.holds < 0.85


def test_what_was_withheld_for_a_short_while_has_had_no_time_to_be_missed():
    chances = [beside_base(10 * [5], exposure=each).holds for each in (0.1, 0.7, 2, 10)]
    assert chances == sorted(chances, reverse=True)
    assert chances[0] > 0.9
    assert chances[-1] < 0.4


def test_a_chance_is_told_of_two_thirds_of_all_requests_so_far_wherever_it_was_read():
    runs = ClusterSums(*(np.ones(10) for _ in range(5)))
    whole, late = (compare_sums(runs, runs, [(0, first, 90)], 0, Limits(), exposure=0) for first in (0, 60))
    assert (whole.requests, whole.further, late.requests, late.further) == (90, 60, 30, 60)


def test_gains_make_surer_than_no_loss_seen_and_losses_less_sure():
    chances = [beside_base([5 + each] * 3 + [5] * 7).holds for each in (-1, 0, 1, 3)]
    assert chances == sorted(chances)
    assert chances[0] < 0.2
    assert chances[-1] > 0.9


def test_as_many_losses_as_gains_say_nothing():
    assert 0.3 < beside_base([4, 6] * 5).holds < 0.7


def test_the_same_gain_in_one_run_is_less_sure_than_in_several():
    assert beside_base([10] + 9 * [5]).holds < beside_base(5 * [6] + 5 * [5]).holds


def test_what_costs_more_does_not_hold_however_much_it_keeps():
    assert beside_base(10 * [10], cost=1.1).holds == 0


def test_half_a_point_of_what_is_kept_is_no_loss():
    lost_one_in_a_thousand = beside_base(10 * [499], needed=1_000, exposure=0)
    assert lost_one_in_a_thousand.more_kept.value < 0
    assert lost_one_in_a_thousand.holds == 1


def test_what_only_a_summary_holds_is_counted_but_decides_nothing():
    by_messages, by_summary = beside_base(10 * [7], exposure=0), beside_base(10 * [7], noted=3, exposure=0)
    assert by_summary.more_kept == by_messages.more_kept
    assert (by_summary.noted, by_summary.surely_more) == (0.3, pytest.approx(-0.1))
    assert (by_messages.holds, by_summary.holds) == (1, 0)


def test_what_is_asked_to_be_kept_is_part_of_what_the_chance_speaks_of():
    asked = Limits(less_kept=1.0, least_kept=0.95)
    lax, strict = (beside_base(10 * [9], limits=limits).holds for limits in (Limits(less_kept=1.0), asked))
    assert (lax, strict) == (1, 0)
    assert beside_base(10 * [10], limits=asked).holds > 0.5
