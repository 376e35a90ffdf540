"""Microsoft Agent Framework's strategies: at every request what the library gives when it is called by hand."""

from __future__ import annotations

import pytest
from driven_trimmers import sent_by, share_acted_on, support_chat, tool_loop

pytest.importorskip("agent_framework", reason="agent-framework-core is not installed")

from tests.trimmers.by_hand.agent_framework import DRIVERS, FixedClient

ESTIMATE = "CharacterEstimatorTokenizer"
SETTINGS = {
    "TruncationStrategy": [
        {"max_n": 6, "compact_to": 3},
        {"max_n": 10, "compact_to": 5, "preserve_system": False, "preserve_first_user_group": True},
        {"max_n": 900, "compact_to": 400, "tokenizer": ESTIMATE},
    ],
    "SlidingWindowStrategy": [
        {"keep_last_groups": 2},
        {"keep_last_groups": 4, "preserve_system": False},
        {"keep_last_groups": 6},
    ],
    "ToolResultCompactionStrategy": [{"keep_last_tool_call_groups": n} for n in (0, 1, 2)],
    "SelectiveToolCallCompactionStrategy": [{"keep_last_tool_call_groups": n} for n in (0, 1, 2)],
    "ContextWindowCompactionStrategy": [
        {"max_context_window_tokens": window, "max_output_tokens": 200, "keep_last_tool_call_groups": 1}
        for window in (700, 1000, 1400)
    ],
    "SummarizationStrategy": [{"target_count": n, "threshold": 1, "model": FixedClient()} for n in (2, 3, 5)],
}
CASES = [(f"agent_framework.{name}", options) for name, several in SETTINGS.items() for options in several]
chats = pytest.mark.parametrize("chat", [support_chat(), tool_loop()], ids=["support", "tools"])


@chats
@pytest.mark.parametrize(("name", "options"), CASES)
def test_every_request_is_that_of_the_library(chat, name, options):
    by_hand = list(DRIVERS[name](chat, **options))
    assert share_acted_on(by_hand, chat) > 0.5
    assert sent_by(name, chat, **options) == by_hand


def test_what_was_excluded_stays_so():
    """Over six messages it goes down to three, and is left alone until there are six again."""
    sent = sent_by("agent_framework.TruncationStrategy", tool_loop(), max_n=6, compact_to=3)
    starts = [str(request[1]) for request in sent]
    assert len(set(starts)) < 0.7 * len(starts)


def test_without_a_client_the_summary_is_in_the_words_of_the_chat():
    chat = support_chat()
    sent = sent_by("agent_framework.SummarizationStrategy", chat)
    lines = [line for text in {said[1][1] for said in sent[8:]} for line in text.splitlines()]
    said = " ".join(message.content for message in chat)
    assert sum(line.partition("] ")[2] in said for line in lines) > 0.5 * len(lines) > 5
