"""A message as text: what it says, or how large it is where the file leaves its text out; and what was thought."""

from __future__ import annotations

from historylab import Message
from historylab.wording.message_text import full_text, preview, unsent_thinking


def test_a_message_of_known_size_says_that_its_text_is_not_in_the_file():
    message = Message("user", metadata={"tokens": 1234})
    assert full_text(message) == preview(message) == "(text not in the file: 1,234 tokens)"
    assert full_text(Message("user")) == "(empty)"


def test_thinking_is_what_an_answer_does_not_say_itself():
    assert unsent_thinking(Message("assistant", "4", metadata={"thinking": "2 + 2"})) == "2 + 2"
    assert unsent_thinking(Message("assistant", "2 + 2\n4", metadata={"thinking": "2 + 2"})) == ""
    assert unsent_thinking(Message("assistant", "4", metadata={"thinking": 7})) == ""
