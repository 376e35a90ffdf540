"""A conversation that grew, was forked or got another prompt is planned like one that was made whole."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from weakref import ref

import numpy as np
import pytest
from conversation_strategies import conversations, settings
from garbage import garbage_of, new_objects_alone
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from sketches import conv

from historylab import Settings, plan_history, registry
from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.counters.base import open_counter
from historylab.planning.history import TokenSums, sums_of
from historylab.planning.plan import HistoryPlan

DEPENDING = ("filter", "tool_output", "pruner", "compaction")


def told(plan: HistoryPlan) -> tuple:
    return plan.sketch(), plan.tokens, plan.render(), plan.reasons.tolist()


def ways(whole: Conversation, cut: int, other: Conversation) -> Iterator[Conversation]:
    """The conversation grown in steps, with other messages since one of them, and with another prompt."""
    cut = min(cut, len(whole))
    begun = Conversation(whole[: cut // 2])
    yield begun
    grown = begun.followed_by(whole[cut // 2 : cut])
    yield grown
    grown = grown.followed_by(whole[cut:])
    yield grown
    yield grown.beginning(cut)
    yield grown.beginning(cut).followed_by(other)
    systems = next((i for i, m in enumerate(grown) if m.role != "system"), len(grown))
    led = grown.with_leading([Message("system", "today")] * max(1, systems), replacing=systems)
    yield led
    yield led.followed_by(other)
    yield led.with_leading([], replacing=max(1, systems))


@pytest.mark.parametrize("family", DEPENDING)
def test_it_is_planned_like_a_whole_one(family):
    names = [name for name, m in registry.members(family).items() if name != "off" and not m.attributes.get("asks")]

    @examples(max_examples=5 * len(names))
    @given(
        st.sampled_from(names).flatmap(lambda name: settings(**{family: name})),
        conversations(max_size=20),
        st.integers(0, 30),
        conversations(max_size=5),
    )
    def holds(chosen, whole, cut, other):
        for conversation in ways(whole, cut, other):
            assert told(plan_history(conversation, chosen)) == told(
                plan_history(Conversation(conversation.messages), chosen)
            )

    holds()


@examples(max_examples=60)
@given(conversations(max_size=20), st.integers(0, 30), conversations(max_size=5))
def test_its_tokens_add_up_like_those_of_a_whole_one(whole, cut, other):
    counter = open_counter("chars/4", "gpt-4o")
    for conversation in ways(whole, cut, other):
        grown, afresh = sums_of(conversation, counter), sums_of(Conversation(conversation.messages), counter)
        for name in TokenSums.__slots__:
            if not name.startswith("_"):
                assert np.array_equal(getattr(grown, name), getattr(afresh, name)), name


@examples(max_examples=60)
@given(
    conversations(max_size=20), st.integers(0, 30), conversations(max_size=5), st.sampled_from(["m4*|m7*", "result"])
)
def test_rules_keep_in_it_what_they_keep_in_a_whole_one(whole, cut, other, texts):
    chosen = Settings(
        policy="all", budget=100, pin=texts, options={"pin.tools": "look*", "pin.first": 2, "pin.first_user": True}
    )
    for conversation in ways(whole, cut, other):
        plans = [plan_history(c, chosen) for c in (conversation, Conversation(conversation.messages))]
        assert told(plans[0]) == told(plans[1])
        for i in range(len(conversation)):
            assert plans[0].reason(i) == plans[1].reason(i)


@pytest.mark.parametrize("stage", ["relevance", "summarize", "fifo"])
def test_it_keeps_none_of_those_it_follows(stage):
    chosen = Settings(policy="all", budget=60, pruner=stage, tool_output="stale_reads+clear+collapse", pin="w1*")
    with new_objects_alone():
        grown, before = conv("s u a(t) u"), []
        for _ in range(6):
            plan_history(grown, chosen)
            before.append(ref(grown))
            grown = grown.followed_by(conv("a(t t) a u"))
        gc.collect()
    assert [each() for each in before] == [None] * 6


@pytest.mark.parametrize("stage", ["relevance", "summarize", "fifo"])
def test_nothing_of_one_that_is_let_go_waits_for_a_garbage_collection(stage):
    chosen = Settings(policy="all", budget=60, pruner=stage, tool_output="stale_reads+clear+collapse", pin="w1*")
    with garbage_of("historylab") as left:
        grown = conv("s u a(t) u")
        for _ in range(3):
            told(plan_history(grown, chosen))
            grown = grown.followed_by(conv("a(t t) a u"))
        del grown
    assert left == []
