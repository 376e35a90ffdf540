"""The demonstration: the scripted model calls its tools, and knows only what its request holds."""

from __future__ import annotations

import pytest

from historylab.agent.events import Finished, ToolResult
from historylab.agent.ferry_desk import FULL, answer_at_the_desk, ferry_timetable, ferry_tools
from historylab.agent.loop import run_agent
from historylab.chat_models.scripted import ScriptedChatModel
from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.planning.pipeline import open_instruments
from historylab.settings.model import Settings
from historylab.systems.mycoder.compaction_tool import COMPACT_HISTORY_TOOL

ALL = Settings(policy="all", pruner="off")


def talk(*said: str, settings: Settings = ALL, tools=()) -> list:
    """The events of the last answer of a chat in which the user says this."""
    instruments = open_instruments(settings, chat_model=ScriptedChatModel("desk", answer_at_the_desk))
    conversation, events = Conversation(), []
    for text in said:
        asked = conversation.followed_by([Message("user", text)])
        events = list(run_agent(asked, settings, instruments=instruments, tools=tools))
        conversation = events[-1].conversation
    return events


def answer(*said: str, **options) -> str:
    assert isinstance(talk(*said, **options)[-1], Finished)
    return talk(*said, **options)[-1].text


def test_a_question_about_ferries_is_answered_from_the_timetable():
    events = talk("When does a ferry go to Dursey on Friday?", tools=ferry_tools())
    assert [event.call.name for event in events if isinstance(event, ToolResult)] == ["ferry_timetable"]
    assert events[-1].text == "To Dursey on Friday: 08:10, 12:40, 16:20. An adult pays €14."
    assert "rough" in answer("How rough is the sea on Sunday?", tools=ferry_tools())


def test_it_remembers_what_its_request_holds_and_nothing_else():
    told = ("My booking is FR-7731.", "Thanks.", "What is my booking?")
    assert answer(*told) == "Your booking is FR-7731."
    assert "I don't see your booking" in answer(*told, settings=Settings(policy="lastN", length=1))


def test_without_tools_and_with_nothing_it_knows_it_says_what_it_was_sent():
    assert "no timetable" in answer("Which boats sail tomorrow?")
    assert "I was sent 1 message; the oldest of yours is “hm”" in answer("hm")


def test_an_island_without_a_ferry_is_named():
    with pytest.raises(LookupError, match="Skellig, Dursey, Garinish"):
        ferry_timetable("Atlantis")


def test_a_full_window_is_compacted_once_though_the_status_says_so_again():
    full = {"role": "system", "content": f"--- STATUS UPDATE ---\nPlease {FULL}."}
    called = answer_at_the_desk([{"role": "user", "content": "hello"}, full], [COMPACT_HISTORY_TOOL])
    assert [call.name for call in called.tool_calls] == ["compactHistory"]
    calls = [{"id": "c", "type": "function", "function": {"name": "compactHistory", "arguments": "{}"}}]
    done = [
        {"role": "assistant", "content": None, "tool_calls": calls},
        {"role": "tool", "tool_call_id": "c", "content": "Not enough messages."},
        full,
    ]
    assert not answer_at_the_desk(done, [COMPACT_HISTORY_TOOL]).tool_calls
