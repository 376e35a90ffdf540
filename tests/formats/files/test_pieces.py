"""Pieces: which lines may be read apart from each other."""

from __future__ import annotations

import pytest

from historylab.formats.files.pieces import holds_conversation

SAID = [{"role": "user", "content": "hi"}]


@pytest.mark.parametrize("line", [{"messages": SAID}, {"conversations": SAID, "id": "7"}])
def test_a_line_with_messages_is_a_conversation_by_itself(line):
    assert holds_conversation(line)


@pytest.mark.parametrize("line", [{"call_type": "completion", "messages": SAID}, {"role": "user"}, SAID, None])
def test_a_message_or_a_logged_request_is_none(line):
    assert not holds_conversation(line)
