"""The room: authors, mentions, scopes and times, as filters and one agent's view of it need them."""

from __future__ import annotations

from itertools import pairwise

import pytest

from historylab import Settings, plan_history
from historylab.conversation.message import instant
from historylab.formats.frameworks.toolpack import read_stored_message
from historylab.generators.base import generate
from historylab.generators.room import AGENTS, PEOPLE
from historylab.planning.pipeline import project
from historylab.planning.strategies.filters.participants import named_authors

ROOM = generate("room", turns=60)
AS_ROTA = Settings(
    policy="all", pruner="off", projection="point_of_view", options={"projection.point_of_view.agent": "rota"}
)


def stored(message):
    """As toolpack-agents stores it."""
    said = dict(message.metadata)
    who = {"kind": said.pop("participantKind"), "id": said.pop("participant"), "displayName": message.name}
    record = {"id": message.id, "content": message.content, "timestamp": message.timestamp}
    return record | {"participant": who, "scope": said.pop("scope"), "metadata": said}


def test_its_messages_are_what_a_toolpack_store_would_return():
    assert [read_stored_message(stored(message)) for message in ROOM[1:]] == list(ROOM[1:])


def test_everybody_speaks():
    assert set(named_authors(ROOM)) == {*PEOPLE, *AGENTS}
    assert set(named_authors(ROOM, agents=True)) == {*AGENTS}


@pytest.mark.parametrize("agent", AGENTS)
def test_one_agents_view_makes_all_others_its_users(agent):
    view = project(ROOM, AS_ROTA.replace(**{"projection.point_of_view.agent": agent}))
    for before, after in zip(ROOM[1:], view[1:], strict=True):
        own = before.metadata["participant"] == agent
        assert after.role == ("assistant" if own else "user")
        kind = " (agent)" if before.role == "assistant" else ""
        assert after.content == (before.content if own else f"{before.name}{kind}: {before.content}")


def test_who_is_mentioned_is_who_answers():
    asked = [m for m in ROOM if set(m.metadata.get("mentions", ())) & {*AGENTS}]
    after = {m.id: following for m, following in pairwise(ROOM)}
    assert len(asked) > 40
    assert all(after[m.id].metadata["participant"] in m.metadata["mentions"] for m in asked[:-1])


def test_addressed_only_leaves_what_concerns_the_agent():
    plan = plan_history(ROOM, AS_ROTA.replace(filter="addressed_only"))
    kept = [m for m, action in zip(ROOM, plan.sketch(), strict=True) if action != "D"]
    assert 3 < len(kept) < len(ROOM) / 2
    assert {m.metadata["participant"] for m in kept if m.role == "assistant"} >= {"rota"}
    assert "PDD" in plan.sketch()[:5], "the rules are the archivist's"


@pytest.mark.parametrize(
    "filters",
    [
        {"filter": "scope"},
        {"filter": "participants", "filter.participants.ids": "u-nadia,archivist"},
        {"filter": "time_window", "filter.time_window.minutes": 60},
    ],
    ids=lambda chosen: chosen["filter"],
)
def test_every_filter_has_something_to_leave_out(filters):
    sketch = plan_history(ROOM, Settings(policy="all", pruner="off").replace(**filters)).sketch()
    assert 0 < sketch.count("D") < len(ROOM) - 2


def test_times_go_forward():
    times = [instant(message.timestamp) for message in ROOM[1:]]
    assert times == sorted(times)
