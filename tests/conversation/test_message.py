"""A message is a value: it can't be changed, and is the same once it has been copied or sent to another process."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError, fields, replace

import pytest

from historylab.conversation.message import Message, ToolCall

SAID = Message("assistant", "Done.", "m1", tool_calls=(ToolCall("c1", "run", "{}"),), metadata={"model": "gpt-5.5"})


@pytest.mark.parametrize("name", [field.name for field in fields(Message)])
def test_no_field_can_be_set(name):
    with pytest.raises(FrozenInstanceError):
        setattr(SAID, name, "")


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m)), replace])
def test_a_copy_is_the_same_message(copied):
    assert copied(SAID) == SAID
    assert repr(copied(SAID)) == repr(SAID)


def test_messages_do_not_share_their_metadata():
    assert Message("user").metadata == {}
    assert Message("user").metadata is not Message("user").metadata


def test_a_message_has_a_role():
    with pytest.raises(TypeError, match="role"):
        Message()
