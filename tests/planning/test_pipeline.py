"""Properties of every plan, for any conversation and any settings."""

from __future__ import annotations

import numpy as np
import pytest
from api_rules import can_be_sent, counted, refusals
from conversation_strategies import conversations, settings
from hypothesis import given
from hypothesis import settings as examples
from sketches import conv

from historylab import registry
from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message, ToolCall
from historylab.errors import PlanError
from historylab.planning.history import History
from historylab.planning.pins import pin_rules
from historylab.planning.pipeline import Pipeline, open_instruments, plan_history, plan_requests
from historylab.planning.reasons import Action
from historylab.planning.strategies.base import Context, Instruments
from historylab.settings.model import Settings, stage_options

WISHES = {"pruner.fifo.keep_task": True, "policy.lastN.late_results": "keep"}
NO_OTHER_WISH = {name: value for name, value in WISHES.items() if name in stage_options()}
PRUNERS = sorted(registry.members("pruner"))


def sketch(conversation: str | Conversation, **chosen) -> str:
    conversation = conv(conversation) if isinstance(conversation, str) else conversation
    return plan_history(conversation, Settings(**{"policy": "all", **chosen})).sketch()


@examples(max_examples=150)
@given(conversations(), settings())
def test_a_request_is_true_about_its_tokens_and_nothing_in_it_would_be_refused(conversation, chosen):
    for plan in plan_requests(conversation, chosen):
        assert plan.tokens == counted(plan)
        assert plan.budget == max(0, chosen.budget - chosen.reserve - chosen.overhead)
        assert plan.over_budget == (plan.tokens > plan.budget)
        assert plan.tokens == plan.sent_tokens.sum() + plan.summary_tokens + plan.framing
        assert refusals(plan.render()) == []


@examples(max_examples=60)
@given(conversations(), settings(preserve_system_messages=True))
def test_system_messages_and_what_is_pinned_are_always_sent(conversation, chosen):
    rules = pin_rules(chosen)
    for plan in plan_requests(conversation, chosen):
        for i, message in enumerate(conversation[: plan.size]):
            if message.role == "system" or message.pinned or (rules and rules.rule_for(message, i, None)):
                assert plan.actions[i] == Action.PINNED or plan.reason(i).rule in ("invalid", "shown_only")


@pytest.mark.parametrize("pruner", PRUNERS)
def test_task_and_newest_block_survive_every_policy_but_none_and_every_pruner(pruner):
    @examples(max_examples=30)
    @given(
        conversations(),
        settings(policy="lastN", pruner=pruner, filter="off", compaction="off", tool_output="off", **NO_OTHER_WISH),
    )
    def survive(conversation, chosen):
        for plan in plan_requests(conversation, chosen):
            newest, columns = plan.size - 1, plan.history.columns
            users = columns.users[columns.users < plan.size]
            preserved = chosen.preserve_system_messages or conversation[newest].role != "system"
            preserved &= not conversation[newest].shown_only
            if can_be_sent(plan) and preserved:
                assert plan.actions[newest] <= Action.TRUNCATED
            if len(users):
                assert plan.actions[users[-1]] <= Action.TRUNCATED

    survive()


@pytest.mark.parametrize("pruner", ["fifo", "summarize"])
def test_over_budget_only_when_what_is_left_may_not_be_taken(pruner):
    @examples(max_examples=60)
    @given(conversations(), settings(pruner=pruner, compaction="off", tool_output="off", layout="off"))
    def goes_as_far_as_it_may(conversation, chosen):
        instruments = open_instruments(chosen)
        for plan in plan_requests(conversation, chosen, instruments=instruments):
            if plan.over_budget:
                protected = Context(plan.history, chosen, instruments, None).protected(plan)
                assert not (plan.open & ~protected).any()
                assert plan.summary is None

    goes_as_far_as_it_may()


@examples(max_examples=60)
@given(conversations(max_size=12), conversations(max_size=6), conversations(max_size=6), settings())
def test_a_plan_looks_only_at_messages_already_said(said, one_end, another_end, chosen):
    one = Conversation([*said, *one_end])
    another = Conversation([*said, *another_end])
    plans = {p.size: p for p in plan_requests(one, chosen)}
    for plan in plan_requests(another, chosen):
        if plan.size in plans and plan.size <= len(said):
            assert fate(plan) == fate(plans[plan.size])


@examples(max_examples=60)
@given(conversations(), settings())
def test_planning_one_request_gives_the_plan_of_the_replay(conversation, chosen):
    for plan in list(plan_requests(conversation, chosen))[-4:]:
        alone = plan_history(Conversation(conversation[: plan.size]), chosen)
        assert fate(alone) == fate(plan)


def fate(plan):
    sentences = [plan.reason(i).sentence for i in range(plan.size)]
    return plan.sketch(), sentences, plan.tokens, plan.budget, plan.summary


class Tally:
    """A counter that remembers how often it was asked about each message."""

    key, label, exact, per_request = "tally", "a test", False, 3

    def __init__(self):
        self.asked: dict[int, int] = {}

    def count(self, messages):
        for message in messages:
            self.asked[id(message)] = self.asked.get(id(message), 0) + 1
        return np.array([len(m.content) for m in messages], np.int64)


@pytest.mark.parametrize("pruner", PRUNERS)
def test_each_message_is_counted_once_whatever_is_replayed(pruner):
    conversation, tally = conv("s " + "u a(t t) a " * 20), Tally()
    for budget in (50, 200, 800):
        chosen = Settings(pruner=pruner, budget=budget, length=5)
        instruments = Instruments(tally, *_the_rest_of(open_instruments(chosen)))
        assert len(list(plan_requests(conversation, chosen, instruments=instruments))) == 40
    assert {tally.asked[id(m)] for m in conversation} == {1}


