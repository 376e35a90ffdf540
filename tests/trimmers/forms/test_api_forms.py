"""Messages as Anthropic's and Google's APIs, ADK and Strands hold them, and read back."""

from __future__ import annotations

import json

import pytest
from conversation_strategies import conversations
from hypothesis import given

from historylab import registry
from historylab.conversation.message import Message, ToolCall
from historylab.errors import LoadError, MissingLibrary
from historylab.generators.support_desk import support_desk
from historylab.generators.tool_loop import tool_loop
from historylab.trimmers.forms.anthropic import AnthropicItems

FORMS = ("anthropic", "gemini", "adk", "strands")
CALLS = (ToolCall("a", "look", '{"at": 1}'), ToolCall("b", "look", '{"at": 2}'))
ROUND = [
    Message("user", "Look twice."),
    Message("assistant", "", tool_calls=CALLS),
    Message("tool", "one", tool_call_id="a"),
    Message("tool", "two", tool_call_id="b", metadata={"is_error": True}),
    Message("assistant", "Seen."),
]


def form_named(name):
    try:
        return registry.member("item_form", name).target()
    except MissingLibrary as problem:
        pytest.skip(str(problem))


def marks(messages):
    return [f"m{i}" for i in range(len(messages))]


def read_back(form, messages):
    return [read for written in form.write(messages, marks(messages)) for read in form.read(written.item)]


def words(message):
    role = message.role if message.role in ("system", "assistant", "tool") else "user"
    calls = [(call.id, call.name, parsed(call.arguments)) for call in message.tool_calls]
    failed = message.metadata.get("is_error") is True
    return role, message.content, message.media, calls, message.tool_call_id, failed


def parsed(arguments):
    try:
        return json.loads(arguments or "{}")
    except ValueError:
        return arguments


@pytest.mark.parametrize("name", FORMS)
@given(conversation=conversations())
def test_what_was_written_is_read_back(name, conversation):
    form, messages = form_named(name), list(conversation)
    assert [*map(words, read_back(form, messages))] == [*map(words, messages)]


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("made", [support_desk(turns=6), tool_loop(turns=2, rounds=4)], ids=["desk", "loop"])
def test_each_prefix_of_a_conversation_is_read_back(name, made):
    form, messages = form_named(name), list(made)
    for end in range(len(messages) + 1):
        assert [*map(words, read_back(form, messages[:end]))] == [*map(words, messages[:end])]


@pytest.mark.parametrize("name", FORMS)
def test_the_results_of_one_answer_are_one_item(name):
    assert [places for _, places in form_named(name).write(ROUND, marks(ROUND))] == [(0,), (1,), (2, 3), (4,)]


@pytest.mark.parametrize("name", FORMS)
def test_nothing_is_shared_with_what_was_written_before(name):
    form = form_named(name)
    for (one, _), (other, _) in zip(*(form.write(ROUND, marks(ROUND)) for _ in "ab"), strict=True):
        assert one == other
        assert one is not other


@pytest.mark.parametrize("name", FORMS)
def test_arguments_that_are_no_object_come_back_as_they_were(name):
    called = [Message("assistant", "", tool_calls=(ToolCall("a", "look", '{"at": '), ToolCall("b", "look", "[1]")))]
    (read,) = read_back(form_named(name), called)
    assert [call.arguments for call in read.tool_calls] == ['{"at": ', "[1]"]


@pytest.mark.parametrize("name", FORMS)
def test_what_is_no_item_is_refused(name):
    for item in (None, 3, {"role": "nobody", "content": [], "parts": []}):
        with pytest.raises(LoadError):
            form_named(name).read(item)


def test_strands_tracks_messages_by_our_marks():
    form = form_named("strands")
    written = form.write(ROUND, marks(ROUND))
    assert [item["tracking_id"] for item, _ in written] == ["m0", "m1", "m2 m3", "m4"]
    assert [read.id for read in form.read(dict(written[2].item))] == ["m2", "m3"]


def test_a_summary_that_strands_wrote_has_no_mark_of_ours():
    (read,) = form_named("strands").read({"role": "user", "content": [{"text": "So far: nothing."}]})
    assert (read.role, read.content, read.id) == ("user", "So far: nothing.", None)


def test_calls_without_ids_have_some_by_which_results_are_paired_in_anthropics_form():
    calls = (ToolCall("", "look", "{}"), ToolCall("", "read", "{}"))
    said = [Message("assistant", "", tool_calls=calls), Message("tool", "seen"), Message("tool", "read")]
    form = AnthropicItems()
    asked, answered = (each.item["content"] for each in form.write(said, ["m1", "m2", "m3"]))
    assert [block["id"] for block in asked] == [block["tool_use_id"] for block in answered]
    assert len({block["id"] for block in asked}) == 2
    read = [message for each in form.write(said, ["m1", "m2", "m3"]) for message in form.read(each.item)]
    assert [(message.tool_calls, message.tool_call_id) for message in read] == [(calls, None), ((), None), ((), None)]
