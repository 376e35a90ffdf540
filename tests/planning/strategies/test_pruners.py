"""Pruners: what goes when it does not fit, and what never does."""

from __future__ import annotations

import pytest
from api_rules import refusals
from conversation_strategies import conversations
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from sketches import conv

from historylab import generate
from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message, ToolCall
from historylab.planning.pipeline import plan_history, plan_requests
from historylab.planning.reasons import Action
from historylab.planning.strategies.pruners import relevance
from historylab.settings.model import Settings


def plan(conversation, **chosen):
    conversation = conv(conversation) if isinstance(conversation, str) else conversation
    return plan_history(conversation, Settings(**{"policy": "all", **chosen}))


def cost(conversation) -> int:
    return plan(conversation, pruner="off").tokens


def test_fifo_takes_nothing_that_fits():
    conversation = conv("s u a u a u")
    assert plan(conversation, budget=cost(conversation)).sketch() == "PKKKKK"
    assert plan(conversation, budget=cost(conversation) - 1).sketch() == "PDDKKK"


LAID_OUT = "Oldest first: before its layout the request had {tokens:,} tokens, the budget allows {budget:,}."
CUT = "Oldest first: the request had {tokens:,} tokens, the budget allows {budget:,}."
LOWER = "Oldest first, down to {goal:,} tokens, last when the request had {tokens:,} and the budget allowed {budget:,}."


