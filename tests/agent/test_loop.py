"""The agent loop: what it sends, the tools it runs, the events on the way, and that replay shows the same."""

from __future__ import annotations

import json

import pytest
from chat_server import ChatServer, calls, hangs_up, says
from sketches import conv

from historylab.agent.events import (
    Compacted,
    Failed,
    Finished,
    Planned,
    Replied,
    StatusUpdated,
    TextDelta,
    ToolCalled,
    ToolResult,
)
from historylab.agent.loop import run_agent
from historylab.agent.request import request_of
from historylab.agent.tools import as_tool
from historylab.chat_models.base import Reply
from historylab.chat_models.scripted import ScriptedChatModel, call
from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message, ToolCall, Usage
from historylab.conversation.recorded import sent_share
from historylab.errors import InstrumentError
from historylab.formats.messages.chat_messages import to_messages
from historylab.planning.pipeline import open_instruments
from historylab.planning.replay import replay
from historylab.settings.model import Settings
from historylab.summarizers.reply_cache import REPLIES
from historylab.systems.mycoder.checkpoints import Checkpoints
from historylab.systems.mycoder.compaction_tool import CompactHistoryTool
from historylab.systems.mycoder.status import StatusUpdates, generate_status_update
from historylab.systems.toolpack import InMemoryConversationStore, Participant, StoredMessage
from historylab.systems.toolpack.conversation_search import conversation_search_tool

ALL = Settings(policy="all", pruner="off")
ASKED = Conversation([Message("system", "Be brief."), Message("user", "How far is Graz?")])


@pytest.fixture(autouse=True)
def _nothing_remembered():
    REPLIES.forget()


def look_up(city: str, unit: str = "km") -> dict:
    """How far a city is."""
    return {"city": city, "distance": 190, "unit": unit}


def breaks() -> str:
    """Always fails."""
    raise RuntimeError("the line is cut")


def go(*replies, conversation=ASKED, settings=ALL, tools=(look_up, breaks), **options):
    """All events of a run with a scripted model, and the model."""
    model = ScriptedChatModel(replies=replies)
    made = [as_tool(tool) if callable(tool) and not hasattr(tool, "schema") else tool for tool in tools]
    instruments = open_instruments(settings, chat_model=model)
    return list(run_agent(conversation, settings, instruments=instruments, tools=made, **options)), model


def only(events, kind) -> list:
    return [event for event in events if isinstance(event, kind)]


def roles(conversation) -> str:
    return " ".join(message.role for message in conversation)


def assert_replay_shows_what_was_sent(model, conversation, settings) -> None:
    timeline = replay(conversation, settings, instruments=open_instruments(settings, chat_model=model))
    shown = [request_of(plan) for plan in timeline.plans]
    sent = [asked["messages"] for asked in model.asked if asked["temperature"] is None]  # a summariser sets one
    assert shown[-len(sent) :] == sent


def test_an_answer_without_tools_is_one_request():
    events, model = go("About 190 km.")
    assert [type(event) for event in events] == [Planned, TextDelta, TextDelta, Replied, Finished]
    assert "".join(event.text for event in only(events, TextDelta)) == "About 190 km."
    assert model.asked[0]["messages"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "How far is Graz?"},
    ]
    finished = events[-1]
    assert (finished.text, roles(finished.conversation)) == ("About 190 km.", "system user assistant")
    assert len(ASKED) == 2


def test_tools_are_run_and_their_results_sent_with_the_next_request():
    parallel = Reply("", (ToolCall("a", "look_up", '{"city": "Graz"}'), ToolCall("b", "look_up", '{"city": "Linz"}')))
    events, model = go(parallel, "Both are near.")
    assert [e.call.id for e in events if isinstance(e, ToolCalled | ToolResult)] == ["a", "a", "b", "b"]
    first, second = model.asked[1]["messages"][-2:]
    assert (first["tool_call_id"], json.loads(first["content"])["city"]) == ("a", "Graz")
    assert (second["tool_call_id"], json.loads(second["content"])["city"]) == ("b", "Linz")
    assert_replay_shows_what_was_sent(model, events[-1].conversation, ALL)


def test_the_model_is_told_of_the_tools_by_their_signatures_and_given_the_reserve_as_room():
    _, model = go("ok", settings=ALL.replace(reserve=300))
    function = model.asked[0]["tools"][0]["function"]
    assert (function["name"], function["description"]) == ("look_up", "How far a city is.")
    assert function["parameters"]["required"] == ["city"]
    assert function["parameters"]["properties"]["unit"]["default"] == "km"
    assert model.asked[0]["max_tokens"] == 300


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (call("breaks"), "breaks failed: RuntimeError: the line is cut"),
        (call("fly"), "fly failed: LookupError: there is no such tool; there are: look_up, breaks"),
        (Reply("", (ToolCall("x", "look_up", '{"city": '),)), "the arguments are broken JSON"),
        (Reply("", (ToolCall("x", "look_up", "[1]"),)), "the arguments must be a JSON object"),
        (call("look_up", town="Graz"), "TypeError"),
    ],
)
def test_what_goes_wrong_with_a_tool_is_told_to_the_model_and_the_loop_goes_on(asked, told):
    events, model = go(asked, "I could not look it up.")
    (result,) = only(events, ToolResult)
    assert result.failed
    assert told in result.text
    assert model.asked[1]["messages"][-1]["content"] == result.text
    assert isinstance(events[-1], Finished)


