"""The plan's verbs, what it says about each message, and what it renders."""

from __future__ import annotations

import numpy as np
import pytest
from api_rules import counted
from conversation_strategies import conversations
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from sketches import conv

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message, Summary
from historylab.counters.base import count_text, open_counter
from historylab.planning import reasons
from historylab.planning.history import History
from historylab.planning.plan import HistoryPlan
from historylab.planning.reasons import Action, reason

WHY = reason("a test's rule", "Because of {n:,} things.", setting="length")
COUNTER = open_counter("exact", "gpt-4o")


def plan_of(sketch: str) -> HistoryPlan:
    conversation = conv(sketch)
    return HistoryPlan(History(conversation, COUNTER, len(conversation)), 1000)


def at(plan: HistoryPlan, *blocks: int) -> np.ndarray:
    mask = np.zeros(plan.history.blocks, bool)
    mask[list(blocks)] = True
    return mask


def summary(text: str, covers: int = 1) -> Summary:
    return Summary(text, count_text(COUNTER, text), covers, 0, "a test")


def test_verbs_take_masks_or_indices_and_leave_the_plan_alone():
    plan = plan_of("u a u")
    assert plan.drop(at(plan, 0), WHY, n=1).sketch() == plan.drop(np.array([0]), WHY, n=1).sketch() == "DKK"
    assert plan.sketch() == "KKK"


def test_a_call_and_its_results_share_one_fate():
    plan = plan_of("u a(t t) a")
    assert plan.drop(at(plan, 1), WHY, n=1).sketch() == "KDDDK"


def test_what_is_decided_is_final():
    plan = plan_of("u a u a")
    plan = plan.pin(at(plan, 0), WHY, n=1).drop(at(plan, 1), WHY, n=1)
    plan = plan.summarize(at(plan, 2), summary("so far"), WHY, n=1)
    everything = np.ones(4, bool)
    assert plan.drop(everything, WHY, n=2).sketch() == "PDSD"
    assert plan.pin(everything, WHY, n=2).sketch() == "PDSP"
    assert plan.summarize(everything, summary("again"), WHY, n=2).sketch() == "PDSS"
    assert plan.truncate({0: "", 1: "", 2: "", 3: "w"}, WHY, n=2).sketch() == "PDST"


def test_a_verb_without_anything_to_do_returns_the_plan_itself():
    plan = plan_of("u a")
    assert plan.drop(at(plan), WHY) is plan
    assert plan.truncate({}, WHY) is plan


def test_a_reason_is_a_sentence_with_its_numbers():
    plan = plan_of("u a")
    plan = plan.drop(at(plan, 0), WHY, n=1234)
    why = plan.reason(0)
    assert (why.action, why.rule, why.sentence, why.setting) == (
        Action.DROPPED, "a test's rule", "Because of 1,234 things.", "length",
    )  # fmt: skip
    assert not why.sent
    assert plan.reason(1).sent
    for beyond in (2, -1):
        with pytest.raises(IndexError):
            plan.reason(beyond)


def test_a_truncated_message_costs_its_shorter_text_and_can_still_go():
    plan = plan_of("u:200 a")
    shorter = plan.truncate({0: "w0 …"}, WHY, n=1)
    assert shorter.sketch() == "TK"
    assert shorter.tokens == counted(shorter) < plan.tokens
    assert [m.content for m in shorter.render()] == ["w0 …", "w1 w1 w1 w1"]
    gone = shorter.drop(at(plan, 0), WHY, n=1)
    assert (gone.sketch(), gone.tokens) == ("DK", counted(gone))


def test_a_text_that_is_no_shorter_is_not_used():
    plan = plan_of("u a")
    assert plan.truncate({0: "far longer than what was said before it"}, WHY, n=1) is plan