def _the_rest_of(instruments: Instruments) -> tuple:
    return instruments.summarizer, instruments.relevance


@pytest.mark.parametrize(
    ("conversation", "plan"),
    [
        ("", ""),
        ("s", "P"),
        ("s s", "PP"),
        ("a", "K"),
        ("s a", "PK"),
        ("u", "K"),
        ("s u a", "PKK"),
        ("s u a(t t)", "PKKKK"),
        ("s u a(t _)", "PKKK"),  # the newest block may still wait
        ("s u a(t _) u", "PKDDK"),  # nobody will answer it now
        ("t u", "DK"),
        ("u t a", "KDK"),
        ("u! a u", "PKK"),
    ],
)
def test_what_every_plan_starts_with(conversation, plan):
    assert sketch(conversation) == plan


def test_an_empty_conversation_costs_the_framing_and_has_one_honest_plan():
    plan = plan_history(Conversation(), Settings(budget=2))
    assert (plan.tokens, plan.render(), plan.over_budget) == (3, [], True)


def call(*ids: str) -> Message:
    return Message("assistant", "", tool_calls=tuple(ToolCall(i, "f") for i in ids))


def result(of: str) -> Message:
    return Message("tool", f"result of {of}", tool_call_id=of)


USER, ANSWER = Message("user", "q"), Message("assistant", "a")


def test_a_late_result_follows_its_call_in_the_request():
    conversation = Conversation([USER, call("x"), USER, result("x")])
    plan = plan_history(conversation, Settings())
    assert [m.role for m in plan.render()] == ["user", "assistant", "tool", "user"]


def test_a_call_that_is_answered_later_is_not_sent_before():
    conversation = Conversation([call("x"), USER, ANSWER, result("x")])
    assert [p.sketch() for p in plan_requests(conversation, Settings())] == ["DK", "KKKK"]


def test_half_an_answer_with_something_in_between_is_not_sent():
    conversation = Conversation([call("x", "y"), USER, result("x")])
    plan = plan_history(conversation, Settings())
    assert (plan.sketch(), refusals(plan.render())) == ("DKD", [])


def test_a_second_answer_to_one_call_is_an_orphan():
    conversation = Conversation([USER, call("x"), result("x"), result("x")])
    assert sketch(conversation) == "KKKD"


def test_a_repeated_id_belongs_to_the_latest_call_that_waits():
    conversation = Conversation([USER, call("x"), result("x"), call("x"), result("x")])
    assert sketch(conversation) == "KKKKK"


def test_two_calls_of_one_message_may_share_an_id():
    conversation = Conversation([USER, call("x", "x"), result("x"), result("x")])
    assert sketch(conversation) == "KKKK"


def test_a_pin_on_a_result_keeps_its_call_but_cannot_mend_a_broken_one():
    pinned = Conversation([USER, call("x"), result("x"), USER, ANSWER]).pin([2])
    assert sketch(pinned, policy="none") == "DPPKK"
    broken = Conversation([USER, call("x"), USER]).pin([1])
    assert sketch(broken) == "KDK"


def test_a_pin_is_not_seen_before_its_message_is_said():
    conversation = Conversation([call("x", "y"), result("x"), ANSWER, USER, result("y")]).pin([4])
    assert next(p.sketch() for p in plan_requests(conversation, Settings())) == "KK"


@pytest.mark.parametrize(
    ("budget", "reserve", "overhead", "left"), [(100, 20, 30, 50), (100, 100, 0, 0), (10, 50, 50, 0), (0, 0, 0, 0)]
)
def test_reserve_and_overhead_come_off_the_budget(budget, reserve, overhead, left):
    plan = plan_history(conv("s u a u"), Settings(budget=budget, reserve=reserve, overhead=overhead))
    assert plan.budget == left
    assert plan.over_budget == (plan.tokens > left)


@pytest.mark.parametrize("pruner", ["fifo", "summarize", "relevance"])
def test_without_any_budget_only_what_may_not_be_taken_is_left(pruner):
    options = {"pruner.relevance.recent": 0} if pruner == "relevance" else {}
    assert sketch("s u a u! a u a(t)", pruner=pruner, budget=0, **options) == "PDDPDKKK"
    plan = plan_history(conv("s u a u"), Settings(pruner=pruner, budget=0, **options))
    assert plan.over_budget


def test_the_trace_says_what_each_stage_did():
    chosen = Settings(policy="lastN", length=2, budget=60, **{"pruner.fifo.unit": "block"})
    plan = plan_history(conv("s u a u a u a u", words=10), chosen)
    steps = [(t.stage, t.changed) for t in plan.trace]
    assert steps == [("policy: lastN", 4), ("pruner: fifo", 2)]
    assert plan.trace[0].after == plan.trace[1].before
    assert plan.trace[-1].after == plan.tokens


def test_what_the_source_broke_is_in_the_trace():
    assert [t.stage for t in plan_history(conv("t u"), Settings()).trace] == ["source"]


def test_a_stage_that_returns_no_plan_is_named():
    class Broken:
        """Stands where the pipeline's settings would."""

    conversation, chosen = conv("u"), Settings()
    pipeline = Pipeline(chosen, (("pruner: broken", lambda plan, context: Broken),), False, 10, None)
    with pytest.raises(PlanError, match="pruner: broken"):
        pipeline.plan(History(conversation, open_instruments(chosen).counter, 1), open_instruments(chosen), None)
