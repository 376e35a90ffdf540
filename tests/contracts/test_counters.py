"""Every registered counter: a whole number per message, the same each time, and nothing crashes it."""

from __future__ import annotations

import pytest
from conversation_strategies import conversations
from hypothesis import given
from hypothesis import settings as examples

from historylab import registry
from historylab.conversation.message import Message
from historylab.counters.base import open_counter

COUNTERS = sorted(registry.members("counter"))


@pytest.mark.parametrize("name", COUNTERS)
def test_a_counter_says_what_it_is(name):
    for model in ("gpt-4o", "claude-sonnet-4-5", "no such model"):
        counter = open_counter(name, model)
        assert counter.key
        assert counter.label
        assert counter.exact in (True, False)
        assert counter.per_request >= 0
        assert not (counter.exact and model != "gpt-4o")


@pytest.mark.parametrize("name", COUNTERS)
@examples(max_examples=25)
@given(conversations())
def test_counts_are_one_per_message_and_do_not_depend_on_the_others(name, conversation):
    counter = open_counter(name, "gpt-4o")
    counts = counter.count(conversation.messages)
    assert counts.dtype.kind == "i"
    assert (counts >= 0).all()
    assert counts.tolist() == [int(counter.count([message])[0]) for message in conversation]


@pytest.mark.parametrize("name", COUNTERS)
@pytest.mark.parametrize("text", ["", "\ud800", "\0\x1b", "<|endoftext|>", "漢字" * 1000, "x" * 200_000, " \n\t"])
def test_no_text_crashes_it(name, text):
    counter = open_counter(name, "gpt-4o")
    assert int(counter.count([Message("user", text), Message(text or "?", text, name=text)]).sum()) >= 0
