"""Thresholds by tokens alone: what a compaction costs, which is chosen, and what may be claimed of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from historylab import as_sent, bill, load, replay, settings_for
from historylab.errors import SettingsError
from historylab.pricing import prices_of
from historylab.tuning.agent_requests import AgentRequests, requests_by_agent, split_histories
from historylab.tuning.compaction_costs import SHORTEST, CompactionCosts, CompactionSizes
from historylab.tuning.evidence import Interval
from historylab.tuning.shares import ratio_interval
from historylab.tuning.threshold_words import threshold_notes, threshold_row, thresholds_headline, tried_rows
from historylab.tuning.thresholds import find_thresholds
from historylab.tuning.tune import tune

SONNET = "claude-sonnet-4-5"
HEADER = "agent,session,model,input_tokens,cache_read_input_tokens,cache_creation_input_tokens,output_tokens\n"


def rows(contexts, *, cached=True, agent="coder", session="s", model=SONNET, output=100) -> str:
    """A session's rows: each request reads the one before whole and writes the rest, or nothing is cached."""
    before, lines = 0, []
    for size in contexts:
        read = min(before, size) if cached else 0
        lines.append(
            f"{agent},{session},{model},{0 if cached else size},{read},{size - read if cached else 0},{output}"
        )
        before = size
    return "\n".join(lines) + "\n"


def table(*sessions: str):
    return load((HEADER + "".join(sessions)).encode())


def growing(step: int, requests: int = 60, begin: int = 10_000) -> list[int]:
    return [begin + step * n for n in range(requests)]


def costs(*sessions: str) -> CompactionCosts:
    (columns,) = requests_by_agent(table(*sessions))
    return CompactionCosts(columns)


def simulated(contexts: list[int], at: int, to: int, *, cached: bool) -> float:
    """The cost of one session, request by request, on its own."""
    found, size, opening = 0.0, 0, contexts[0]
    price = prices_of(SONNET)

    def pay(sent: int, read: int, output: int) -> float:
        new = float(price.cache_write if cached else price.input)
        return ((sent - read) * new + read * float(price.cache_read) + output * float(price.output)) / 1e6

    for n, context in enumerate(contexts):
        whole, shared = size + context - (contexts[n - 1] if n else 0), size if cached else 0
        if n and whole > at:
            left = max(to, opening + SHORTEST)
            found += pay(whole, shared, left - opening)
            whole, shared = left, opening if cached else 0
        found += pay(whole, shared, 100)
        size = whole
    return found


@pytest.mark.parametrize("cached", [True, False])
@pytest.mark.parametrize(("at", "to"), [(40_000, 12_000), (24_000, 18_000), (90_000, 5_000), (10**6, 10**5)])
def test_a_compaction_costs_what_it_comes_to_request_by_request(cached, at, to):
    contexts = [growing(2_000), growing(900, 25, 4_000)]
    several = costs(*(rows(each, cached=cached, session=str(n)) for n, each in enumerate(contexts)))
    expected = [simulated(each, at, to, cached=cached) for each in contexts]
    assert several.of(CompactionSizes(at, to)).cost.tolist() == pytest.approx(expected)


def test_without_a_compaction_it_costs_what_was_sent():
    found = costs(rows(growing(3_000)), rows(growing(500), session="t", cached=False))
    assert found.of(CompactionSizes()).cost.tolist() == pytest.approx(found.as_recorded.tolist())


def test_a_history_the_agent_cut_goes_on_by_what_its_requests_usually_grow_by():
    found = costs(rows([10_000, 20_000, 30_000, 12_000, 22_000]))
    assert found.columns.cut_from_to == (30_000, 12_000)
    assert found.largest == 50_000


@pytest.mark.parametrize(
    ("contexts", "histories"),
    [
        ([10, 20, 30], [[0, 1, 2]]),
        ([80, 90, 30, 40], [[0, 1, 2, 3]]),  # cut
        ([80_000, 500, 81_000, 82_000], [[0, 2, 3], [1]]),  # a title
        ([80_000, 10_000, 50_000, 15_000, 20_000, 81_000], [[0, 5], [1, 2, 3, 4]]),  # a sub-agent that cut its own
        ([60, 70, 80, 30, 40, 50, 60, 70, 80, 90], [[*range(10)]]),  # cut, and as large again
    ],
)
def test_what_stands_between_two_requests_of_a_history_is_beside_it(contexts, histories):
    assert split_histories(contexts) == histories


def sessions(number: int, step: int, **about) -> list[str]:
    return [rows(growing(step + 10 * n), session=str(n), **about) for n in range(number)]


def test_where_the_cache_always_misses_compacting_is_shown_to_cost_far_less():
    (found,) = find_thresholds(table(*sessions(6, 3_000, cached=False)))
    assert (found.saves, found.sessions, found.requests, found.now) == (True, 6, 360, None)
    expected = sum(simulated(growing(3_000 + 10 * n), *found.chosen, cached=False) for n in range(6))
    assert found.change.value == pytest.approx(expected / found.cost)
    assert found.change.low < found.change.value < found.change.high < 0.4


def test_where_the_cache_makes_growth_cheap_nothing_is_claimed():
    (found,) = find_thresholds(table(*(rows(growing(200, 15, 20_000), session=str(n)) for n in range(8))))
    assert (found.saves, found.chosen) == (False, CompactionSizes())
    assert threshold_row(found)[5:] == ("as now", threshold_row(found)[4], "±0% (±0% to ±0%)")
    assert thresholds_headline([found]) == "No other threshold is shown to cost less."


