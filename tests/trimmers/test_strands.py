"""Strands' managers, replayed, send what they send by hand, and what an agent of Strands sends its model."""

from __future__ import annotations

import pytest

pytest.importorskip("strands")

from driven_trimmers import sent_by, share_acted_on, support_chat, tool_loop
from strands.agent.conversation_manager import SlidingWindowConversationManager, SummarizingConversationManager
from strands.types.content import Messages

from historylab import generate, registry, replay
from tests.trimmers.by_hand import strands as by_hand
from tests.trimmers.by_hand.strands_agent import sent_by_agent

WINDOW, SUMMARY = "strands.SlidingWindowConversationManager", "strands.SummarizingConversationManager"
AT_40_PERCENT = {"compression_threshold": 0.4}


def short_loops():
    return generate("tool_loop", turns=4, rounds=8, output_lines=12, seed=0)


@pytest.mark.parametrize(
    ("chat", "options"),
    [
        (support_chat, {"window_size": 4}),
        (short_loops, {"window_size": 4}),
        (support_chat, {"window_size": 6, "per_turn": True}),
        (tool_loop, {"window_size": 6, "per_turn": True}),
        (support_chat, {"window_size": 8, "per_turn": 3, "pin_first": 2}),
        (tool_loop, {"window_size": 8, "per_turn": 3, "pin_first": 2}),
        (support_chat, {"window_size": 12, "context_window": 600}),
        (tool_loop, {"window_size": 12, "context_window": 2000}),
        (support_chat, {"window_size": 60, "proactive_compression": True, "context_window": 700}),
        (tool_loop, {"window_size": 60, "context_window": 3000, "should_truncate_results": False}),
    ],
)
def test_the_sliding_window_sends_what_it_sends_by_hand(chat, options):
    sent = sent_by(WINDOW, chat(), **options)
    assert sent == list(by_hand.sliding_window(chat(), **options))
    assert share_acted_on(sent, chat()) > 0.5


@pytest.mark.parametrize(
    ("chat", "options"),
    [
        (support_chat, {"context_window": 700, "preserve_recent_messages": 4}),
        (short_loops, {"context_window": 1600, "preserve_recent_messages": 4}),
        (support_chat, {"context_window": 650, "preserve_recent_messages": 3, "summary_ratio": 0.6}),
        (tool_loop, {"context_window": 6000, "preserve_recent_messages": 4, "summary_ratio": 0.6}),
        (support_chat, {"context_window": 1000, "proactive_compression": AT_40_PERCENT, "pin_first": 1}),
        (short_loops, {"context_window": 1800, "proactive_compression": AT_40_PERCENT, "preserve_recent_messages": 4}),
    ],
)
def test_the_summaries_are_those_made_by_hand(chat, options):
    sent = sent_by(SUMMARY, chat(), **options)
    assert sent == list(by_hand.summarizing(chat(), **options))
    assert share_acted_on(sent, chat()) > 0.4


@pytest.mark.parametrize("chat", [support_chat, short_loops])
@pytest.mark.parametrize(
    "options",
    [
        {"window_size": 4},
        {"window_size": 6, "per_turn": True},
        {"window_size": 8, "per_turn": 3},
        {"window_size": 12, "context_window": 600},
        {"window_size": 60, "proactive_compression": True, "context_window": 1000},
    ],
)
def test_an_agent_sends_its_model_the_same_window(chat, options):
    manager, window = SlidingWindowConversationManager(**without_window(options)), options.get("context_window")
    assert sent_by(WINDOW, chat(), **options) == sent_by_agent(chat(), manager, window)


@pytest.mark.parametrize("chat", [support_chat, short_loops])
@pytest.mark.parametrize(
    "options",
    [
        {"context_window": 1600, "preserve_recent_messages": 4},
        {"context_window": 3000, "preserve_recent_messages": 4, "proactive_compression": AT_40_PERCENT},
    ],
)
def test_an_agent_sends_its_model_the_same_summaries(chat, options):
    manager, window = SummarizingConversationManager(**without_window(options)), options["context_window"]
    assert sent_by(SUMMARY, chat(), **options) == sent_by_agent(chat(), manager, window)


def without_window(options):
    return {name: value for name, value in options.items() if name != "context_window"}


def test_the_window_is_asked_after_each_run_unless_told_otherwise():
    make = registry.member("trimmer", WINDOW).target
    assert [make(**o).asked for o in ({}, {"per_turn": True}, {"context_window": 900})] == ["run", "request", "request"]


def test_a_request_that_cannot_be_made_to_fit_is_an_error():
    """One that a summary of nothing but the last summary would have to make shorter, without end in the library."""
    timeline = replay(support_chat(), trimmer=SUMMARY, context_window=500, preserve_recent_messages=4)
    said = [step.error for step in timeline.steps if step.error]
    assert said
    assert all("ContextWindowOverflowException" in error for error in said)


def test_a_model_of_ones_own_writes_the_summaries():
    model = by_hand.Scripted(None, write=lambda text: f"Told by another: {len(text)} characters.")
    sent = sent_by(SUMMARY, support_chat(), context_window=700, preserve_recent_messages=4, model=model)
    assert any(text.startswith("Told by another") for _, text, _, _ in sent[-1])


def newest(messages: Messages) -> Messages:
    return [dict(message) for message in messages[-2:]]


def test_a_function_of_messages_of_strands_is_given_them():
    asked, called = sent_by(newest, short_loops())[:2]
    assert [role for role, *_ in asked] == ["system", "user"]
    assert {role for role, *_ in called[2:]} == {"tool"}
