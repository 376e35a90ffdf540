"""Production is the screen: what a server receives, request by request, is what replay shows of the whole conversation.

Thirty turns are played as a growing history through a Trimmer and each provider's client, over real HTTP, by two
processes that lose all they remember in the middle; and through the agent loop. Through the frameworks' own libraries
they are in `tests/frameworks/test_frameworks.py`.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from itertools import pairwise
from typing import Any

import pytest
from api_rules import refusals
from chat_server import ChatServer, Handler, says
from every_way import every_way
from framework_apps import plain, rendered
from production import Judged, judged, judged_reassigned, play, shown
from production_clients import CLIENTS
from thirty_turns import requests_of, thirty_turns

from historylab import Conversation, Settings, Trimmer, replay
from historylab.agent.loop import run_agent
from historylab.agent.request import request_of
from historylab.formats.messages.chat_messages import to_messages
from historylab.stores.base import open_store

WAYS = {name: settings.replace(counter="chars/4") for name, settings in every_way().items()}  # much the faster counter
FEW = [
    *("octopus, tight", "mentu, tight", "pruner summarize", "tagged_prompt of off", "tool_output truncate"),
]
every = pytest.mark.parametrize("settings", WAYS.values(), ids=WAYS)
some = pytest.mark.parametrize("name", [*FEW[:2], *(pytest.param(name, marks=pytest.mark.slow) for name in FEW[2:])])
clients = pytest.mark.parametrize("client", CLIENTS.values(), ids=CLIENTS)
ALL = Judged(60, 60)  # requests, all as they should be
SAMPLED = slice(3, None, 11)  # requests: early and late, within and after tool calls


@pytest.fixture(scope="module")
def writing() -> Iterator[ChatServer]:
    def behave(handler: Handler) -> None:
        says(f"{len(handler.server.requests)}: they asked when ferries leave.")(handler)

    with ChatServer(behave) as server:
        yield server


@pytest.fixture
def writer(writing, monkeypatch) -> ChatServer:
    """A model that writes summaries, another text each time."""
    writing.requests.clear()
    monkeypatch.setenv("OPENAI_BASE_URL", writing.url)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    return writing


@pytest.fixture(scope="module")
def pool() -> Iterator[Executor]:
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        yield pool


@pytest.fixture
def worker(pool, writer) -> Executor:
    """A second process, begun in the environment of the first test that asks it: its writer is that of all."""
    return pool


@some
def test_what_a_trimmer_sends_is_what_replay_shows(name):
    client = CLIENTS["openai, Chat Completions"]
    played = play(client, WAYS[name])
    plans = shown(played, WAYS[name])
    assert judged(client, played, plans) == ALL
    assert played.over_said == [plan.over_budget for plan in plans]


@pytest.mark.slow
@pytest.mark.xdist_group("two processes")  # the second has all libraries to load
@clients
def test_and_so_it_is_in_two_processes_that_restart(client, worker, writer, tmp_path):
    pytest.importorskip(client.library)
    store = f"sqlite:///{tmp_path / 'kept.db'}"
    settings = WAYS["pruner summarize"].replace(summarizer="model", model="writer")
    first, asked = play(client, settings, store=store, worker=worker), len(writer.requests)
    again = play(client, settings, store=store, worker=worker)
    plans = shown(first, settings, store=open_store(store))
    assert judged(client, first, plans) == ALL
    assert again.bodies == first.bodies
    texts = {plan.summary.text for plan in plans if plan.summary and plan.summary.text.endswith(" leave.")}
    assert len(writer.requests) == asked == len(texts) > 3


@pytest.mark.slow
@every
def test_and_so_it_is_every_way_there_is_in_a_room(settings):
    records = thirty_turns(room=True)
    agent = settings.options.get("projection.point_of_view.agent", "")  # it answers for itself alone
    asked = [history for history, answer in requests_of(records) if not agent or answer["name"] == agent]
    plans, trimmer = replay(Conversation(to_messages(records)), settings).plans, Trimmer(settings)
    assert len(asked) == len(plans)
    for history, plan in list(zip(asked, plans, strict=True))[SAMPLED]:
        assert [plain(m) for m in trimmer.trim(history)] == rendered(plan)
        assert refusals(plan.render()) == []


@pytest.mark.slow
@clients
@pytest.mark.parametrize("name", ["pruner summarize", "mentu, tight"])
def test_where_what_was_sent_takes_the_historys_place_one_summary_absorbs_the_former(client, name):
    pytest.importorskip(client.library)
    assert judged_reassigned(client, play(client, WAYS[name], reassign=True), WAYS[name]) == ALL


@pytest.fixture(scope="module")
def server() -> Iterator[ChatServer]:
    with ChatServer(says("ok")) as server:
        yield server


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
