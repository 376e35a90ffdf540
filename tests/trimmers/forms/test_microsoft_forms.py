"""Messages as AutoGen, Agent Framework and Semantic Kernel hold them, and read back."""

from __future__ import annotations

import copy
import sys

import pytest
from conversation_strategies import conversations
from hypothesis import given

from historylab import registry
from historylab.conversation.message import Message, ToolCall
from historylab.errors import LoadError, MissingLibrary
from historylab.generators.coding_agent import coding_agent
from historylab.generators.support_desk import support_desk

FORMS = ("autogen", "agent_framework", "semantic_kernel")
CALLS = (ToolCall("a", "look", '{"at": 1}'), ToolCall("b", "look", '{"at": '))
ROUND = [
    Message("user", "Look twice."),
    Message("assistant", "I'll look.", tool_calls=CALLS),
    Message("tool", "one", tool_call_id="a"),
    Message("tool", "two", tool_call_id="b"),
    Message("assistant", "Seen."),
]


def form_named(name):
    try:
        return registry.member("item_form", name).target()
    except MissingLibrary as problem:
        pytest.skip(str(problem))


def write(name, messages):
    return form_named(name).write(messages, [f"m{i}" for i in range(len(messages))])


def read_back(name, messages):
    return [read for written in write(name, messages) for read in form_named(name).read(written.item)]


def words(message):
    role = message.role if message.role in ("system", "assistant", "tool") else "user"
    return role, message.content, message.tool_calls, message.tool_call_id or None


@pytest.mark.parametrize("name", FORMS)
@given(conversation=conversations())
def test_what_was_written_is_read_back(name, conversation):
    assert [*map(words, read_back(name, list(conversation)))] == [*map(words, conversation)]


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("made", [support_desk(turns=6), coding_agent(turns=4)], ids=["desk", "agent"])
def test_a_whole_conversation_is_read_back(name, made):
    assert [*map(words, read_back(name, list(made)))] == [*map(words, made)]


@pytest.mark.parametrize("name", ["autogen", "agent_framework"])
def test_the_results_of_one_answer_are_one_message(name):
    assert [places for _, places in write(name, ROUND)] == [(0,), (1,), (2, 3), (4,)]


def test_semantic_kernel_has_a_message_for_each_result():
    assert [places for _, places in write("semantic_kernel", ROUND)] == [(0,), (1,), (2,), (3,), (4,)]


@pytest.mark.parametrize("name", ["agent_framework", "semantic_kernel"])
def test_copies_are_known_by_their_marks(name):
    form, copies = form_named(name), [copy.deepcopy(item) for item, _ in write(name, ROUND)]
    assert [read.id for item in copies for read in form.read(item)] == ["m0", "m1", "m2", "m3", "m4"]


@pytest.mark.parametrize("name", FORMS)
def test_nothing_is_shared_with_what_was_written_before(name):
    for (one, _), (other, _) in zip(write(name, ROUND), write(name, ROUND), strict=True):
        assert one is not other


@pytest.mark.parametrize("name", FORMS)
def test_what_is_no_message_of_the_library_is_refused(name):
    for item in (None, 3, {"role": "user", "content": "Hello."}):
        with pytest.raises(LoadError, match="in place of"):
            form_named(name).read(item)


def test_a_form_whose_library_is_absent_names_the_command(monkeypatch):
    monkeypatch.setitem(sys.modules, "autogen_core", None)
    with pytest.raises(MissingLibrary, match="pip install autogen-core"):
        registry.member("item_form", "autogen").target()
