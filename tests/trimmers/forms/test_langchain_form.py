"""LangChain's messages: what they hold, and what comes back."""

from __future__ import annotations

import pytest
from conversation_strategies import conversations
from hypothesis import given

pytest.importorskip("langchain_core")

from historylab import Message, ToolCall
from historylab.errors import LoadError
from historylab.trimmers.forms.langchain import LangChainMessages


def words(message):
    return message.role, message.content, message.tool_calls, message.tool_call_id or None


def test_its_counter_would_count_names_so_none_is_set():
    form, named = LangChainMessages(), Message("user", "hello", name="a name of forty characters")
    [written] = form.write([named], ["m0"])
    assert written.item.name is None


@given(conversation=conversations())
def test_messages_read_back_are_those_written(conversation):
    form, marks = LangChainMessages(), [f"m{i}" for i in range(len(conversation))]
    for i, (item, places) in enumerate(form.write(list(conversation), marks)):
        assert [(places, marks[i], *words(conversation[i]))] == [
            ((i,), read.id, *words(read)) for read in form.read(item)
        ]


def test_arguments_that_are_no_json_object_are_an_invalid_call():
    form, broken = LangChainMessages(), Message("assistant", tool_calls=(ToolCall("c", "look", '{"a": '),))
    [(item, _)] = form.write([broken], ["m0"])
    assert (item.tool_calls, item.invalid_tool_calls[0]["args"]) == ([], '{"a": ')
    assert form.read(item)[0].tool_calls == broken.tool_calls


def test_images_travel_as_the_app_has_them():
    form, image = LangChainMessages(), {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
    parts = [{"type": "text", "text": "what is this?"}, image]
    asking = Message("user", "what is this?", media=("image",), source={"role": "user", "content": parts})
    [(item, _)] = form.write([asking], ["m0"])
    assert item.content == parts
    assert (form.read(item)[0].content, form.read(item)[0].media) == ("what is this?", ("image",))


@pytest.mark.parametrize("item", [{"role": "user", "content": "hello"}, "hello", None])
def test_what_is_no_message_of_its_own_is_refused(item):
    with pytest.raises(LoadError, match="LangChain"):
        LangChainMessages().read(item)
