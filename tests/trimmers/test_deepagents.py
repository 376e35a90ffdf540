"""The summarising middleware of deepagents, replayed, sends what an agent with it sends."""

from __future__ import annotations

import pytest

pytest.importorskip("deepagents")

from driven_trimmers import sent_by, share_acted_on, support_chat, tool_loop

from historylab import replay
from tests.trimmers.by_hand import deepagents as by_hand

NAME = "deepagents.SummarizationMiddleware"


@pytest.mark.parametrize("chat", [support_chat, tool_loop])
@pytest.mark.parametrize(
    "options",
    [
        {"trigger": ("messages", 8), "keep": ("messages", 3)},
        {"trigger": ("tokens", 600), "keep": ("tokens", 250)},
        {"trigger": [("tokens", 900), {"messages": 10, "tokens": 20}], "keep": ("messages", 5)},
    ],
)
def test_it_sends_what_an_agent_sends(chat, options):
    sent = sent_by(NAME, chat(), **options)
    assert sent == list(by_hand.summarize(chat(), **options))
    assert share_acted_on(sent, chat()) > 0.5


def test_its_own_defaults_are_for_long_chats():
    assert share_acted_on(sent_by(NAME, support_chat()), support_chat()) == 0


def test_a_window_makes_them_parts_of_it():
    timeline = replay(support_chat(), trimmer=NAME, max_input_tokens=900)
    assert share_acted_on(sent_by(NAME, support_chat(), max_input_tokens=900), support_chat()) > 0.3
    assert max(plan.tokens for plan in timeline.plans) < 1200
