"""LlamaIndex' messages: what they hold, and what comes back."""

from __future__ import annotations

import pytest
from conversation_strategies import conversations
from hypothesis import given

pytest.importorskip("llama_index.core")

from historylab import Message, ToolCall
from historylab.errors import LoadError
from historylab.trimmers.forms.llama_index import LlamaIndexMessages


def words(message):
    return message.role, message.content, message.tool_calls, message.tool_call_id or None


@given(conversation=conversations())
def test_messages_read_back_are_those_written(conversation):
    form, marks = LlamaIndexMessages(), [f"m{i}" for i in range(len(conversation))]
    for i, (item, places) in enumerate(form.write(list(conversation), marks)):
        assert [(places, marks[i], *words(conversation[i]))] == [
            ((i,), read.id, *words(read)) for read in form.read(item)
        ]


def test_an_answer_of_calls_alone_has_no_text():
    asking = Message("assistant", tool_calls=(ToolCall("c", "look", "{}"),))
    [(item, _)] = LlamaIndexMessages().write([asking], ["m0"])
    assert item.content is None


def test_a_role_it_does_not_have_comes_back():
    form = LlamaIndexMessages()
    [(item, _)] = form.write([Message("critic", "too long")], ["m0"])
    assert form.read(item) == [Message("critic", "too long", "m0")]


def test_what_is_no_message_of_its_own_is_refused():
    with pytest.raises(LoadError, match="LlamaIndex"):
        LlamaIndexMessages().read({"role": "user"})
