"""The search space: answers worth trying, no locked setting, no two candidates that do the same."""

from __future__ import annotations

import pytest

from historylab.settings.effect import has_effect
from historylab.settings.model import Settings
from historylab.tuning.search_space import AXES, USUAL, Sizes, offered_axes, starting_points, vary_one_axis

SIZES = Sizes(tokens=30_000, users=83, tools=True)


def budgets(base: Settings, sizes: Sizes = SIZES) -> list[int]:
    return [answer["budget"] for answer in AXES["budget"].answers(base, sizes)]


def test_a_search_begins_with_the_settings_there_are_and_tries_no_two_that_do_the_same():
    base = Settings(budget=5000)
    found = starting_points(base, USUAL, SIZES)
    assert found[0] == base
    assert found[1] == base.replace(policy="all", pruner="off")
    assert len(found) == len({settings.key for settings in found})
    for settings in found:
        assert all(has_effect(settings, name) for name in settings.options)
        assert settings.policy == "lastN" or settings.length == base.length


def test_budgets_are_that_in_effect_doubled_and_halved_whatever_a_young_conversation_holds():
    assert budgets(Settings(budget=8000)) == [4000, 8000, 16_000, 32_000, 64_000]
    young = Sizes(tokens=700, users=3, tools=False)
    assert budgets(Settings(budget=8000), young) == [8000]


def test_a_budget_too_small_to_have_cut_half_of_what_is_seen_is_not_tried():
    assert budgets(Settings(budget=64_000), Sizes(40_000, 9, tools=False)) == [4000, 8000, 16_000, 64_000, 130_000]


def test_budgets_leave_the_history_its_room_beside_what_is_reserved_and_stay_within_the_window():
    base = Settings(budget=18_500, reserve=500, overhead=10_000, window=40_000)
    assert budgets(base) == [14_500, 18_500, 26_500]


def test_a_limit_that_is_wished_for_is_tried_as_a_budget():
    assert 3000 in {settings.budget for settings in starting_points(Settings(), USUAL, SIZES, peak=3000)}


def test_simple_strong_settings_are_tried_whatever_the_budget_in_effect():
    strong = {"policy": "all", "pruner": "fifo", "budget": 32_000, "pruner.fifo.trim_to": 0.5}
    base = Settings(policy="all", budget=96_000)
    assert 32_000 not in budgets(base)
    assert base.replace(**strong) in starting_points(base, USUAL, SIZES)


@pytest.mark.parametrize("locked", [("budget",), ("policy",), ("pruner",), ("tool_output", "length")])
def test_settings_of_the_environment_never_vary(locked):
    base = Settings(policy="lastN", pruner="relevance", budget=777, length=7)
    near = vary_one_axis(base, base, AXES, SIZES, locked=locked)
    for settings in [*starting_points(base, AXES, SIZES, locked=locked), *(s for some in near.values() for s in some)]:
        assert [settings.value(name) for name in locked] == [base.value(name) for name in locked]


def test_axes_of_members_that_cannot_be_chosen_are_not_offered():
    base = Settings(policy="all", pruner="relevance")
    names = [axis.name for axis in offered_axes(base, SIZES, ("policy", "pruner", "compaction"))]
    assert names == ["budget", "tool_output", "min_turns"]
    assert "tool_output" not in [axis.name for axis in offered_axes(base, Sizes(900, 4, tools=False))]


def test_a_conversation_of_nothing_can_be_searched():
    assert starting_points(Settings(), AXES, Sizes(0, 0, tools=False))


def test_around_a_candidate_one_axis_varies_at_a_time():
    base = Settings()
    chosen = base.replace(pruner="sliding_window", **{"pruner.sliding_window.trim_to": 0.5})
    found = vary_one_axis(chosen, base, USUAL, SIZES)
    assert {settings.value("pruner.sliding_window.trim_to") for settings in found["cut"]} == {0.75, 1.0}
    assert {settings.value("pruner.sliding_window.when") for settings in found["when"]} == {"cold"}
    assert {settings.pruner for settings in found["pruner"]} == {"fifo", "summarize", "relevance", "off"}
    assert 8000 not in {settings.budget for settings in found["budget"]}
