"""The strategies of Pydantic AI's harness, replayed, leave what they leave when they are called by hand."""

from __future__ import annotations

import pytest

pytest.importorskip("pydantic_ai_harness")

from driven_trimmers import sent_by, share_acted_on, support_chat, tool_loop
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, ToolReturnPart
from pydantic_ai.models.function import FunctionModel

from historylab import replay
from historylab.errors import SettingsError
from tests.trimmers.by_hand import pydantic_ai_harness as by_hand

SUMMARIZING = "pydantic_ai_harness.SummarizingCompaction"
CHATS = pytest.mark.parametrize("chat", [support_chat, tool_loop])


@CHATS
@pytest.mark.parametrize(
    "options",
    [
        {"max_messages": 8, "keep_messages": 4},
        {"max_tokens": 600, "keep_tokens": 200, "tokenizer": lambda text: len(text) // 3},
        {"max_fraction": 0.5, "context_window": 900, "keep_messages": 3, "preserve_first_user_message": False},
        {"max_messages": 6, "keep_messages": 2, "receipts": True},
    ],
)
def test_the_sliding_window_leaves_what_it_leaves_by_hand(chat, options):
    sent = sent_by("pydantic_ai_harness.SlidingWindowCompaction", chat(), **options)
    assert sent == list(by_hand.DRIVERS["pydantic_ai_harness.SlidingWindowCompaction"](chat(), **options))
    assert share_acted_on(sent, chat()) > 0.5


@CHATS
@pytest.mark.parametrize(
    "options",
    [
        {"max_messages": 6, "keep_pairs": 1},
        {"max_tokens": 300, "keep_pairs": 0, "placeholder": "gone"},
        {"max_tokens": 300, "keep_pairs": 0, "clear_tool_inputs": True, "exclude_tools": frozenset({"track_parcel"})},
    ],
)
def test_clearing_leaves_what_it_leaves_by_hand(chat, options):
    sent = sent_by("pydantic_ai_harness.ClearToolResults", chat(), **options)
    assert sent == list(by_hand.DRIVERS["pydantic_ai_harness.ClearToolResults"](chat(), **options))
    assert share_acted_on(sent, chat()) > 0.5


@CHATS
@pytest.mark.parametrize(
    "options",
    [
        {"max_part_chars": 60, "keep_head_chars": 5, "keep_tail_chars": 5},
        {"max_part_tokens": 20, "keep_head_chars": 10, "keep_tail_chars": 0, "clamp_tool_call_args": False},
        {"max_part_chars": 10, "keep_head_chars": 0, "keep_tail_chars": 0},
    ],
)
def test_clamping_leaves_what_it_leaves_by_hand(chat, options):
    sent = sent_by("pydantic_ai_harness.ClampOversizedMessages", chat(), **options)
    assert sent == list(by_hand.DRIVERS["pydantic_ai_harness.ClampOversizedMessages"](chat(), **options))


@CHATS
@pytest.mark.parametrize(
    "options",
    [
        {"max_messages": 8, "keep_messages": 4},
        {"max_messages": 6, "keep_messages": 2, "preserve_first_user_message": False, "incremental": False},
        {"max_tokens": 500, "keep_tokens": 200, "keep_user_messages": True},
    ],
)
def test_summaries_stand_where_they_stand_by_hand(chat, options):
    sent = sent_by(SUMMARIZING, chat(), **options)
    assert sent == list(by_hand.DRIVERS[SUMMARIZING](chat(), **options))
    assert share_acted_on(sent, chat()) > 0.5


def test_a_limit_must_be_given():
    with pytest.raises(SettingsError, match="max_messages"):
        replay(support_chat(), trimmer="pydantic_ai_harness.SlidingWindowCompaction")


def without_results(messages: list[ModelMessage]) -> list[ModelMessage]:
    """A history processor of somebody's own, which makes the requests anew of their parts."""
    return [
        ModelRequest([part for part in message.parts if not isinstance(part, ToolReturnPart)])
        if isinstance(message, ModelRequest)
        else message
        for message in messages
    ]


def test_a_history_processor_of_ones_own_is_driven():
    chat = support_chat()
    for plan in replay(chat, trimmer=without_results).plans:
        assert all((letter == "D") == (chat[i].role == "tool") for i, letter in enumerate(plan.sketch()))


def test_a_model_of_ones_own_writes_the_summary():
    model = FunctionModel(lambda messages, _: ModelResponse([TextPart("All is well.")]))
    options = {"max_messages": 8, "keep_messages": 4, "model": model}
    assert "All is well." in [said[1] for said in sent_by(SUMMARIZING, support_chat(), **options)[-1]]
