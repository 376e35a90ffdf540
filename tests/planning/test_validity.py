"""Requests that naive slicing breaks, and the guard that keeps them valid."""

from __future__ import annotations

import conversation_strategies
import pytest
from hypothesis import given
from token_sketches import counted, replayed

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.formats.samples import load_sample, samples
from historylab.planning.naive_slicing import naive_masks, naive_starts
from historylab.planning.replay import replay
from historylab.planning.validity import guard_report, naive_validity, validity
from historylab.settings.model import Settings

TOOLS = "s10 u10 c10 t10 a10 u10 c10 t10 a10 u10"


def test_the_last_messages_lose_the_call_of_their_result():
    found = naive_validity(replayed(counted(TOOLS), policy="lastN", length=3))
    # requests after u, u-c-t, u, u-c-t, u: slices "su", "suct"→"ct" with u, "sta u"…
    assert found.orphans.tolist() == [0, 0, 1, 0, 1]
    assert found.wrong_start.tolist() == [False, False, True, False, True]
    assert found.refused.tolist() == [False, False, True, False, True]


def test_even_numbers_are_lucky_where_calls_and_results_alternate():
    conversation = counted("u10 " + "c10 t10 " * 6)
    shares = [naive_validity(replayed(conversation, policy="lastN", length=n)).share("orphans") for n in (4, 5)]
    assert shares[0] == 0
    assert shares[1] > 0.5


def test_a_budget_cuts_between_a_call_and_its_result():
    timeline = replayed(counted(TOOLS), pruner="fifo", budget=45)
    sizes = [int(mask.sum()) for mask in naive_masks(timeline)]
    assert sizes == [2, 4, 4, 4, 4]
    assert naive_validity(timeline).orphans.tolist() == [0, 0, 1, 0, 1]


@given(conversation_strategies.conversations(), conversation_strategies.settings(filter="off"))
def test_slices_and_masks_are_the_same_naive_version(conversation, settings):
    timeline = replay(conversation, settings)
    always = conversation.columns.system[conversation.columns.block] & settings.preserve_system_messages
    for plan, start, mask in zip(timeline.plans, naive_starts(timeline), naive_masks(timeline), strict=True):
        assert mask.tolist() == [i >= start or bool(always[i]) for i in range(plan.size)]


def test_what_the_filter_leaves_is_what_is_sliced():
    said = [("ann", 1), ("bo", 2), ("ann", 3), ("bo", 4), ("ann", 5)]
    messages = [Message("user", f"{name} says {k}", f"m{k}", name=name) for name, k in said]
    settings = Settings(
        filter="participants", policy="lastN", length=2, pruner="off", **{"filter.participants.ids": "ann"}
    )
    timeline = replay(Conversation(messages), settings)
    assert naive_masks(timeline)[-1].tolist() == [False, False, True, False, True]
    assert guard_report(timeline).sentence().startswith("Filtered, then sliced naively, none of the")


def test_the_newest_message_is_sent_however_small_the_budget():
    found = naive_masks(replayed(counted("u10 a10 u900"), pruner="fifo", budget=100))
    assert [mask.tolist() for mask in found] == [[True], [False, False, True]]


def test_the_guard_says_what_it_spared():
    timeline = replayed(counted(TOOLS), policy="lastN", length=3)
    assert guard_report(timeline).sentence() == (
        "Sliced naively, 2 of 5 requests would be refused: 2 tool results without their call."
    )
    whole = guard_report(replayed(counted("u10 a10 u10")))
    assert whole.sentence() == "Sliced naively, none of the 2 requests would be refused."


@pytest.mark.parametrize("name", samples())
@pytest.mark.parametrize("settings", [Settings(length=2), Settings(policy="all", pruner="fifo", budget=400)], ids=str)
def test_what_we_send_is_never_refused(name, settings):
    for conversation in load_sample(name):
        found = validity(replay(conversation, settings))
        assert not found.orphans.any()
        assert not found.unanswered.any()


def test_what_was_broken_in_the_source_is_broken_for_the_naive():
    (conversation,) = load_sample("two-to-vienna-broken")
    found = naive_validity(replay(conversation, Settings(policy="all", pruner="off")))
    assert found.orphans.any()
    assert found.unanswered.any()
