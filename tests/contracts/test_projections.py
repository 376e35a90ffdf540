"""Every projection sees only what was said: a request is planned alike while it is made and when it is replayed."""

from __future__ import annotations

import pytest
from api_rules import counted, refusals
from conversation_strategies import conversations, settings
from hypothesis import given
from hypothesis import settings as examples
from sketches import conv

from historylab import registry
from historylab.conversation.conversation import Conversation
from historylab.planning.pipeline import plan_history, project
from historylab.planning.plan import HistoryPlan
from historylab.planning.replay import replay
from historylab.settings.model import Settings

PROJECTIONS = sorted(registry.members("projection"))
SKETCHES = [
    "s u a(t) s a s u a(t t) a u a u",
    "a u a(t) u a(t) a(t) u",
    "u a(t _) u a(_) a s u a",
    "u a a s u a(t) a u",
]


def stated(plan: HistoryPlan) -> tuple:
    """All that a plan says."""
    why = [plan.reason(i) for i in range(plan.size)]
    return plan.sketch(), why, plan.tokens, plan.over_budget, plan.render()


def cuts(conversation: Conversation) -> list[Conversation]:
    """The conversation up to each of its requests."""
    return [conversation.edited(conversation[:size]) for size in conversation.columns.requests.tolist()]


@pytest.mark.parametrize("name", PROJECTIONS)
@pytest.mark.parametrize("sketch", SKETCHES)
def test_what_is_shown_of_a_request_is_what_was_planned_when_it_was_made(name, sketch):
    chosen = Settings(policy="all", pruner="off", projection=name)
    conversation = conv(sketch)
    shown = replay(conversation, chosen).plans
    assert [stated(plan_history(cut, chosen)) for cut in cuts(conversation)] == [stated(plan) for plan in shown]


@pytest.mark.parametrize("name", PROJECTIONS)
def test_and_so_it_is_for_any_conversation_under_any_settings(name):
    @examples(max_examples=60)
    @given(conversations(max_size=14), settings(projection=name))
    def nobody_is_heard_early(conversation, chosen):
        shown = {plan.size: plan for plan in replay(conversation, chosen).plans}
        whole = project(conversation, chosen).messages
        for cut in cuts(conversation):
            now = project(cut, chosen)
            assert now.messages == whole[: len(now)]
            if len(now) in shown:
                plan = plan_history(cut, chosen)
                assert stated(plan) == stated(shown[len(now)])
                assert plan.tokens == counted(plan)
                assert refusals(plan.render()) == []

    nobody_is_heard_early()
