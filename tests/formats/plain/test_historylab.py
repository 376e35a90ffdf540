"""HistoryLab's own JSON: what was written is read again, whole."""

from __future__ import annotations

import json

import pytest
from conversation_strategies import conversations
from hypothesis import given, settings

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message, Usage
from historylab.errors import LoadError
from historylab.formats.convert import write
from historylab.formats.load import load
from historylab.formats.samples import load_sample, samples


def reread(conversation: Conversation) -> Conversation:
    return load(write(conversation).text.encode())[0]


def same(one: Conversation, other: Conversation) -> bool:
    about = [(c.messages, c.title, c.metadata, [b.messages for b in c.branches]) for c in (one, other)]
    return about[0] == about[1]


@given(conversations())
@settings(max_examples=50)
def test_any_conversation_is_read_as_it_was_written(conversation):
    if len(conversation):
        assert same(reread(conversation), conversation)


@pytest.mark.parametrize("name", samples())
def test_the_samples_are_read_as_they_were_written_all_in_one_file(name):
    loaded = load_sample(name)
    again = load(write(loaded).text.encode(), name="several.jsonl")
    assert len(again) == len(loaded)
    assert all(map(same, again, loaded))


def test_branches_usage_and_odd_characters_are_kept():
    shared = Message("user", "a\ud800\u2028\0", metadata={"usage": Usage(1, 2), "deep": {"x": (1, None)}})
    branch = Conversation([shared, Message("assistant", "older")], "older answer")
    whole = Conversation([shared, Message("assistant", "newer", replaces=(0,))], "t", {"k": [1]}, [branch])
    again = reread(whole)
    assert (again[0].content, again[1].replaces) == (shared.content, (0,))
    assert again.recorded.usage == whole.recorded.usage
    assert [b.title for b in again.branches] == ["older answer"]


def test_objects_of_the_callers_program_are_named_as_lost():
    written = write(Conversation([Message("user", "q", metadata={"handle": object()})], "t"))
    assert str(written.losses) == "objects of the caller's program (1)"


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ("hi", "text, not a message"),
        ({"content": "no role"}, "no role"),
        ({"role": "user", "content": 5}, "content is a number, not text"),
        ({"role": "user", "pinned": "yes"}, "pinned is text, not true or false"),
        ({"role": "user", "tool_calls": [{"id": 7}]}, "id of a call is a number, not text"),
        ({"role": "user", "sauce": 1}, "a field 'sauce', which no message has"),
        ({"role": "assistant", "tool_calls": [{"id": "c", "args": "{}"}]}, "a field 'args', which no call has"),
    ],
)
def test_a_message_of_another_shape_is_skipped_by_name(message, reason):
    file = {"historylab": 1, "conversations": [{"messages": [message, {"role": "user", "content": "kept"}]}]}
    loaded = load(json.dumps(file).encode())
    assert list(loaded.report.skipped) == [reason]
    assert [m.content for m in loaded[0]] == ["kept"]


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        ({"branches": {"x": 1}}, "branches that are an object, not a list"),
        ({"branches": ["x"]}, "a branch that is text, not a conversation"),
        ({"branches": [{"messages": {"x": [1]}}]}, "messages that are an object, not a list, in a branch"),
        ({"branches": [{"conversations": [1]}]}, "a field 'conversations' not read, in a branch"),
    ],
)
def test_branches_of_another_shape_are_named(parts, reason):
    file = {"historylab": 1, "conversations": [{"messages": [{"role": "user", "content": "kept"}], **parts}]}
    assert list(load(json.dumps(file).encode()).report.warnings) == [reason]


def test_a_format_that_is_only_read_says_which_can_be_written():
    with pytest.raises(LoadError, match="only read, not written; choose one of historylab"):
        write(Conversation([Message("user", "q")]), "mentu")