@pytest.mark.parametrize(
    ("chosen", "said"),
    [({}, CUT), ({"layout": "tagged_prompt"}, LAID_OUT), ({"pruner.fifo.trim_to": 0.5}, LOWER)],
)
def test_a_request_and_its_budget_are_said_with_all_that_is_outside_the_messages(chosen, said):
    conversation = conv("s u:40 a u:40 a u")
    tokens = plan(conversation, pruner="off", layout=chosen.get("layout", "off")).tokens
    room = tokens - 1
    cut = plan(conversation, budget=room + 350, overhead=300, reserve=50, **chosen)
    numbers = {"tokens": tokens + 300, "budget": room + 300, "goal": room // 2 + 300}
    assert cut.reason(1).sentence == said.format(**numbers)


def test_a_budget_that_the_overhead_exceeds_is_said_as_it_is():
    conversation = conv("s u a u")
    cut = plan(conversation, budget=250, overhead=300, reserve=50)
    assert cut.reason(1).sentence == CUT.format(tokens=cost(conversation) + 300, budget=200)


def test_fifo_takes_whole_turns_and_then_blocks_of_the_newest():
    conversation = "s a u a u a(t) a(t) a(t)"
    seen = [plan(conversation, budget=budget).sketch() for budget in range(cost(conversation), 0, -3)]
    assert list(dict.fromkeys(seen)) == [
        "PKKKKKKKKKK", "PDKKKKKKKKK", "PDDDKKKKKKK", "PDDDKDDKKKK", "PDDDKDDDDKK",
    ]  # fmt: skip


def test_fifo_by_blocks_fills_the_budget_tighter():
    conversation = conv("s u a u a u")
    budget = cost(conversation) - 1
    assert plan(conversation, budget=budget, **{"pruner.fifo.unit": "block"}).sketch() == "PDKKKK"


def test_one_long_agent_turn_keeps_its_task_and_its_newest_steps():
    conversation = conv("s u " + "a(t) " * 60)
    for step in plan_requests(conversation, Settings(budget=300)):
        assert step.tokens <= 300
        assert step.actions[1] == Action.KEPT
        assert step.actions[-1] == Action.KEPT
        kept = step.sketch()[2:]
        assert "KD" not in kept, "what is kept of the rest is what is newest, without a hole"


def test_a_big_message_in_the_middle_leaves_no_hole():
    kept = plan("s u a u a:200 u a u", budget=100).sketch()
    assert kept == "PDDDDKKK"


def test_a_newest_block_over_the_budget_is_kept_and_said_to_be_over():
    conversation = conv("s u a(t)").edited(
        [*conv("s u a(t)")[:-1], Message("tool", "x " * 500, tool_call_id="call_2_0")]
    )
    result = plan(conversation, budget=100)
    assert (result.sketch(), result.over_budget) == ("PKKK", True)


def test_a_big_system_message_over_the_budget_leaves_task_and_newest():
    result = plan("s:900 u a u a u", budget=500)
    assert (result.sketch(), result.over_budget) == ("PDDDDK", True)


def test_call_arguments_count():
    big = Message("assistant", "", tool_calls=(ToolCall("x", "f", "word " * 500),))
    conversation = Conversation(
        [Message("user", "q"), big, Message("tool", "r", tool_call_id="x"), Message("user", "q")]
    )
    result = plan(conversation, budget=100)
    assert (result.sketch(), result.over_budget) == ("DDDK", False)


def test_a_request_still_starts_with_a_user_message():
    conversation = conv("s " + "u a(t) a " * 10)
    for budget in range(60, 600, 13):
        first = next(m for m in plan(conversation, budget=budget).render() if m.role != "system")
        assert first.role == "user"


@pytest.mark.parametrize("unit", ["turn", "block"])
@pytest.mark.parametrize("tail", ["u", "a", "a(t)", "a(t t)", "a(t _)", "o", "s"])
def test_the_smallest_budgets_work_on_every_tail(unit, tail):
    conversation = conv(f"s u a u a(t) a u {tail}")
    for budget in range(0, cost(conversation) + 2):
        result = plan(conversation, budget=budget, **{"pruner.fifo.unit": unit})
        assert refusals(result.render()) == []
        assert result.actions[-1] <= Action.TRUNCATED
        assert result.over_budget == (result.tokens > budget)


@examples(max_examples=60)
@given(conversations(), st.integers(0, 400))
def test_more_budget_never_keeps_less_under_fifo(conversation, budget):
    for unit in ("turn", "block"):
        less = plan(conversation, budget=budget, **{"pruner.fifo.unit": unit})
        more = plan(conversation, budget=budget + 25, **{"pruner.fifo.unit": unit})
        assert ((less.actions == Action.DROPPED) | (more.actions != Action.DROPPED)).all()


@pytest.mark.parametrize(
    ("conversation", "turns", "kept"),
    [
        ("s u a u a u", 2, "PDDKKK"),
        ("s a u a u a", 2, "PKKKKK"),  # a greeting stays as long as all turns do
        ("s a u a u a", 1, "PDDDKK"),
        ("u! a u a u", 1, "PDDDK"),
        ("u a(t t) a u", 1, "DDDDDK"),
        ("s", 1, "P"),
        ("", 1, ""),
    ],
)
def test_sliding_window_keeps_the_last_turns_whatever_the_budget(conversation, turns, kept):
    for budget in (1, 10**6):
        options = {"pruner.sliding_window.turns": turns}
        assert plan(conversation, pruner="sliding_window", budget=budget, **options).sketch() == kept


def test_a_pinned_question_does_not_widen_the_window():
    assert plan("u a u a u!", pruner="sliding_window", **{"pruner.sliding_window.turns": 1}).sketch() == "DDDDP"


def test_sliding_window_says_when_it_is_over():
    assert plan("u:100 a", pruner="sliding_window", budget=50).over_budget


def test_off_cuts_nothing_and_says_so():
    result = plan("s u a u", pruner="off", budget=1)
    assert (result.sketch(), result.over_budget) == ("PKKK", True)


@pytest.mark.parametrize("pruner", ["fifo", "summarize", "relevance"])
@pytest.mark.parametrize(
    ("conversation", "min_turns", "kept"),
    [
        ("s u a u a u", 1, "PDDKKK"),
        ("s u a u a u", 2, "PKKKKK"),
        ("s u a u a u", 99, "PKKKKK"),
        ("s a u a u", 99, "PDKKK"),  # a greeting is in no turn
        ("s u u a u", 1, "PDKKK"),  # a question without an answer is no complete turn
        ("s u a u a(t _)", 1, "PKKKKK"),  # nor is one whose call still waits
        ("s u a u a(t)", 1, "PDDKKK"),
        ("u a u", 0, "DDK"),
    ],
)
def test_min_turns_is_a_mask_and_being_over_is_reported(pruner, conversation, min_turns, kept):
    options = {"pruner.relevance.recent": 0} if pruner == "relevance" else {}
    result = plan(conversation, pruner=pruner, budget=1, min_turns=min_turns, **options)
    assert (result.sketch(), result.over_budget) == (kept, True)


def test_min_turns_counts_what_the_policy_left():
    result = plan("s u a u a u a u", policy="lastN", length=3, min_turns=2, budget=1)
    assert result.sketch() == "PDDKKKKK"
    assert plan("s u a u a u a u", policy="lastN", length=3, min_turns=1, budget=1).sketch() == "PDDDDKKK"


def test_relevance_keeps_what_the_question_is_about():
    texts = [
        "the fox sleeps in the red barn",
        "unrelated chatter about lunch",
        "more lunch",
        "where does the fox sleep?",
    ]
    conversation = Conversation(Message("user", text) for text in texts)
    result = plan(conversation, pruner="relevance", budget=35, **{"pruner.relevance.recent": 0})
    assert result.sketch()[0] == result.sketch()[-1] == "K"
    assert "D" in result.sketch()


@pytest.mark.parametrize(("recent", "newest"), [(0, "DDDK"), (1, "DDDK"), (2, "DDKK"), (4, "KKKK")])
def test_relevance_keeps_the_newest_messages_whatever_they_are_about(recent, newest):
    texts = [*["the fox sleeps in a red barn"] * 9, *["lunch is at noon in the hall"] * 9, "where does the fox sleep?"]
    conversation = Conversation(Message("user", text) for text in texts)
    options = {"pruner": "relevance", "budget": cost(conversation.beginning(9)), "pruner.relevance.recent": recent}
    assert plan(conversation, **options).sketch().endswith(newest)


FOX = "the fox sleeps in the red barn " + "and so on " * 40
LUNCH = [f"lunch number {k} was served at noon " + "and so on " * 40 for k in range(38)]
LONG_MESSAGES = Conversation(
    Message("user" if k % 2 else "assistant", text)
    for k, text in enumerate([LUNCH[0], FOX, *LUNCH[1:], "where does the fox sleep?"])
)


def test_the_newest_messages_yield_where_they_leave_less_than_half_of_the_budget_to_the_relevant():
    found = plan(LONG_MESSAGES, pruner="relevance", budget=500)
    assert found.actions[1] == Action.KEPT
    assert found.sketch().endswith("DKK"), "and the newest have their half"
    assert found.reason(len(LONG_MESSAGES) - 3).sentence == (
        "Over the budget, which allows 500: the newest 4 messages leave half of the room to what is "
        "more relevant to “where does the fox sleep?”, and this one doesn't fit into the other half."
    )


@examples(max_examples=40)
@given(conversations(), st.integers(0, 9), st.integers(0, 300))
def test_more_budget_never_keeps_less_under_relevance(conversation, recent, budget):
    options = {"pruner": "relevance", "pruner.relevance.recent": recent}
    less, more = (plan(conversation, budget=each, **options) for each in (budget, budget + 25))
    assert ((less.actions == Action.DROPPED) | (more.actions != Action.DROPPED)).all()


@pytest.mark.parametrize(("sampled", "ranked"), [(1, 1), (1, 3), (2, 1), (2, 2), (5, 1)])
def test_relevance_chooses_the_same_however_few_it_ranks(monkeypatch, sampled, ranked):
    desk = generate("support_desk", turns=12, seed=3)
    chats = [desk, Conversation([*desk, *desk, *desk])]  # of a repeated message the oldest goes first
    chosen = [Settings(policy="all", pruner="relevance", budget=budget) for budget in (40, 150, 400, 900, 2000)]
    expected = [plan_history(chat, settings).sketch() for chat in chats for settings in chosen]
    monkeypatch.setattr(relevance, "SAMPLED", sampled)
    monkeypatch.setattr(relevance, "RANKED", ranked)
    assert [plan_history(chat, settings).sketch() for chat in chats for settings in chosen] == expected
