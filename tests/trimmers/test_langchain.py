"""LangChain's trimmers, replayed, send what they send when they are called by hand."""

from __future__ import annotations

import pytest

pytest.importorskip("langchain_core")

from driven_trimmers import sent_by, share_acted_on, support_chat, tool_loop

from historylab import replay
from historylab.errors import SettingsError
from tests.trimmers.by_hand import langchain as by_hand

CHATS = pytest.mark.parametrize("chat", [support_chat, tool_loop])


def count_letters(messages):
    return sum(len(message.text) for message in messages)


@CHATS
@pytest.mark.parametrize(
    "options",
    [
        {"max_tokens": 400},
        {"max_tokens": 400, "start_on": "human", "include_system": True, "end_on": ("human", "tool")},
        {"max_tokens": 4, "token_counter": "len", "include_system": True},
        {"max_tokens": 300, "strategy": "first", "allow_partial": True},
        {"max_tokens": 1000, "token_counter": count_letters, "allow_partial": True, "start_on": ("human", "ai")},
    ],
)
def test_trim_messages_sends_what_it_sends_by_hand(chat, options):
    sent = sent_by("langchain.trim_messages", chat(), **options)
    assert sent == list(by_hand.trim_messages(chat(), **options))
    assert share_acted_on(sent, chat()) > 0.5


@CHATS
@pytest.mark.parametrize(
    "options",
    [
        {"trigger": 200, "keep": 1},
        {"trigger": 500, "keep": 0, "clear_tool_inputs": True, "placeholder": "gone"},
        {"trigger": 200, "keep": 1, "clear_at_least": 20, "exclude_tools": ("read_record",)},
    ],
)
def test_clear_tool_uses_sends_what_it_sends_by_hand(chat, options):
    pytest.importorskip("langchain")
    sent = sent_by("langchain.ClearToolUsesEdit", chat(), **options)
    assert sent == list(by_hand.clear_tool_uses(chat(), **options))
    assert share_acted_on(sent, chat()) > 0.5


@CHATS
@pytest.mark.parametrize(
    "options",
    [
        {"trigger": ("messages", 8), "keep": ("messages", 3)},
        {"trigger": [("tokens", 500), {"messages": 8, "tokens": 20}], "keep": ("tokens", 200)},
        {"trigger": ("fraction", 0.3), "keep": ("fraction", 0.1), "max_input_tokens": 2000},
    ],
)
def test_the_summarization_middleware_sends_what_it_sends_by_hand(chat, options):
    pytest.importorskip("langchain")
    sent = sent_by("langchain.SummarizationMiddleware", chat(), **options)
    assert sent == list(by_hand.summarize(chat(), **options))
    assert share_acted_on(sent, chat()) > 0.5


def test_without_a_trigger_the_middleware_never_acts():
    pytest.importorskip("langchain")
    assert share_acted_on(sent_by("langchain.SummarizationMiddleware", support_chat()), support_chat()) == 0


def test_a_model_of_ones_own_writes_the_summary():
    pytest.importorskip("langchain")
    from langchain_core.language_models import FakeListChatModel

    options = {"trigger": ("messages", 8), "keep": ("messages", 3), "model": FakeListChatModel(responses=["all well"])}
    sent = sent_by("langchain.SummarizationMiddleware", support_chat(), **options)
    assert sent[-1][1][1].endswith("all well")


def test_fractions_need_a_window():
    pytest.importorskip("langchain")
    with pytest.raises(SettingsError, match="max_input_tokens"):
        replay(support_chat(), trimmer="langchain.SummarizationMiddleware", trigger=("fraction", 0.5))


def test_a_number_of_tokens_must_be_given():
    with pytest.raises(SettingsError, match="max_tokens"):
        replay(support_chat(), trimmer="langchain.trim_messages")


@pytest.mark.parametrize("trigger", [6, 8, 12])
def test_a_summary_that_quotes_a_message_is_not_that_message(trigger):
    pytest.importorskip("langchain")
    options = {"trigger": ("messages", trigger), "keep": ("messages", 3)}
    timeline = replay(support_chat(), trimmer="langchain.SummarizationMiddleware", **options)
    letters = [plan.sketch().lstrip("K").rstrip("K") for plan in timeline.plans]
    assert {*"".join(letters)} == {"S"}


def test_the_summary_without_a_model_is_in_the_words_of_the_chat():
    pytest.importorskip("langchain")
    options = {"trigger": ("messages", 12), "keep": ("messages", 3)}
    [summary] = {sent[1][1] for sent in sent_by("langchain.SummarizationMiddleware", support_chat(), **options)[5:8]}
    lines = summary.split("\n\n", 1)[1].splitlines()
    said = " ".join(message.content for message in support_chat())
    assert sum(line in said for line in lines) > 0.7 * len(lines) > 3
