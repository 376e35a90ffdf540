"""The OpenAI Agents SDK's session database: items in the order of their ids, sessions apart."""

from __future__ import annotations

import json

import pytest
from binary_samples import database, openai_agents__sessions_db

from historylab.formats.load import load


def saved(*items) -> bytes:
    rows = [(number, "s", item, "2026-02-01 08:00:00") for number, item in items]
    tables = {"agent_messages": ("id, session_id, message_data, created_at", rows)}
    return database({"agent_sessions": ("session_id", [("s",)]), **tables})


def test_sessions_are_told_apart_and_items_of_one_turn_are_one_message():
    locks, night = load(openai_agents__sessions_db())
    assert [m.role for m in locks] == ["user", "assistant", "tool", "assistant"]
    assert (locks[1].metadata["thinking"], locks[1].tool_calls[0].id) == ("Ask the lock.", "c1")
    assert (locks.title, night.title, night.metadata) == ("locks", "night", {"session_id": "night"})


def test_items_are_in_the_order_of_their_ids_whatever_their_times_say():
    items = [(2, json.dumps({"role": "user", "content": "b"})), (1, json.dumps({"role": "user", "content": "a"}))]
    (conversation,) = load(saved(*items))
    assert [m.content for m in conversation] == ["a", "b"]
    assert conversation[0].timestamp == "2026-02-01 08:00:00"


def test_what_is_no_item_is_skipped_with_the_reason():
    loaded = load(saved((1, '{"role": "user", "content": "a"}'), (2, "{"), (3, None), (4, "7")))
    assert {reason: tally.count for reason, tally in loaded.report.skipped.items()} == {
        "message_data that is no JSON": 2,
        "a number, not an object": 1,
    }


def test_a_session_that_the_sdk_wrote_itself_is_read(tmp_path):
    agents = pytest.importorskip("agents")
    import asyncio

    session = agents.SQLiteSession("s", tmp_path / "s.db")
    asyncio.run(session.add_items([{"role": "user", "content": "ask"}]))
    session.close()
    assert [m.content for m in load(tmp_path / "s.db")[0]] == ["ask"]


def test_branches_are_told_apart_and_the_one_with_the_newest_item_is_the_conversation():
    said = [json.dumps({"role": "user", "content": text}) for text in ("one", "two", "two, otherwise")]
    rows = [(i, "s", item, "2026-02-01 08:00:00") for i, item in enumerate(said, 1)]
    order = [("s", 1, "main", 1), ("s", 2, "main", 2), ("s", 1, "other", 3), ("s", 3, "other", 4)]
    tables = {"agent_messages": ("id, session_id, message_data, created_at", rows)}
    tables["message_structure"] = ("session_id, message_id, branch_id, sequence_number", order)
    loaded = load(database({"agent_sessions": ("session_id", [("s",)]), **tables}))
    (branch,) = loaded[0].branches
    assert [m.content for m in loaded[0]] == ["one", "two, otherwise"]
    assert ([m.content for m in branch], branch[0] is loaded[0][0]) == (["one", "two"], True)
    assert loaded.report.records == 3
