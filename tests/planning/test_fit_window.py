"""Settings that fit the window: the proposal is true, as it was planned."""

from __future__ import annotations

import pytest
from sketches import conv

from historylab.planning.fit_window import settings_that_fit
from historylab.planning.pipeline import plan_history
from historylab.settings.model import Settings

LONG = conv("s " + "u a " * 60 + "u")
WHOLE = Settings(policy="all", pruner="off", budget=1_000_000)


def proposed(settings: Settings, window, requested=None, conversation=LONG, **locked):
    plan = plan_history(conversation, settings)
    return plan, settings_that_fit(
        conversation,
        plan,
        settings,
        lambda changes: settings.replace(**{**changes, **locked}),
        window=window,
        requested=requested,
    )


def sent_under(settings: Settings, fit) -> int:
    return plan_history(LONG, settings.replace(**fit.changes)).tokens


@pytest.mark.parametrize("settings", [WHOLE, Settings(policy="all", pruner="fifo", budget=1_000_000, reserve=100)])
def test_what_is_proposed_fits_the_window_when_it_is_planned(settings):
    plan, fit = proposed(settings, 500)
    assert plan.tokens > 500
    assert fit is not None
    assert sent_under(settings, fit) + settings.reserve <= fit.tokens <= 500


def test_a_budget_is_enough_where_a_pruner_cuts():
    _, fit = proposed(Settings(policy="all", pruner="fifo", budget=1_000_000), 500)
    assert set(fit.changes) == {"budget"}


def test_the_models_own_count_of_the_request_is_what_the_window_is_compared_with():
    plan, counted_alike = proposed(WHOLE, 500, requested=None)
    _, doubled = proposed(WHOLE, 500, requested=2 * plan.tokens)
    assert doubled.changes["budget"] < counted_alike.changes["budget"]
    assert 2 * sent_under(WHOLE, doubled) <= 500


def test_a_reserve_that_fills_the_window_gives_way():
    settings = Settings(policy="all", pruner="fifo", budget=100_000, reserve=4_096)
    _, fit = proposed(settings, 600)
    assert fit.changes["reserve"] < 300


def test_where_nobody_names_a_window_half_of_what_was_refused_is_tried_and_said_to_be_a_guess():
    plan, fit = proposed(WHOLE, None)
    assert fit.guessed
    assert fit.tokens <= plan.tokens * 0.6


def test_what_is_locked_is_not_proposed_and_what_cannot_fit_is_none():
    _, fit = proposed(WHOLE, 500, pruner="off", tool_output="off")
    assert fit is None