def test_calls_without_ids_of_their_own_get_some():
    twice = Reply("", (ToolCall("", "look_up", '{"city": "a"}'), ToolCall("", "look_up", '{"city": "b"}')))
    events, _ = go(twice, "done")
    conversation = events[-1].conversation
    assert conversation.columns.clean
    assert len({e.call.id for e in only(events, ToolResult)}) == 2


def test_usage_adds_up_and_stays_with_the_messages():
    events, _ = go(call("look_up", city="Graz"), Reply("190 km", (), Usage(20, 3, 100)))
    assert events[-1].usage == Usage(30, 8, 100)
    answers = [m for m in events[-1].conversation if m.role == "assistant"]
    assert [m.metadata["usage"] for m in answers] == [Usage(10, 5), Usage(20, 3, 100)]


def test_a_model_that_fails_ends_the_run_where_it_can_be_taken_up_again():
    events, _ = go(call("look_up", city="Graz"), InstrumentError("asked 'm' for an answer: nobody there"))
    failed = events[-1]
    assert (failed.reason, failed.usage) == ("asked 'm' for an answer: nobody there", Usage(10, 5))
    again, _ = go("190 km", conversation=failed.conversation)
    assert roles(again[-1].conversation) == "system user assistant tool assistant"


def test_a_setting_that_cannot_be_planned_fails_in_words():
    settings = Settings(compaction="at_threshold", model="nobody-knows")
    events, _ = go("never", settings=settings)
    assert "window" in events[-1].reason


def test_a_model_that_never_stops_calling_is_stopped():
    events, model = go(*[call("look_up", city="x")] * 9, most_requests=3)
    assert events[-1].reason.startswith("no answer after 3 requests")
    assert len(model.asked) == 3


@pytest.mark.parametrize("conversation", [Conversation(), conv("s u a")])
def test_nothing_to_answer_fails_without_a_request(conversation):
    events, model = go("hello", conversation=conversation)
    assert [type(event) for event in events] == [Failed]
    assert model.asked == []


SETTINGS = [
    Settings(policy="lastN", length=2),
    Settings(policy="all", pruner="fifo", budget=400),
    Settings(policy="all", pruner="fifo", budget=400, layout="systems_first"),
    Settings(policy="all", pruner="summarize", budget=400),
    Settings(policy="all", compaction="at_threshold", window=800, pruner="fifo", budget=600),
    Settings(policy="all", compaction="rolling", **{"compaction.rolling.messages": 8}),
    Settings(policy="all", tool_output="clear", **{"tool_output.clear.keep": 1}),
    Settings(policy="all", pruner="summarize", summarizer="model", budget=400),
]


@pytest.mark.parametrize("settings", SETTINGS, ids=range(len(SETTINGS)))
@pytest.mark.parametrize("hand_over", [True, False])
def test_what_is_sent_over_many_turns_is_what_replay_shows(settings, hand_over):
    class Writes(ScriptedChatModel):
        """Answers an agent from the script, and a summariser always alike."""

        def complete(self, messages, *, temperature=None, **rest):
            if temperature is None:
                return super().complete(messages, **rest)
            self.asked.append({"messages": messages, "temperature": temperature})
            return Reply(f"Then {len(messages[1]['content'])} characters were said.", (), Usage(5, 5))

    script = [reply for k in range(6) for reply in (call("look_up", f"c{k}", city="word " * 30), f"answer {k} " * 25)]
    model, conversation, plan = Writes(replies=script), Conversation([Message("system", "Be brief.")]), None
    instruments = open_instruments(settings, chat_model=model)
    for k in range(6):
        asked = conversation.edited([*conversation, Message("user", f"question {k} " * 10)])
        *_, last = run_agent(asked, settings, instruments=instruments, tools=[as_tool(look_up)], previous=plan)
        conversation, plan = last.conversation, last.plan if hand_over else None
    assert len([a for a in model.asked if a["temperature"] is None]) == 12
    assert_replay_shows_what_was_sent(model, conversation, settings)


def test_a_summary_in_the_plan_is_announced_with_its_author_and_paid_for():
    settings = Settings(policy="all", pruner="summarize", summarizer="model", budget=600)
    long = conv("s u:100 a:300 u:10")
    events, _ = go("A summary of it.", "The answer.", conversation=long, settings=settings)
    (compacted,) = only(events, Compacted)
    assert (compacted.by, compacted.note, len(compacted.conversation)) == ("model scripted", "", len(long))
    summary = events[-1].plan.summary
    assert compacted.messages == summary.covers
    reply = only(events, Replied)[0].reply
    assert events[-1].usage == reply.usage + summary.usage


