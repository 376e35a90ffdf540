"""The tree of a Claude Code session: rewinds, forks, resumes, subagents, and clocks that go back."""

from __future__ import annotations

import json

import pytest
from claude_sessions import Session, call, lines_of, result, text
from hypothesis import given
from hypothesis import settings as tried
from hypothesis import strategies as st

from historylab.formats.load import load


@pytest.fixture
def session() -> Session:
    return Session()


def test_a_rewind_is_followed_from_the_newest_leaf_and_what_was_left_is_a_branch(session):
    start = session.put("user", "Start.")
    session.put("assistant", [text("Wrong way.")], reply="m1")
    session.put("user", "No, back.")
    session.put("assistant", [text("Right way.")], reply="m2", parent=start)
    (conversation,) = loaded = session.load()
    assert lines_of(conversation) == ["u Start.", "a Right way."]
    (branch,) = conversation.branches
    assert lines_of(branch) == ["u Start.", "a Wrong way.", "u No, back."]
    assert branch.title == "from message 2: Wrong way."
    assert branch[0] is conversation[0]
    assert (loaded.report.records, loaded.report.skips, list(loaded.report.kept)) == (4, 0, ["other branches"])


def test_the_twenty_newest_branches_are_offered_and_older_ones_counted(session):
    start = session.put("user", "Start.")
    for k in range(24):
        session.put("assistant", [text(f"Try {k}.")], reply=f"m{k}", parent=start)
    (conversation,) = loaded = session.load()
    assert conversation[-1].content == "Try 23."
    assert [b[-1].content for b in conversation.branches] == [f"Try {k}." for k in range(22, 2, -1)]
    assert loaded.report.skipped["a record on a branch older than those offered"].count == 3


def test_a_fork_below_parallel_calls_keeps_their_results_in_every_branch(session):
    session.put("user", "Look at both.")
    first = session.put("assistant", [call("Read", "c1")], reply="m1")
    second = session.put("assistant", [call("Read", "c2")], reply="m1")
    session.put("user", [result("c1", "one")], parent=first)
    fork = session.put("user", [result("c2", "two")], parent=second)
    session.put("assistant", [text("Old.")], reply="m2")
    session.put("assistant", [text("New.")], reply="m3", parent=fork)
    (conversation,) = session.load()
    assert lines_of(conversation)[2:] == ["t one", "t two", "a New."]
    assert [lines_of(b)[2:] for b in conversation.branches] == [["t one", "t two", "a Old."]]
    assert conversation.branches[0].columns.clean


def test_the_newest_leaf_is_the_newest_by_time_not_by_place(session):
    start = session.put("user", "Start.")
    session.put("assistant", [text("Newer.")], reply="m1", timestamp="2026-01-01T12:00:00Z")
    session.put("assistant", [text("Older.")], reply="m2", parent=start, timestamp="2026-01-01T11:00:00Z")
    (conversation,) = session.load()
    assert lines_of(conversation) == ["u Start.", "a Newer."]


@pytest.mark.parametrize("back", [0, 1, 2, 3, 4, 5])
@pytest.mark.parametrize("late", ["2026-01-01T09:00:00Z", "2025-12-31T10:00:00Z", "soon", None, ""])
def test_no_record_is_lost_where_the_clock_goes_back(session, back, late):
    for k in range(6):
        session.put("user" if k % 2 == 0 else "assistant", [text(f"{k}")], **({"timestamp": late} if k >= back else {}))
    (conversation,) = loaded = session.load()
    assert [m.content for m in conversation] == list("012345")
    assert loaded.report.skips == 0


def test_where_the_clock_went_back_the_end_written_last_is_the_newest(session):
    session.put("user", "Start.")
    fork = session.put("assistant", [text("Begun.")], reply="m1", timestamp="2026-01-01T12:00:00Z")
    session.put("user", "No.", timestamp="2026-01-01T12:01:00Z")
    session.put("user", "After the clock.", parent=fork, timestamp="2026-01-01T11:00:00Z")
    session.put("assistant", [text("Yes.")], reply="m2", timestamp="2026-01-01T11:01:00Z")
    (conversation,) = session.load()
    assert lines_of(conversation) == ["u Start.", "a Begun.", "u After the clock.", "a Yes."]


def test_of_ends_of_the_same_time_the_later_in_the_file_is_the_newest(session):
    start = session.put("user", "Start.", timestamp="2026-01-01T10:00:00Z")
    for words in ("One.", "Two."):
        session.put("assistant", [text(words)], reply=words, parent=start, timestamp="2026-01-01T10:00:00Z")
    assert lines_of(session.load()[0]) == ["u Start.", "a Two."]