def test_what_might_cost_less_and_is_not_shown_to_is_named_beside_the_cost_as_it_is():
    (found,) = find_thresholds(table(*sessions(6, 3_000, cached=False)))
    unsure = replace(found, change=Interval(0.74, 0.47, 1.01))
    *_, chosen, cost, change = threshold_row(unsure)
    named = threshold_row(found)[5]
    assert (chosen, cost, change) == ("as now", threshold_row(found)[4], f"not shown: {named}, −26% (−53% to +1%)")


def test_of_what_costs_about_as_little_the_one_that_sends_most_is_chosen():
    (found,) = find_thresholds(table(*sessions(6, 3_000)))
    chosen = next(each for each in found.tried if each.compaction == found.chosen)
    near = [each for each in found.tried if each.cost <= 1.05 * min(each.cost for each in found.tried)]
    assert chosen.sent == max(each.sent for each in near)
    assert tried_rows(found)[-1][2:] == ("±0%", "99,238"), "sending all: 10,000 + 3,025 × 29.5"


def test_of_fewer_than_three_sessions_nothing_is_claimed():
    (found,) = find_thresholds(table(*sessions(2, 3_000, cached=False)))
    assert (found.saves, found.chosen, found.change) == (False, None, None)
    assert threshold_row(found)[-1] == "fewer than 3 sessions"


def test_what_an_agent_cut_in_rows_without_a_session_makes_no_sessions():
    (found,) = find_thresholds(table(*(rows(growing(3_000), session="") for _ in range(5))))
    assert (found.sessions, found.now, found.change) == (1, (187_000, 10_000), None)


def test_what_one_session_of_three_alone_would_save_is_not_claimed():
    found = find_thresholds(table(rows(growing(3_000), cached=False), *(rows([9_000], session=n) for n in "tu")))
    assert not found[0].saves


def test_no_request_is_larger_than_the_window():
    wide = costs(*(rows(growing(3_000, 40) + growing(3_000, 60), session=n) for n in "ab"))
    assert wide.largest > 200_000
    assert not wide.of(CompactionSizes()).fits


def test_each_agent_is_apart_and_one_without_a_name_goes_by_its_model():
    found = find_thresholds(table(*sessions(3, 3_000, agent="a"), *sessions(3, 2_000, agent=""), *sessions(1, 9)))
    assert [each.agent for each in found] == ["a", SONNET, "coder"], "the costliest first"


def test_without_a_price_tokens_are_counted_and_the_model_is_named():
    (found,) = find_thresholds(table(*sessions(3, 3_000, model="ours-1")))
    assert not found.priced
    assert found.cost == sum(sum(growing(3_000 + 10 * n)) + 6_000 for n in range(3))
    told = "No price is known for ours-1: their cost is given in tokens."
    assert (thresholds_headline([found]), told in threshold_notes([found])) == (told, False)
    assert told in threshold_notes([found, replace(found, priced=True)])


def test_settings_are_not_tuned_on_what_has_no_text():
    with pytest.raises(SettingsError, match="find_thresholds"):
        tune(table(rows(growing(10))))


def test_long_sessions_and_many_are_no_longer_work_than_their_requests():
    counts = {
        name: np.zeros(200_000, np.int64) for name in ("cache_reads", "cache_writes", "cache_writes_1h", "output")
    }
    counts["context"] = np.tile(np.arange(1, 2_001) * 100, 100)
    starts = np.arange(0, 200_000, 2_000)
    columns = AgentRequests("a", counts, (SONNET,), np.zeros(200_000, np.int64), starts, np.arange(100))
    assert len(CompactionCosts(columns).of(CompactionSizes(50_000, 10_000)).cost) == 100


@pytest.mark.parametrize("number", [3, 8, 30])
def test_bounds_hold_the_ratio_of_all_sessions(number):
    dice = np.random.default_rng(number)
    held = 0
    for _ in range(400):
        wholes = dice.lognormal(0, 0.7, number)
        low, high = ratio_interval((wholes * dice.beta(6, 4, number)).tolist(), wholes.tolist())
        held += low <= 0.6 <= high
    assert held >= 0.92 * 400


@pytest.mark.parametrize("parts", [[], [1.0], [1.0, 2.0], [0.0, 0.0, 0.0]])
def test_too_few_or_nothing_bounds_no_ratio(parts):
    assert ratio_interval(parts, parts) == (0, float("inf"))


@pytest.mark.parametrize("hours", [0, 400, 700])
def test_the_bill_of_a_session_is_what_its_thresholds_stand_beside(hours):
    """Requests that read little and write only a part of the rest, some of it for an hour."""
    header = HEADER.replace("output_tokens", "cache_creation_1h_input_tokens,output_tokens")
    lines = [f"coder,s,{SONNET},{900 + n},{5_000 * n},{700 - hours},{hours},{100 + n}" for n in range(9)]
    found = load((header + "\n".join(lines)).encode())
    (threshold,) = find_thresholds(found)
    for timeline in (replay(found[0], settings_for(found[0])), as_sent(found[0])):
        assert float(bill(timeline).total) == pytest.approx(threshold.cost, rel=1e-9)
    # 8,136 × $3 + 180,000 × $0.30 + 6,300 × $3.75 (for an hour: $6) + 936 × $15, per million
    written = 9 * ((700 - hours) * 3.75 + hours * 6)
    assert threshold.cost == pytest.approx((8_136 * 3 + 180_000 * 0.30 + written + 936 * 15) / 1e6)


def test_what_settings_cut_of_such_a_session_is_priced_as_a_cache_would_have_it():
    (found,) = table(rows(growing(3_000)))
    cut = bill(replay(found, settings_for(found).replace(policy="all", budget=60_000)))
    assert cut.total < bill(replay(found, settings_for(found).replace(policy="all"))).total
    assert bill(as_sent(found), "none").cache_reads.sum() == 0