def test_status_updates_come_after_the_tools_and_before_the_next_request():
    updates = StatusUpdates(frequency=2)

    def status(total, window):
        return generate_status_update(total, window) if updates.due(total, window) else None

    settings = ALL.replace(window=1_000)
    events, model = go(*[call("look_up", city="Graz")] * 3, "190 km", settings=settings, status=status)
    (update,) = only(events, StatusUpdated)
    assert "Token Usage: 15/1,000 (2%)" in update.text
    assert model.asked[2]["messages"][-1] == {"role": "system", "content": update.text}
    assert_replay_shows_what_was_sent(model, events[-1].conversation, settings)


def test_the_agent_compacts_its_own_history_and_it_can_be_undone():
    checkpoints = Checkpoints()
    summariser = ScriptedChatModel(replies=[Reply("Much was said.", (), Usage(70, 7))])
    tool = CompactHistoryTool(summariser, checkpoints=checkpoints)
    long = conv("s " + "u a " * 10 + "u", words=20)
    events, model = go(
        call("look_up", city="Graz"), call("compactHistory", preserveRecentMessages=3), "done",
        conversation=long, tools=(look_up, tool),
    )  # fmt: skip
    (compacted,) = only(events, Compacted)
    assert (compacted.by, compacted.messages) == ("compactHistory", 21)
    assert "Successfully compacted 21 messages" in only(events, ToolResult)[-1].text
    sent = model.asked[-1]["messages"]
    assert [m["role"] for m in sent] == ["system", "system", "assistant", "tool", "assistant", "tool"]
    assert sent[1]["content"] == "[COMPACTED MESSAGE HISTORY]: Much was said."
    assert events[-1].usage.input >= 70
    assert events[-1].conversation.columns.clean
    restored = Conversation(to_messages(checkpoints.restore(checkpoints.list()[0].id)))
    assert [m.content for m in restored][: len(long)] == [m.content for m in long]


@pytest.mark.parametrize("arguments", [{"preserveRecentMessages": 0}, {"preserveRecentMessages": "3"}])
def test_a_compaction_asked_for_wrongly_changes_nothing(arguments):
    events, _ = go(call("compactHistory", **arguments), "done", tools=(CompactHistoryTool(ScriptedChatModel()),))
    assert only(events, ToolResult)[0].failed
    assert only(events, Compacted) == []


def test_the_agent_searches_its_own_conversation_only():
    store = InMemoryConversationStore()
    for where in ("mine", "yours"):
        participant = Participant("user", "ada")
        store.append(StoredMessage("1", where, participant, f"my order, {where}", "2026-01-01T00:00:00Z", "dm"))
    search = conversation_search_tool(store, "mine")
    events, _ = go(call("conversation_search", query="order", conversation_id="yours"), "done", tools=(search,))
    (result,) = only(events, ToolResult)
    assert [found["content"] for found in json.loads(result.text)["results"]] == ["my order, mine"]


def test_images_are_sent_and_what_else_a_file_had_is_not():
    parts = [{"type": "text", "text": "What is this?"}, {"type": "image_url", "image_url": {"url": "data:,x"}}]
    record = {"role": "user", "content": parts, "timestamp": 1_700_000_000, "id": "m1"}
    _, model = go("A fern.", conversation=Conversation(to_messages([record])))
    assert model.asked[0]["messages"] == [{"role": "user", "content": parts}]


def test_an_agent_over_real_http_opened_from_the_environment(monkeypatch):
    with ChatServer(calls(("look_up", '{"city": "Graz"}')), says("190 km"), hangs_up) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        settings = ALL.replace(model="tiny")
        events = list(run_agent(ASKED, settings, tools=[as_tool(look_up)]))
        asked_again = events[-1].conversation.edited([*events[-1].conversation, Message("user", "Sure?")])
        failed = list(run_agent(asked_again, settings))[-1]
    assert (events[-1].text, events[-1].usage) == ("190 km", Usage(72, 14, 128))
    shown = [request_of(plan) for plan in replay(events[-1].conversation, settings).plans]
    assert shown == [request["messages"] for request in server.requests[:2]]
    assert "connection broke" in failed.reason


def test_an_answer_knows_of_how_many_tokens_its_usage_is_where_less_than_all_was_sent():
    trims = Settings(policy="lastN", length=1, pruner="off")
    for settings, shares in ((trims, [True]), (Settings(policy="all", pruner="off"), [False])):
        instruments = open_instruments(settings, chat_model=ScriptedChatModel(replies=["yes"]))
        *_, last = run_agent(conv("u a u a u"), settings, instruments=instruments)
        assert [sent_share(last.conversation[-1]) < 1] == shares
