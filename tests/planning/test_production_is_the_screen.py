"""Production is the screen: what a server receives, request by request, is what replay shows of the whole conversation.

Thirty turns are played as a growing history: through `trim()` and the `openai` client, and through the agent loop.
Through the frameworks' own libraries they are in `tests/exporters/test_frameworks.py`.
"""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import openai
import pytest
from api_rules import refusals
from chat_server import ChatServer, says
from every_way import every_way
from thirty_turns import requests_of, thirty_turns

from historylab import Conversation, Settings, Timeline, replay, trim
from historylab.agent.loop import run_agent
from historylab.agent.request import request_of
from historylab.conversation.message import Message
from historylab.formats.messages.chat_messages import to_messages
from historylab.planning.plan import HistoryPlan

WAYS = {name: settings.replace(counter="chars/4") for name, settings in every_way().items()}  # much the faster counter
FEW = [
    *("octopus, tight", "mentu, tight", "pruner summarize", "agentdock", "mycoder, tight", "tagged_prompt of off"),
    *("tool_output truncate", "compaction rolling", "one agent's view", "no system messages"),
]
every = pytest.mark.parametrize("settings", WAYS.values(), ids=WAYS)
some = pytest.mark.parametrize("name", [*FEW[:2], *(pytest.param(name, marks=pytest.mark.slow) for name in FEW[2:])])
SAMPLED = slice(3, None, 11)  # requests: early and late, within and after tool calls


@pytest.fixture(scope="module")
def server() -> Iterator[ChatServer]:
    with ChatServer(says("ok")) as server:
        yield server


def histories(settings: Settings, room: bool) -> list[list[dict]]:
    """The history of every request an application makes; an agent of its own view answers for itself alone."""
    agent = settings.options.get("projection.point_of_view.agent", "") if room else ""
    return [history for history, answer in requests_of(thirty_turns(room)) if not agent or answer["name"] == agent]


def shown(settings: Settings, room: bool) -> Timeline:
    return replay(Conversation(to_messages(thirty_turns(room))), settings)


def received(server: ChatServer, sent: list[list[Any]]) -> list[list[dict]]:
    """What the server gets when the `openai` client sends these."""
    server.requests.clear()
    with openai.OpenAI(base_url=server.url, api_key="none", max_retries=0) as client:
        for messages in sent:
            client.chat.completions.create(model="tiny", messages=messages)
    return [request["messages"] for request in server.requests]


def in_short(record: dict) -> tuple:
    """A record on the wire: role, text, pictures, calls with their arguments parsed, and whose result it is."""
    content = record.get("content") or []
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
    texts = "\n".join(part["text"] for part in parts if part["type"] == "text")
    pictures = [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]
    calls = [
        (c["id"], c["function"]["name"], json.loads(c["function"]["arguments"])) for c in record.get("tool_calls", ())
    ]
    return record["role"], texts, pictures, calls, record.get("tool_call_id"), record.get("name")


def as_rendered(message: Message) -> tuple:
    """The same of a message as it is shown: its pictures are the ones the caller gave."""
    pictures = [part["image_url"]["url"] for part in (message.source or {}).get("content") or () if "image_url" in part]
    assert len(pictures) == len(message.media)
    calls = [(c.id, c.name, json.loads(c.arguments)) for c in message.tool_calls]
    return message.role, message.content, pictures, calls, message.tool_call_id, message.name


def assert_the_same(got: list[list[dict]], plans: tuple[HistoryPlan, ...]) -> None:
    assert len(got) == len(plans)
    for messages, plan in zip(got, plans, strict=True):
        assert [in_short(m) for m in messages] == [as_rendered(m) for m in plan.render()]
        read, counter = to_messages(messages), plan.history.counter
        assert refusals(read) == []
        assert counter.count(read).sum() + counter.per_request == plan.tokens
        assert messages[-1]["role"] != "assistant"


@some
def test_what_trim_sends_is_what_replay_shows(server, name):
    room = name == "one agent's view"
    sent = [trim(history, WAYS[name]) for history in histories(WAYS[name], room)]
    assert_the_same(received(server, sent), shown(WAYS[name], room).plans)


@pytest.mark.slow
@every
def test_and_so_it_is_every_way_there_is_in_a_room(server, settings):
    asked, plans = histories(settings, room=True), shown(settings, room=True).plans
    assert len(asked) == len(plans)
    sent = [trim(history, settings) for history in asked[SAMPLED]]
    assert_the_same(received(server, sent), plans[SAMPLED])


@some
def test_without_a_client_between_them_they_are_the_same_bytes(server, name):
    settings = WAYS[name]
    plans = replay(Conversation(to_messages(given := thirty_turns())), settings).plans
    for (history, _), plan in list(zip(requests_of(given), plans, strict=True))[::7]:
        bodies = [
            json.dumps({"model": "tiny", "messages": messages}).encode()
            for messages in (
                trim(history, settings),
                [m.source or {"role": m.role, "content": m.content} for m in plan.render()],
            )
        ]
        urllib.request.urlopen(urllib.request.Request(f"{server.url}/chat", bodies[0]))
        assert server.bytes[-1] == bodies[1]


class Timetable:
    """The tool of the thirty turns: its results are those recorded, in order."""

    name = "timetable"

    def __init__(self, records: list[dict]):
        self.schema = {"type": "function", "function": {"name": self.name, "parameters": {"type": "object"}}}
        self._results = iter([m["content"] for m in records if m["role"] == "tool"])

    def __call__(self, **arguments: Any) -> str:
        return next(self._results)


def played(settings: Settings, server: ChatServer) -> Conversation:
    """What is said in the end when the thirty turns run in the agent loop, their answers coming from the server."""
    records = thirty_turns()
    after_tools = [after for before, after in pairwise(records) if before["role"] == "tool" != after["role"]]
    updates = iter([record if record["role"] == "system" else None for record in after_tools])
    answers = [answer for _, answer in requests_of(records)]
    server.behaviours[:] = [says(a["content"], calls=a.get("tool_calls")) for a in answers]
    tool, conversation, plan = Timetable(records), Conversation(), None
    while len(conversation) < len(records):
        asked = next(k for k in range(len(conversation), len(records)) if records[k]["role"] == "assistant")
        said = [*conversation, *to_messages(records[len(conversation) : asked])]
        asked_now = conversation.edited(said)
        *_, last = run_agent(asked_now, settings, tools=[tool], status=lambda *_: next(updates), previous=plan)
        conversation, plan = last.conversation, last.plan
    return conversation


@some
def test_what_the_agent_loop_sends_is_what_replay_shows(server, name, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    settings = WAYS[name].replace(model="tiny", window=WAYS[name].window or 100_000)
    server.requests.clear()
    conversation = played(settings, server)
    plans = replay(conversation, settings).plans
    assert [request["messages"] for request in server.requests] == [request_of(plan) for plan in plans]
    assert len(plans) == 60
