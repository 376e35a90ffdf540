"""`with_thinking`: thinking is off the request unless it is asked for."""

from __future__ import annotations

from historylab import Settings, replay
from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message

SAID = Conversation(
    [
        Message("user", "Is it lit?"),
        Message("assistant", "Yes.", metadata={"thinking": "The fuse is whole."}),
        Message("user", "Sure?", metadata={"thinking": "no answer"}),
    ]
)


def sent(**chosen) -> list[str]:
    return [message.content for message in replay(SAID, Settings(**chosen)).plans[-1].render()]


def test_thinking_is_not_sent_by_default():
    assert sent() == ["Is it lit?", "Yes.", "Sure?"]


def test_thinking_stands_before_the_answer_it_led_to():
    assert sent(projection="with_thinking") == ["Is it lit?", "The fuse is whole.\nYes.", "Sure?"]


def test_its_tokens_count():
    plain, thought = (replay(SAID, Settings(projection=name)).tokens[-1] for name in ("off", "with_thinking"))
    assert thought > plain
