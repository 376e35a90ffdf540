"""A recorded conversation that answers for itself: message for message, with its own tools' results."""

from __future__ import annotations

import pytest
from sketches import conv

from historylab.agent.events import Failed
from historylab.agent.loop import run_agent
from historylab.agent.replayed_tools import replayed_tools
from historylab.chat_models.replayed import ReplayedChatModel, next_messages, position_after
from historylab.conversation.conversation import Conversation
from historylab.errors import ModelError
from historylab.planning.pipeline import open_instruments
from historylab.settings.model import Settings

TRANSCRIPT = conv("s u a(t) a u a u a(t,t) a a u a")
ALL = Settings(policy="all", pruner="off")


def replayed(transcript: Conversation, requests: int | None = None) -> Conversation:
    """A chat that sends the transcript's next messages until none is left, or as often as said."""
    said, position, sent = Conversation(), 0, 0
    while (following := next_messages(transcript, position)) and sent != requests:
        position += len(following)
        model = ReplayedChatModel("replayed", transcript, position)
        *_, last = run_agent(
            said.followed_by(following),
            ALL,
            instruments=open_instruments(ALL, chat_model=model),
            tools=replayed_tools(transcript, position),
        )
        said, position, sent = last.conversation, model.position, sent + 1
    return said


def test_a_chat_with_it_is_the_transcript_again():
    again = replayed(TRANSCRIPT)
    assert [(m.role, m.content) for m in again] == [(m.role, m.content) for m in TRANSCRIPT]
    assert [[c.name for c in m.tool_calls] for m in again] == [[c.name for c in m.tool_calls] for m in TRANSCRIPT]


def test_where_a_chat_stands_in_it_follows_from_its_answers():
    assert position_after(TRANSCRIPT, Conversation()) == 0
    assert position_after(TRANSCRIPT, replayed(TRANSCRIPT, 1)) == 5
    assert position_after(TRANSCRIPT, TRANSCRIPT) == len(TRANSCRIPT)


def test_after_its_last_answer_it_says_so():
    assert next_messages(TRANSCRIPT, len(TRANSCRIPT)) == ()
    with pytest.raises(ModelError, match="no further answer") as caught:
        ReplayedChatModel("replayed", TRANSCRIPT, len(TRANSCRIPT)).complete([])
    assert caught.value.kind == "end"


def test_a_failure_names_the_error_that_caused_it():
    model = ReplayedChatModel("replayed", Conversation())
    *_, last = run_agent(conv("u"), ALL, instruments=open_instruments(ALL, chat_model=model))
    assert isinstance(last, Failed)
    assert isinstance(last.problem, ModelError)
