"""Questions, asked: planned as the newest user message of their own request, as `trim()` would send it."""

from __future__ import annotations

import pytest
from conversation_strategies import conversations, settings
from hypothesis import given
from hypothesis import settings as examples
from sketches import conv

from historylab import Conversation, Message, Question, Settings, ask, generate, plan_history, replay
from historylab.planning.pipeline import project
from historylab.planning.reasons import BY_MESSAGE, BY_SUMMARY, LOST
from historylab.recall.questions import plan_question
from historylab.recall.retention import retention

DOG, LUNCH = "My dog Biscuit sleeps in the red barn.", "And what is for lunch on {}?"
CHAT = Conversation(
    [Message("user", DOG), Message("assistant", "Noted.")]
    + [
        Message(role, text.format(day))
        for day in ("Monday", "Tuesday", "Wednesday", "Thursday")
        for role, text in (("user", LUNCH), ("assistant", "Soup and bread on {}."))
    ]
)
WHERE = "Where does the dog sleep?"
TIGHT = Settings(policy="all", budget=100, pruner="relevance", options={"pruner.relevance.recent": 1})


def test_relevance_is_judged_by_what_it_sends_once_the_question_is_asked():
    timeline = replay(CHAT, TIGHT)
    assert not timeline.plans[-1].sent[0], "at the last request, which asks about lunch, the dog is not sent"
    (asked,) = ask(timeline, Question(WHERE, (0,)))
    assert (asked.messages, asked.holders, asked.share, asked.estimate) == ((0,), (BY_MESSAGE,), 1.0, False)
    assert ask(replay(CHAT, TIGHT.replace(pruner="fifo")), Question(WHERE, (0,)))[0].holders == (LOST,)


def test_a_question_is_asked_after_as_many_requests_as_one_likes_and_answered_by_what_was_said_by_then():
    found = ask(replay(CHAT, TIGHT), Question("What soup?", (0, 3, 99)), range(5))
    assert [(asked.request, asked.messages) for asked in found] == [(0, (0,)), *((n, (0, 3)) for n in (1, 2, 3, 4))]
    with pytest.raises(IndexError, match="no request 5"):
        ask(replay(CHAT, TIGHT), WHERE, [5])


def test_without_known_answers_the_likeliest_stand_for_them_and_it_is_an_estimate():
    (asked,) = ask(replay(CHAT, TIGHT), WHERE)
    assert (asked.messages[0], asked.kept[0], asked.estimate) == (0, True, True)
    assert ask(replay(CHAT, TIGHT), "zebra")[0].share is None
    assert ask(replay(Conversation([]), TIGHT), "what?")[0].share is None


def test_a_summary_can_hold_the_answer():
    folded = Settings(policy="all", pruner="summarize", budget=120)
    assert ask(replay(CHAT, folded), Question(WHERE, (0,)))[0].holders == (BY_SUMMARY,)


@examples(max_examples=80)
@given(conversations(), settings())
def test_it_is_planned_as_trim_would_plan_it(conversation, chosen):
    timeline = replay(conversation, chosen)
    asked = Conversation([*project(conversation, chosen), Message("user", "w1 and w2?")])
    alone = chosen.replace(projection="off")
    assert (
        plan_question(timeline, "w1 and w2?", len(timeline.plans) - 1).sketch() == plan_history(asked, alone).sketch()
    )


def test_within_a_run_of_calls_it_is_asked_once_the_results_are_there():
    timeline = replay(conv("s u a(t t) a(t) a u a"), Settings(policy="all", pruner="off"))
    assert [plan_question(timeline, "?", n).sketch() for n in range(4)] == [
        "PKKKKK", "PKKKKKKK", "PKKKKKKKK", "PKKKKKKKKKK",
    ]  # fmt: skip


def test_a_loss_says_what_would_send_the_answer_when_it_is_asked():
    timeline = replay(CHAT, Settings(policy="lastN", length=2, pruner="off"))
    (loss,) = (x for x in retention(timeline, questions=[Question(WHERE, (0,))]).losses if x.kind == "question")
    undo = retention(timeline).explain(loss).undo
    assert undo == {"length": 6}, "the question is the sixth user message"
    assert ask(replay(CHAT, timeline.settings.replace(**undo)), Question(WHERE, (0,)))[0].share == 1


def test_gold_evidence_without_a_message_that_asks_is_judged_as_asked():
    gold = {"evidence": [{"question": WHERE, "messages": [0]}]}
    known = Conversation(CHAT.messages, metadata=gold)
    assert retention(replay(known, TIGHT)).kept["evidence"].share == 1
    assert retention(replay(known, TIGHT.replace(pruner="fifo"))).kept["evidence"].share == 0


@pytest.mark.parametrize("projection", ["collapsed_tools", "point_of_view"])
def test_a_question_and_its_answer_are_followed_through_a_projection(projection):
    chat = generate("support_desk", turns=6, seed=3)
    chosen = Settings(policy="all", pruner="off", projection=projection)
    said = chat.columns.users.item(0)
    assert ask(replay(chat, chosen), Question(chat[said].content, (said,)))[0].share == 1
