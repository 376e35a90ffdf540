"""The pruner `adaptive`: short turns stay in number, long ones don't, between a least and a most."""

from __future__ import annotations

import pytest
from sketches import conv

from historylab.planning.pipeline import plan_history
from historylab.settings.model import Settings


def plan(conversation: str, budget: int = 1_000, window: int | None = None, **options):
    dotted = {f"pruner.adaptive.{name}": value for name, value in options.items()}
    return plan_history(
        conv(conversation), Settings(policy="all", pruner="adaptive", budget=budget, window=window, **dotted)
    )


def turns_kept(found) -> int:
    return sum(found.sketch()[i] == "K" and m.role == "user" for i, m in enumerate(found.history.conversation))


def test_the_longer_the_turns_the_fewer_of_them_stay():
    kept = [turns_kept(plan(f"u:{words} a:{words} " * 15 + "u")) for words in (10, 30, 90)]
    assert kept == sorted(kept, reverse=True)
    assert len(set(kept)) == 3


def test_the_share_is_of_the_budget_or_of_a_smaller_window():
    conversation = "u:30 a:30 " * 15 + "u"
    assert turns_kept(plan(conversation, budget=4_000)) > turns_kept(plan(conversation, budget=4_000, window=500))
    whole = plan(conversation, budget=4_000)
    assert whole.tokens <= 2_000


def test_never_fewer_than_the_least_and_then_it_says_that_it_is_over():
    found = plan("u:90 a:90 u:90 a:90 u:90 a:90 u", budget=100, least=3)
    assert turns_kept(found) == 3
    assert found.over_budget


def test_never_more_than_the_most_and_the_reason_is_the_one_that_decided():
    found = plan("u a " * 12 + "u", most=5)
    assert turns_kept(found) == 5
    assert found.reason(0).rule == "adaptive_most"
    assert plan("u:90 a:90 " * 12 + "u").reason(0).rule == "adaptive"


@pytest.mark.parametrize("conversation", ["", "a", "a u", "a u a u"])
def test_with_no_more_turns_than_may_stay_nothing_goes(conversation):
    assert "D" not in plan(conversation).sketch()


def test_system_messages_and_pins_take_their_room_first():
    assert turns_kept(plan("u:30 a:30 " * 9 + "u")) > turns_kept(plan("s:200 " + "u:30 a:30 " * 9 + "u"))
