"""A request over its budget says what fills it and what would mend it, and that is so."""

from __future__ import annotations

import dataclasses

import pytest
from conversation_strategies import conversations, settings
from hypothesis import given
from hypothesis import settings as examples
from sketches import conv

from historylab import replay
from historylab.planning.over_budget import OverBudget
from historylab.planning.pipeline import open_instruments, plan_up_to
from historylab.planning.reasons import FITS, Action
from historylab.planning.strategies.compaction.base import WAITS
from historylab.settings.model import Settings


def cause(sketch: str, **chosen) -> OverBudget:
    found = replay(conv(sketch), Settings(**{"policy": "all", **chosen})).over_budget_cause(-1)
    assert found
    return found


@examples(max_examples=60)
@given(conversations(max_size=12), settings())
def test_the_parts_are_the_request_and_the_mend_makes_it_fit(conversation, chosen):
    timeline = replay(conversation, chosen)
    for number, plan in enumerate(timeline.plans):
        found = timeline.over_budget_cause(number)
        assert (found is not None) == plan.over_budget
        if found:
            assert sum(found.parts.values()) == found.tokens == plan.tokens
            assert found.why in found.sentence
            for changes in filter(None, (found.remedy, found.alternative)):
                changed = chosen.replace(**changes)
                assert not plan_up_to(conversation, changed, open_instruments(changed), plan.size).over_budget
                assert f"{next(iter(changes))}" in found.mend


@examples(max_examples=60)
@given(conversations(max_size=12), settings())
def test_over_the_budget_nothing_is_said_to_be_free_to_stay(conversation, chosen):
    for plan in replay(conversation, chosen).plans:
        kept = {plan.reason(i).rule for i in range(plan.size) if plan.actions[i] == Action.KEPT}
        if plan.over_budget:
            assert FITS.rule not in kept
        else:
            assert kept <= {FITS.rule, WAITS.rule}


def test_what_the_pruner_may_not_cut_is_named():
    found = cause("s u a u:300 a(t:900)", budget=800)
    assert list(found.parts)[:3] == [
        "the newest tool call and its results",
        "the newest user message",
        "system messages",
    ]
    assert found.why == "The pruner may not cut any of it."
    assert found.remedy["budget"] == found.tokens


def test_a_long_tool_result_may_be_cut_instead():
    found = cause("s u a(t:4000)", budget=7000)
    assert found.alternative == {"tool_output": "truncate"}
    assert found.mend == f"A budget of {found.tokens:,} would do, or tool_output = truncate."


def test_a_rule_that_pins_too_much_may_go():
    found = dataclasses.replace(cause("s u a(t:4000)", budget=7000), alternative={"pin": ""})
    assert found.mend.endswith(" would do, or no pin.")


def test_without_a_pruner_one_is_offered():
    found = cause("s u:90 a:90 u", budget=100, pruner="off")
    assert found.why == "No pruner is set, so nothing is cut to fit."
    assert found.alternative == {"pruner": "fifo"}


def test_a_window_may_be_larger_than_the_budget():
    found = cause("s u:90 a:90 u", budget=100, pruner="sliding_window")
    assert found.why == "The pruner “Sliding window” cuts no more than this, whatever the budget."


def test_fewer_protected_turns_are_offered():
    found = cause("s u:90 a:90 u:90 a:90 u", budget=500, min_turns=2)
    assert found.why == "The pruner may not touch the newest 2 complete turns."
    assert found.alternative == {"min_turns": 1}


def test_reserve_and_overhead_may_take_it_all():
    found = cause("u", budget=100, reserve=60, overhead=50)
    assert found.why == "Reserve and overhead (110) take the whole budget of 100."
    assert found.remedy["budget"] == found.tokens + 110


@pytest.mark.parametrize(
    ("sketch", "chosen", "message", "said"),
    [
        ("s u:90 a u:90", {}, -1, "The newest message (a tool call counts with its results): never cut"),
        ("s u:90 a(t)", {}, 1, "The newest user message: never cut"),
        ("s u:90 a u", {"min_turns": 1}, 2, "In the newest complete turn, which the pruner may not touch: not cut"),
        ("s u:90 a u", {"pruner": "off"}, 1, "No pruner is set, so nothing cuts it"),
        ("s u:90 a u", {"pruner": "sliding_window"}, 1, "Not cut by the pruner “Sliding window”"),
    ],
)
def test_a_message_says_why_it_is_not_cut(sketch, chosen, message, said):
    plan = replay(conv(sketch), Settings(policy="all", budget=75, overhead=30, reserve=5, **chosen)).plans[-1]
    over = "though the request is over the budget, which allows 70."
    assert plan.reason(range(plan.size)[message]).sentence == f"{said}, {over}"


def test_a_budget_is_found_although_the_summary_grows_with_it():
    conversation = conv("s" + " u:60 a:60" * 40 + " u:90")
    chosen = Settings(policy="all", budget=60, pruner="off", compaction="rolling")
    chosen = chosen.replace(**{"compaction.rolling.max_share": 0.9, "compaction.rolling.messages": 4})
    found = replay(conversation, chosen).over_budget_cause(-1)
    assert found
    assert found.remedy
    assert not replay(conversation, chosen.replace(**found.remedy)).over_budget[-1]


def test_no_budget_at_all_is_said_to_be_none():
    assert cause("s u a u", budget=0).why == "The budget is 0."