@tried(deadline=None, max_examples=60)
@given(st.data())
def test_every_record_of_a_tree_is_read_or_counted_whatever_its_times_and_links(data):
    session = Session()
    ids = [f"r{k}" for k in range(data.draw(st.integers(1, 9)))]
    moments = st.sampled_from(["2026-01-01T10:00:00Z", "2026-01-01T10:00:01Z", "2025-01-01T10:00:00Z", "soon", None])
    for k, own in enumerate(ids):
        session.put("user", f"{k}", uuid=own, parent=data.draw(st.sampled_from([*ids, "gone", None])))
        session.records[-1]["timestamp"] = data.draw(moments)
    loaded = session.load()
    assert len(loaded[0]) >= 1
    read = {id(m) for c in loaded for path in (c, *c.branches) for m in path}
    assert loaded.report.records == len(ids) == len(read) + loaded.report.skips


@tried(deadline=None, max_examples=60)
@given(st.data())
def test_a_session_never_ends_in_a_record_that_others_follow(data):
    session = Session()
    moments = st.sampled_from(["2026-01-01T10:00:00Z", "2026-01-01T10:00:01Z", "2025-01-01T10:00:00Z", "soon", None])
    for k in range(data.draw(st.integers(1, 9))):
        session.put("user", f"{k}", parent=data.draw(st.sampled_from([f"r{i}" for i in range(k)])) if k else None)
        session.records[-1]["timestamp"] = data.draw(moments)
    (conversation,) = session.load()
    assert conversation[-1].id not in {record["parentUuid"] for record in session.records}


def test_a_resumed_session_goes_on_under_another_session_id(session):
    session.put("user", "Start.")
    session.put("assistant", [text("Begun.")], reply="m1")
    session.put("user", "Go on.", sessionId="s2")
    (conversation,) = session.load()
    assert lines_of(conversation) == ["u Start.", "a Begun.", "u Go on."]


def test_a_compaction_is_crossed_by_its_logical_parent(session):
    session.put("user", "Before.")
    session.put("assistant", [text("Answer.")], reply="m1")
    logical = session.last
    session.put("system", parent=None, subtype="compact_boundary", logicalParentUuid=logical)
    session.put("user", "In short: before, answer.", isCompactSummary=True)
    session.put("user", "After.")
    (conversation,) = loaded = session.load()
    assert lines_of(conversation) == ["u Before.", "a Answer.", "u In short: before, answer.", "u After."]
    assert conversation[2].metadata == {"compact_summary": True}
    assert any("summary" in why for why in loaded.report.warnings)


def test_a_subagent_is_a_conversation_of_its_own(session):
    session.put("user", "Have it checked.")
    session.put("assistant", [call("Task", "c1")], reply="m1")
    main = session.last
    session.put("user", "Check it.", parent=None, isSidechain=True)
    session.put("assistant", [text("Checked.")], reply="x1", isSidechain=True)
    session.put("user", "Check that, too.", parent=None, isSidechain=True)
    session.put("assistant", [text("Fine.")], reply="x2", isSidechain=True)
    session.put("user", [result("c1", "Checked.")], parent=main)
    first, second, third = session.load()
    assert lines_of(first) == ["u Have it checked.", "a ", "t Checked."]
    assert lines_of(second) == ["u Check it.", "a Checked."]
    assert lines_of(third) == ["u Check that, too.", "a Fine."]
    assert second.title == "Subagent: Check it."
    assert second.metadata["sidechain"] is True


def test_named_subagents_stay_apart_though_their_lines_interleave(session):
    for agent in ("a", "b"):
        session.put("user", f"Task {agent}", parent=None, isSidechain=True, agentId=agent, uuid=f"{agent}1")
    for agent in ("a", "b"):
        session.put("assistant", [text(agent)], parent=f"{agent}1", isSidechain=True, agentId=agent, uuid=f"{agent}2")
    assert [lines_of(c) for c in session.load()] == [["u Task a", "a a"], ["u Task b", "a b"]]


def test_a_stream_of_records_keeps_subagents_apart_by_the_call_that_began_them():
    def line(kind, words, task=None):
        return {"type": kind, "session_id": "s1", "parent_tool_use_id": task, "message": {"content": [text(words)]}}

    lines = [
        line("user", "Go."),
        line("user", "Task.", "c1"),
        line("assistant", "Done.", "c1"),
        line("assistant", "Ok."),
    ]
    found = load("\n".join(map(json.dumps, lines)).encode())
    assert [lines_of(c) for c in found] == [["u Go.", "a Ok."], ["u Task.", "a Done."]]
    assert found[1].title == "Subagent: Task."


def test_links_that_go_round_in_a_circle_end():
    session = Session()
    for k in range(4):
        session.put("user", f"{k}", parent=f"r{(k + 1) % 4}")
    assert sum(map(len, session.load())) > 0
