"""LiteLLM's trimmer, replayed, sends what it sends when it is called by hand."""

from __future__ import annotations

import logging

import pytest

pytest.importorskip("litellm")

from driven_trimmers import sent_by, share_acted_on, support_chat, tool_loop

from tests.trimmers.by_hand import litellm as by_hand


@pytest.mark.parametrize("chat", [support_chat, tool_loop])
@pytest.mark.parametrize(
    "options", [{"max_tokens": 200}, {"max_tokens": 350, "model": "gpt-4o"}, {"model": "gpt-4", "trim_ratio": 0.02}]
)
def test_trim_messages_sends_what_it_sends_by_hand(chat, options):
    sent = sent_by("litellm.trim_messages", chat(), **options)
    assert sent == list(by_hand.trim_messages(chat(), **options))
    assert share_acted_on(sent, chat()) > 0.4


def test_without_a_limit_or_a_model_it_does_nothing():
    assert share_acted_on(sent_by("litellm.trim_messages", support_chat()), support_chat()) == 0


def test_its_failures_fill_no_log(caplog):
    """It fails on a call that is to be shortened, and sends that request whole."""
    with caplog.at_level(logging.ERROR, "LiteLLM"):
        sent_by("litellm.trim_messages", support_chat(), max_tokens=200)
    assert not caplog.records
    assert not logging.getLogger("LiteLLM").disabled
