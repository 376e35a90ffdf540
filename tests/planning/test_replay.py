"""Replay: every request of a conversation, what each sends and what changed since the one before."""

from __future__ import annotations

import numpy as np
from conversation_strategies import conversations, settings
from hypothesis import given
from hypothesis import settings as examples
from sketches import conv

from historylab import replay
from historylab.conversation.conversation import Conversation
from historylab.planning.reasons import Action
from historylab.planning.steps import KINDS
from historylab.settings.model import Settings

LONG = Settings(policy="all", budget=10**6)


def sketches(conversation: str, **chosen) -> list[str]:
    return [step.plan.sketch() for step in replay(conv(conversation), Settings(**chosen)).steps]


def test_one_step_for_each_request():
    assert sketches("s a u a u a(t t) a u", length=1) == ["PKK", "PDDDK", "PDDDKKKK", "PDDDDDDDDK"]


def test_a_conversation_without_requests_has_no_steps():
    timeline = replay(Conversation(), Settings())
    assert (timeline.steps, timeline.tokens.tolist(), timeline.actions().shape) == ((), [], (0, 0))
    assert all(len(row) == 0 for row in timeline.tokens_by_kind.values())
    assert replay(conv("a"), Settings()).steps == ()


def test_only_system_messages_still_make_the_next_request():
    (step,) = replay(conv("s s"), Settings()).steps
    assert (step.turn, step.label, step.plan.sketch()) == (-1, "before the first user message", "PP")


def test_steps_know_their_turn_and_place_in_it():
    timeline = replay(conv("s u a(t) a(t) a u a"), LONG)
    assert [(s.turn, s.request_in_turn, s.requests_in_turn) for s in timeline.steps] == [
        (0, 1, 3), (0, 2, 3), (0, 3, 3), (1, 1, 1),
    ]  # fmt: skip
    assert [s.label for s in timeline.steps][1:] == ["turn 1, request 2 of 3", "turn 1, request 3 of 3", "turn 2"]


def test_what_changed_since_the_request_before():
    steps = replay(conv("s u a u a u"), Settings(length=1)).steps
    assert [(s.changed.entered, s.changed.left, s.changed.folded) for s in steps] == [
        ((0, 1), (), ()),
        ((3,), (1,), ()),  # the answer at 2 never was in a request
        ((5,), (3,), ()),
    ]


def test_what_is_folded_into_a_summary_is_said_to_be():
    timeline = replay(conv("s " + "u a " * 12, words=30), Settings(policy="all", pruner="summarize", budget=500))
    folded = [i for step in timeline.steps for i in step.changed.folded]
    assert folded
    assert len(folded) == len(set(folded))
    assert not any(step.changed.left for step in timeline.steps)


@examples(max_examples=60)
@given(conversations(), settings())
def test_the_figures_of_a_timeline_agree_with_its_plans(conversation, chosen):
    timeline = replay(conversation, chosen)
    kinds = timeline.tokens_by_kind
    assert set(kinds) == {*KINDS, "framing"}
    assert (sum(kinds.values(), np.zeros(len(timeline.plans), int)) == timeline.tokens).all()
    assert timeline.over_budget.tolist() == [p.tokens > p.budget for p in timeline.plans]
    actions = timeline.actions()
    for column, step in enumerate(timeline.steps):
        assert {kind: row[column] for kind, row in kinds.items()} == step.tokens_by_kind
        assert actions[: step.size, column].tolist() == step.plan.actions.tolist()
        assert (actions[step.size :, column] == 255).all()
        sent = set(np.flatnonzero(step.plan.actions <= Action.TRUNCATED).tolist())
        assert set(step.changed.entered) <= sent
        assert not {*step.changed.left, *step.changed.folded} & sent


@examples(max_examples=40)
@given(conversations(), settings())
def test_the_changes_of_a_timeline_add_up_to_its_plans(conversation, chosen):
    timeline = replay(conversation, chosen)
    changes, now = timeline.changes, np.zeros((2, len(timeline.conversation)), np.uint8)
    for request, plan in enumerate(timeline.plans):
        new = changes.request == request
        now[:, changes.place[new]] = changes.action[new], changes.reason[new]
        assert now[:, : plan.size].tolist() == [plan.actions.tolist(), plan.reasons.tolist()]
    assert (np.diff(changes.request) >= 0).all()
    assert all((np.diff(changes.place[changes.request == request]) > 0).all() for request in set(changes.request))


@examples(max_examples=40)
@given(conversations(), settings())
def test_replaying_again_gives_the_same(conversation, chosen):
    afresh = Conversation(conversation)
    one, another = replay(conversation, chosen), replay(afresh, chosen)
    assert [p.sketch() for p in one.plans] == [p.sketch() for p in another.plans]
    assert [p.summary for p in one.plans] == [p.summary for p in another.plans]


def test_untrimmed_is_without_what_no_api_takes_as_is_whatever_is_sent():
    orphans = Conversation([m for m in conv("u:20 a(t:90) u a") if not m.tool_calls])
    timeline = replay(orphans, LONG)
    assert timeline.plans[-1].sketch() == "KDK"
    assert timeline.untrimmed.tolist() == timeline.tokens.tolist()
    assert timeline.untrimmed_contexts.tolist() == timeline.contexts.tolist()


def test_untrimmed_is_what_everything_would_cost():
    conversation = conv("s u a(t) a u a")
    assert replay(conversation, LONG).tokens.tolist() == replay(conversation, Settings(length=1)).untrimmed.tolist()


def test_a_timeline_and_its_plans_print_in_one_short_line():
    conversation = Conversation(conv("s" + " u a" * 600), "A long chat")
    timeline = replay(conversation, Settings(pruner="fifo", budget=100, reserve=0))
    assert repr(timeline) == "Timeline('A long chat', 1,201 messages, 600 requests)"
    plan = timeline.plans[-1]
    sent = len(plan.render())
    assert repr(plan) == f"HistoryPlan({sent} of 1,200 messages sent, {plan.tokens} of 100 tokens)"
    assert len(repr(timeline.steps[-1])) < 400
