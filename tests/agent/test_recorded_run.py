"""A run of the agent on record: it opens as what it was, with its plans, its tools and its failures."""

from __future__ import annotations

import json

from sketches import conv

from historylab import load
from historylab.agent.events import Failed, Finished
from historylab.agent.ferry_desk import answer_at_the_desk, ferry_tools
from historylab.agent.loop import run_agent
from historylab.agent.recorded_run import Recording, recorded_run
from historylab.chat_models.scripted import ScriptedChatModel
from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.errors import ModelError
from historylab.planning.pipeline import open_instruments
from historylab.recordings.noted_state import NotedState
from historylab.recordings.recorder import Recorder
from historylab.settings.model import Settings
from historylab.stores.base import open_store

SETTINGS = Settings(policy="lastN", length=2, pruner="off")


class Chat:
    """A chat of this test."""


def recorded(*said: str, rule=answer_at_the_desk) -> tuple[list, list[dict]]:
    """The last events of a chat in which the user says this, and the lines of its recording."""
    store = open_store("memory://")
    recorder = Recorder(store, keep_days=None)
    recording = Recording(recorder, NotedState(store), Chat(), "c-1", "HistoryLab chat")
    model, conversation, events, tools = ScriptedChatModel("desk", rule), Conversation(), [], ferry_tools()
    for text in said:
        asked = conversation.followed_by([Message("user", text)])
        instruments = open_instruments(SETTINGS, chat_model=model, store=recording.state)
        run = run_agent(asked, SETTINGS, instruments=instruments, tools=tools)
        events = list(recorded_run(run, recording, SETTINGS, "desk", tools))
        conversation = events[-1].conversation
    recorder.close()
    return events, [json.loads(record.text) for record in store.read_records(conversation="c-1")]


def test_what_was_recorded_opens_as_the_chat_it_was():
    events, lines = recorded("Which ferry goes to Dursey?", "My dog is Tom.", "Is the sea rough?", "What is my dog?")
    assert isinstance(events[-1], Finished)
    assert [line["app"] for line in lines] == ["HistoryLab chat"] * 6
    (opened,) = load("\n".join(map(json.dumps, lines)).encode())
    said = events[-1].conversation
    assert [(m.role, m.content) for m in opened] == [(m.role, m.content) for m in said]
    assert lines[-1]["plan"]["decisions"].startswith("D")
    assert lines[-1]["same"] > 0


def test_a_refused_request_is_recorded_with_its_error():
    def refuses(_messages, _tools):
        raise ModelError("asked 'desk' for an answer: no", "server", status=503)

    events, (line,) = recorded("hello", rule=refuses)
    assert isinstance(events[-1], Failed)
    assert (line["status"], line["error"]) == (503, "asked 'desk' for an answer: no")


def test_a_run_without_messages_records_nothing():
    store = open_store("memory://")
    recording = Recording(Recorder(store, keep_days=None), NotedState(store), Chat(), "c-1", "x")
    events = list(recorded_run(run_agent(conv(""), SETTINGS), recording, SETTINGS, "desk"))
    assert isinstance(events[-1], Failed)
    assert store.read_records() == []