def test_the_shortest_of_two_truncations_counts():
    plan = plan_of("u:200 a").truncate({0: "w0"}, WHY, n=1)
    assert plan.truncate({0: "w0 w0 w0 w0"}, WHY, n=1).render()[0].content == "w0"


@pytest.mark.parametrize(
    ("sketch", "roles"),
    [
        ("s s u a", ["system", "system", "system", "user", "assistant"]),
        ("u s a", ["system", "user", "system", "assistant"]),
        ("s", ["system", "system"]),
        ("", ["system"]),
    ],
)
def test_a_summary_is_a_system_message_after_the_leading_ones(sketch, roles):
    plan = plan_of(sketch)
    plan = plan.summarize(at(plan), summary("so far"), WHY, n=1)
    assert [m.role for m in plan.render()] == roles
    assert plan.tokens == counted(plan)
    assert plan.summary_tokens == count_text(COUNTER, "so far")


def test_a_truncated_dict_is_a_new_dict():
    given = {"role": "user", "content": "a long text " * 20, "extra": 1}
    conversation = Conversation([Message("user", given["content"], source=given)])
    plan = HistoryPlan(History(conversation, COUNTER, 1), 1000).truncate({0: "short"}, WHY, n=1)
    assert plan.render()[0].source == {"role": "user", "content": "short", "extra": 1}
    assert given["content"].startswith("a long")


def test_only_text_is_exact():
    text = Conversation([Message("user", "hi")])
    image = Conversation([Message("user", "hi", media=("image",))])
    assert HistoryPlan(History(text, COUNTER, 1), 10).exact
    plan = HistoryPlan(History(image, COUNTER, 1), 10)
    assert not plan.exact
    assert plan.drop(np.array([0]), WHY, n=1).exact
    assert not HistoryPlan(History(text, open_counter("chars/4", "gpt-4o"), 1), 10).exact


@examples(max_examples=60)
@given(conversations(), st.lists(st.integers(0, 4), min_size=1, max_size=8), st.integers(0, 30))
def test_tokens_are_what_rendering_costs_after_any_verbs(conversation, wanted, size):
    size = min(size, len(conversation))
    plan = HistoryPlan(History(conversation, COUNTER, size), 100)
    fates = np.resize(np.array(wanted), plan.history.blocks)
    plan = plan.truncate({i: "…" for i in range(0, size, 2)}, WHY, n=1)
    plan = plan.drop(fates == 1, WHY, n=1).pin(fates == 2, WHY, n=1)
    plan = plan.summarize(fates == 3, summary("so far"), WHY, n=1)
    assert plan.tokens == counted(plan)
    assert len(plan.sketch()) == size


def test_a_number_in_a_reason_may_have_any_name():
    wide = reason("a test's wide rule", "More than {blocks:,} blocks, {why}.", setting="length")
    plan = plan_of("s u a")
    assert plan.drop(plan.open, wide, blocks=2, why="as it happens").reason(1).sentence == (
        "More than 2 blocks, as it happens."
    )


@pytest.mark.parametrize(
    ("number", "nouns", "said"),
    [
        (1, "last user messages", "last user message"),
        (20, "last user messages", "last 20 user messages"),
        (1, "turns", "1 turn"),
        (1001, "turns", "1,001 turns"),
        (0.5, "newest pairs", "newest 0.5 pairs"),
        (1.0, "last minutes", "last minute"),
    ],
)
def test_a_count_agrees_with_its_noun(number, nouns, said):
    assert reasons.counted_noun(number, nouns) == said


def test_a_reason_counts_what_its_sentence_names():
    wide = reason("a test's count", "Older than the {turns:last turns}, over {budget:,} {unit}.", setting="length")
    plan = plan_of("s u a")
    given = [plan.drop(plan.open, wide, turns=n, budget=4000, unit="tokens").reason(1).sentence for n in (1, 2)]
    assert given == [
        "Older than the last turn, over 4,000 tokens.",
        "Older than the last 2 turns, over 4,000 tokens.",
    ]
