"""The state that a recording noted: read, never written, and nothing of it is taken on trust."""

from __future__ import annotations

import pytest

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.planning.recorded_state import noted_state


def with_state(state) -> Conversation:
    return Conversation([Message("user", "hello")], metadata={"noted_state": state})


def test_what_was_noted_is_read_and_nothing_else_is_kept():
    store = noted_state(with_state({"known": "value", "other": "2"}))
    assert store.read_state(iter(["known", "unknown"])) == {"known": "value"}
    assert store.write_states({"known": "late", "new": "1"}) == {"known": "value", "new": "1"}
    assert store.write_state("new", "2") == "2"
    assert store.read_state(["new"]) == {}
    assert store.delete_state(0) == 0


@pytest.mark.parametrize("state", [None, [], "text", {}, {"key": 5}, {5: "value"}])
def test_what_is_no_state_is_none(state):
    assert noted_state(with_state(state)) is None


def test_a_conversation_without_a_recording_has_none():
    assert noted_state(Conversation([Message("user", "hello")])) is None
