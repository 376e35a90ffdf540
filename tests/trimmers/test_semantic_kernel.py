"""Semantic Kernel's reducers: at every request what the library gives when it is called by hand."""

from __future__ import annotations

import pytest
from driven_trimmers import sent_by, share_acted_on, support_chat, tool_loop

pytest.importorskip("semantic_kernel", reason="semantic-kernel is not installed")

from historylab import replay
from tests.trimmers.by_hand.semantic_kernel import FixedService, summarization, truncation

TRUNCATION = "semantic_kernel.ChatHistoryTruncationReducer"
SUMMARIZATION = "semantic_kernel.ChatHistorySummarizationReducer"
chats = pytest.mark.parametrize("chat", [support_chat(), tool_loop()], ids=["support", "tools"])
counts = pytest.mark.parametrize(("target", "threshold"), [(4, 0), (6, 4), (9, 2)])


@chats
@counts
def test_the_newest_messages_are_those_of_the_library(chat, target, threshold):
    options = {"target_count": target, "threshold_count": threshold}
    by_hand = list(truncation(chat, **options))
    assert share_acted_on(by_hand, chat) > 0.5
    assert sent_by(TRUNCATION, chat, **options) == by_hand


@chats
@counts
@pytest.mark.parametrize("calls", [False, True], ids=["without calls", "with calls"])
def test_summaries_stand_where_the_library_puts_them(chat, target, threshold, calls):
    options = {
        "target_count": target,
        "threshold_count": threshold,
        "include_function_content_in_summary": calls,
        "model": FixedService(ai_model_id="fixed"),
    }
    by_hand = list(summarization(chat, **options))
    assert share_acted_on(by_hand, chat) > 0.5
    assert sent_by(SUMMARIZATION, chat, **options) == by_hand


def test_without_a_service_the_summary_is_in_the_words_of_the_chat():
    chat = support_chat()
    summaries = {request[1][1] for request in sent_by(SUMMARIZATION, chat, target_count=4)[8:]}
    quoted = [line.partition(": ")[2] for text in summaries for line in text.splitlines() if ": " in line]
    said = " ".join(message.content for message in chat)
    assert sum(line in said for line in quoted) > 0.5 * len(quoted) > 5


@chats
def test_a_summary_that_quotes_a_message_is_not_taken_for_it(chat):
    plans = replay(chat, trimmer=SUMMARIZATION, target_count=4).plans
    assert "S" in plans[-1].sketch()
    assert not any("T" in plan.sketch() for plan in plans)


def test_a_summary_of_a_summary_is_not_said_by_the_assistant_twice():
    sent = sent_by(SUMMARIZATION, tool_loop(), target_count=4)
    assert not any("assistant: assistant:" in text for said in sent for _, text, _, _ in said)
