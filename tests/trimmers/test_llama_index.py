"""LlamaIndex' memory, replayed, sends what it gives when it is asked by hand."""

from __future__ import annotations

import pytest

pytest.importorskip("llama_index.core")

from driven_trimmers import sent_by, share_acted_on, support_chat, tool_loop

from tests.trimmers.by_hand import llama_index as by_hand

CHATS = pytest.mark.parametrize("chat", [support_chat, tool_loop])


@CHATS
@pytest.mark.parametrize(
    "options", [{"token_limit": 150}, {"token_limit": 450}, {"token_limit": 100, "tokenizer_fn": str.split}]
)
def test_the_buffer_sends_what_it_gives_by_hand(chat, options):
    sent = sent_by("llama_index.ChatMemoryBuffer", chat(), **options)
    assert sent == list(by_hand.memory_buffer(chat(), **options))
    assert share_acted_on(sent, chat()) > 0.5
