"""Counters that estimate: characters / 4, and a caller's own function."""

from __future__ import annotations

import pytest

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message, ToolCall
from historylab.counters.base import MEDIA_TOKENS, PerMessage, open_counter, token_column


def quarters(message: Message) -> int:
    return int(open_counter("chars/4", "any").count([message])[0])


@pytest.mark.parametrize(
    ("text", "tokens"), [("", 1), ("abc", 1), ("abcd", 1), ("abcde", 2), ("漢字漢字漢", 2), ("\ud800", 1)]
)
def test_characters_are_divided_by_four_and_rounded_up(text, tokens):
    assert quarters(Message("user", text)) == tokens


def test_calls_and_media_count_too():
    assert quarters(Message("assistant", "ab", tool_calls=(ToolCall("long id " * 9, "fgh", "{...}"),))) == 3
    assert quarters(Message("user", "abcd", media=("image",))) == 1 + MEDIA_TOKENS["image"]


def test_an_estimate_says_so():
    counter = open_counter("chars/4", "gpt-4o")
    assert (counter.exact, counter.per_request, counter.label) == (False, 0, "characters / 4")


def test_a_callers_counter_gets_the_callers_objects():
    conversation = Conversation([Message("user", "hi", source={"role": "user", "content": "hi", "cost": 7})])
    assert token_column(conversation, PerMessage(lambda given: given["cost"])).tolist() == [7]


def test_two_callers_counters_are_never_taken_for_one_another():
    conversation = Conversation([Message("user", "hi")])
    for tokens in range(50):  # functions that are gone give their id() to the next
        counter = PerMessage(lambda _, tokens=tokens: tokens)
        assert token_column(conversation, counter).tolist() == [tokens]
