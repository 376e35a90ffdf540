"""Messages as OpenAI's Responses API, Pydantic AI, Haystack and the AI SDK hold them, and read back."""

from __future__ import annotations

import copy
from dataclasses import replace
from itertools import groupby

import pytest
from conversation_strategies import conversations
from hypothesis import given

from historylab import registry
from historylab.conversation.message import Message, ToolCall
from historylab.errors import LoadError, MissingLibrary
from historylab.generators.support_desk import support_desk
from historylab.generators.tool_loop import tool_loop

FORMS = ("responses", "pydantic_ai", "haystack", "ai_sdk")
CALLS = (ToolCall("a", "look", '{"at": 1}'), ToolCall("b", "look", '{"at": '))
ROUND = [
    Message("user", "Look twice."),
    Message("assistant", "I look.", tool_calls=CALLS),
    Message("tool", "one", tool_call_id="a"),
    Message("tool", "two", tool_call_id="b"),
    Message("user", "And?"),
    Message("assistant", "Seen."),
]


def form_named(name):
    try:
        return registry.member("item_form", name).target()
    except MissingLibrary as problem:
        pytest.skip(str(problem))


def write(form, messages):
    return form.write(messages, [f"m{i}" for i in range(len(messages))])


def read_back(form, messages):
    """What is read of each item, its pieces put together where they are of one message."""
    pieces = [
        (places[0] if len(places) == 1 else (places, k), read)
        for item, places in write(form, messages)
        for k, read in enumerate(form.read(item))
    ]
    return [join([read for _, read in row]) for _, row in groupby(pieces, lambda each: each[0])]


def join(pieces):
    calls = tuple(call for piece in pieces for call in piece.tool_calls)
    return replace(pieces[0], content="".join(piece.content for piece in pieces), tool_calls=calls)


def words(message):
    role = message.role if message.role in ("system", "assistant", "tool") else "user"
    return role, message.content, message.tool_calls, message.tool_call_id or None, message.media


@pytest.mark.parametrize("name", FORMS)
@given(conversation=conversations())
def test_what_was_written_is_read_back(name, conversation):
    assert [*map(words, read_back(form_named(name), list(conversation)))] == [*map(words, conversation)]


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("made", [support_desk(turns=6), tool_loop(turns=2, rounds=4)], ids=["desk", "loop"])
def test_a_whole_conversation_is_read_back(name, made):
    assert [*map(words, read_back(form_named(name), list(made)))] == [*map(words, made)]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("responses", [(0,), (1,), (1,), (1,), (2,), (3,), (4,), (5,)]),
        ("pydantic_ai", [(0,), (1,), (2, 3, 4), (5,)]),
        ("haystack", [(0,), (1,), (2,), (3,), (4,), (5,)]),
        ("ai_sdk", [(0,), (1,), (2, 3), (4,), (5,)]),
    ],
)
def test_an_item_holds_what_the_library_puts_together(name, expected):
    assert [places for _, places in write(form_named(name), ROUND)] == expected


@pytest.mark.parametrize("name", FORMS)
def test_a_copy_is_known_by_its_marks(name):
    form = form_named(name)
    read = [read for item, _ in write(form, ROUND) for read in form.read(copy.deepcopy(item))]
    marks = [message.id for message in read if message.role == "assistant" or name != "responses"]
    assert list(dict.fromkeys(marks)) == (["m1", "m5"] if name == "responses" else [f"m{i}" for i in range(6)])


@pytest.mark.parametrize("name", FORMS)
def test_nothing_is_shared_with_what_was_written_before(name):
    form = form_named(name)
    for (one, _), (other, _) in zip(write(form, ROUND), write(form, ROUND), strict=True):
        assert one is not other


@pytest.mark.parametrize("name", FORMS)
def test_what_is_no_item_is_refused(name):
    for item in (None, 3, {"type": "weather"}):
        with pytest.raises(LoadError):
            form_named(name).read(item)


def test_pydantic_ai_says_a_retry_in_the_role_of_what_it_answers():
    form = form_named("pydantic_ai")
    from pydantic_ai.messages import ModelRequest, RetryFeedbackPart, RetryInfo, ToolReturnPart

    feedback = RetryFeedbackPart("Shorter, please.", retry=RetryInfo(cause="model_retry"))
    retried = ToolReturnPart("look", "No such page.", "a", outcome="retried")
    read = form.read(ModelRequest([retried, feedback]))
    assert [(message.role, message.tool_call_id) for message in read] == [("tool", "a"), ("user", None)]
    assert "Shorter, please." in read[1].content
