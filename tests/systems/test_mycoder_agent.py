"""mycoder's agent: the loop with its default tool, its updates, its system prompt and its limit."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from sketches import conv

from historylab.agent.events import Compacted, Failed, Finished, Planned, StatusUpdated
from historylab.agent.loop import run_agent
from historylab.agent.tools import as_tool
from historylab.chat_models.base import Reply
from historylab.chat_models.scripted import ScriptedChatModel, call
from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message, ToolCall, Usage
from historylab.planning.pipeline import open_instruments
from historylab.settings.model import Settings
from historylab.systems.mycoder import (
    MAX_ITERATIONS,
    PRESET,
    Checkpoints,
    TokenTracker,
    Tracker,
    get_system_prompt,
    system_prompt_lines,
    tool_agent,
)

ASKED = Conversation([Message("user", "Mend the build.")])


def look() -> str:
    """Looks."""
    return "seen"


def run(*replies, conversation=ASKED, settings=PRESET, **options):
    """All events, and the requests the model was sent."""
    model = ScriptedChatModel(replies=replies)
    instruments = open_instruments(settings, chat_model=model)
    events = tool_agent(conversation, settings, instruments=instruments, tools=[as_tool(look)], **options)
    return list(events), model.asked


def only(events, kind) -> list:
    return [event for event in events if isinstance(event, kind)]


@pytest.mark.feature("C08")
@pytest.mark.slow  # two hundred requests, each planned
def test_the_published_limit_is_the_one_the_loop_obeys():
    assert MAX_ITERATIONS == 200
    endless = [call("look")] * 300
    events, _ = run(*endless, settings=PRESET.replace(compaction="off"))
    assert len(only(events, Planned)) == 200
    assert "no answer after 200 requests" in events[-1].reason
    instruments = open_instruments(Settings(policy="all", pruner="off"), chat_model=ScriptedChatModel(replies=endless))
    plain = list(run_agent(ASKED, Settings(policy="all", pruner="off"), instruments=instruments, tools=[as_tool(look)]))
    assert len(only(plain, Planned)) == 200


@pytest.mark.feature("C08")
def test_another_limit_may_be_given():
    events, _ = run(*[call("look")] * 9, max_iterations=3)
    assert (len(only(events, Planned)), isinstance(events[-1], Failed)) == (3, True)


@pytest.mark.feature("C24")
def test_the_tool_is_among_the_agents_tools_without_being_named_and_compacts_its_history():
    checkpoints, tracker = Checkpoints(), TokenTracker()
    replies = (call("compactHistory", preserveRecentMessages=3), Reply("Much was said.", (), Usage(70, 7)), "done")
    events, asked = run(
        *replies, conversation=conv("u a " * 10 + "u", words=20), checkpoints=checkpoints, token_tracker=tracker
    )
    assert [tool["function"]["name"] for tool in asked[0]["tools"]] == ["compactHistory", "look"]
    (compacted,) = only(events, Compacted)
    assert compacted.by == "compactHistory"
    assert asked[-1]["messages"][1]["content"] == "[COMPACTED MESSAGE HISTORY]: Much was said."
    assert len(checkpoints) == 1
    assert tracker.get_total_usage().usage == events[-1].usage
    assert events[-1].usage.input >= 70


@pytest.mark.feature("C14", "C17")
def test_at_the_threshold_the_agents_history_is_compacted_by_itself():
    settings = PRESET.replace(window=300, **{"compaction.preserve_recent.messages": 2})
    events, asked = run("done", conversation=conv("u a " * 10 + "u", words=20), settings=settings)
    assert len(only(events, Compacted)) == 1
    assert any("[COMPACTED MESSAGE HISTORY]" in m["content"] for m in asked[0]["messages"])
    assert isinstance(events[-1], Finished)


@dataclass
class Job:
    id: str
    description: str
    status: str


class Jobs:
    """A tracker of sub-agents: whatever it knows of when it is asked."""

    def __init__(self):
        self.jobs = [Job("sa_1", "read the docs", "running"), Job("sa_2", "run the tests", "error")]

    def get_active(self):
        return self.jobs


@pytest.mark.feature("C20", "C24")
def test_updates_name_the_agents_of_a_tracker_as_they_are_when_an_update_is_due():
    jobs = Jobs()
    assert isinstance(jobs, Tracker)

    def finish() -> str:
        """Ends the first job."""
        jobs.jobs[0].status = "completed"
        return "ended"

    model = ScriptedChatModel(replies=[*[call("finish")] * 5, "done"])
    instruments = open_instruments(PRESET, chat_model=model)
    events = list(tool_agent(ASKED, PRESET, instruments=instruments, tools=[as_tool(finish)], agents=jobs))
    (update,) = only(events, StatusUpdated)
    assert "Active Sub-Agents: 2\n- sa_1: read the docs [Completed]\n- sa_2: run the tests [Error]\n" in update.text
    assert model.asked[-1]["messages"][-1] == {"role": "system", "content": update.text}


@pytest.mark.feature("C03", "C20")
def test_one_threshold_rules_compaction_updates_hints_and_system_prompt():
    events, asked = run(
        Reply("", (ToolCall("1", "look", "{}"),), Usage(700, 10)),
        "done",
        settings=PRESET.replace(window=1_000, threshold=0.7),
    )
    assert "approaches 70% of the maximum" in asked[0]["messages"][0]["content"]
    assert "Your token usage is high (71%)" in only(events, StatusUpdated)[0].text


@pytest.mark.feature("C25")
def test_the_system_prompt_has_the_lines_once_behind_the_conversations_own_instructions():
    lines = "\n".join(system_prompt_lines())
    assert get_system_prompt("Be brief.") == f"Be brief.\n\n{lines}"
    assert get_system_prompt(get_system_prompt("Be brief.")) == get_system_prompt("Be brief.")
    assert get_system_prompt().endswith(lines)
    events, asked = run("done", conversation=Conversation([Message("system", "Be brief."), *ASKED]))
    assert [m["content"] for m in asked[0]["messages"]] == [get_system_prompt("Be brief."), "Mend the build."]
    again = events[-1].conversation.edited([*events[-1].conversation, Message("user", "And now?")])
    _, asked = run("done", conversation=again)
    assert [m["role"] for m in asked[0]["messages"]] == ["system", "user", "assistant", "user"]
    _, asked = run("done", get_system_prompt=lambda instructions, **_: "Mine alone.")
    assert asked[0]["messages"][0] == {"role": "system", "content": "Mine alone."}


# -- a chat: one run a question


def asked_in_turn(questions: int, **options):
    """A chat of so many questions, each answered in one response that used 700 of 10,000 tokens."""
    said = Conversation([])
    for number in range(questions):
        said = said.followed_by([Message("user", f"Question {number + 1}?")])
        reply = Reply(f"Answer {number + 1}.", usage=Usage(input=600, output=100))
        events, _ = run(reply, conversation=said, settings=PRESET.replace(window=10_000), **options)
        said = events[-1].conversation
    return said


def updates_in(said: Conversation) -> list[tuple[str, str]]:
    """Of each update the answer before it, and the costs it names."""
    found, answer = [], ""
    for message in said:
        answer = message.content if message.role == "assistant" else answer
        if message.content.startswith("--- STATUS"):
            found.append((answer, next(line for line in message.content.splitlines() if line.startswith("Cost"))))
    return found


def test_a_chat_gets_an_update_every_five_responses_with_its_costs_so_far_however_few_a_question_takes():
    assert updates_in(asked_in_turn(12)) == [
        ("Answer 5.", "Cost So Far: $0.02"),
        ("Answer 10.", "Cost So Far: $0.03"),
    ]


def test_an_update_that_was_sent_is_not_sent_again_where_its_question_is_asked_again():
    said = asked_in_turn(6)
    asked = said.beginning(len(said) - 1)
    events, _ = run("Again.", conversation=asked, settings=PRESET.replace(window=10_000))
    assert only(events, StatusUpdated) == []
    assert updates_in(events[-1].conversation) == updates_in(said)


def test_an_update_that_is_due_once_nothing_reports_usage_goes_by_the_request_before():
    said = Conversation([Message(role, "Hm.") for _ in range(5) for role in ("user", "assistant")])
    asked = said.followed_by([Message("user", "And?")])
    (update,) = only(run("Yes.", conversation=asked, last_request=300)[0], StatusUpdated)
    assert "Token Usage: 300" in update.text
    assert only(run("Yes.", conversation=asked)[0], StatusUpdated) == []
