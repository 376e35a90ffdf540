"""Whole sessions: sub-agents joined to the calls that made them, compactions' own calls, folders, resumed sessions."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import pytest
from claude_sessions import Session, call, result, text, usage

from historylab import load
from historylab.conversation.message import Usage
from historylab.errors import LoadError, TooLarge
from historylab.formats.files.folders import open_folder
from historylab.formats.files.pieces import split_file
from historylab.formats.load import first_asking, load_alone

CHAT = json.dumps([{"role": "user", "content": "Hello."}, {"role": "assistant", "content": "Hi."}])


def session_that_asks_an_agent(prompt: str = "Count the lamps.", **told) -> Session:
    """Message 1 calls; message 2 is the result."""
    session = Session()
    session.put("user", "How many lamps are there?")
    session.put("assistant", [call("Task", "t1", prompt=prompt)], reply="m1", usage=usage(5))
    session.put("user", [result("t1", "Seven.")], **told)
    session.put("assistant", [text("Seven lamps.")], reply="m2", usage=usage(6))
    return session


def agent(prompt: str = "Count the lamps.", name: str | None = "a77", **more) -> Session:
    side, said = Session(), {"isSidechain": True, **({"agentId": name} if name else {}), **more}
    side.put("user", prompt, uuid=f"{name}-1", parent=None, **said)
    side.put("assistant", [text("Seven.")], uuid=f"{name}-2", reply=f"{name}-m", usage=usage(3), **said)
    return side


ASKED = {"toolUseResult": {"agentId": "a77", "status": "completed"}}


@pytest.fixture
def session_file(tmp_path) -> Path:
    return session_that_asks_an_agent(**ASKED).save(tmp_path / "s1.jsonl")


def titles(loaded) -> list[str]:
    return [one.title for one in loaded]


# -- sub-agents


@pytest.mark.parametrize("place", ["s1/subagents/agent-a77.jsonl", "agent-a77.jsonl"])
def test_a_sub_agents_file_is_found_beside_its_session_and_joined_to_the_call(session_file, place):
    agent().save(session_file.parent / place)
    main, child = load(session_file)
    assert main.recorded.children == (("a77", 1),)
    assert child.recorded.parent == (main.recorded.id, 1) == ("s1", 1)
    assert main[1].tool_calls[0].name == "Task"


def test_the_file_of_another_session_stays_where_it_is(session_file):
    agent(sessionId="another").save(session_file.parent / "agent-a77.jsonl")
    assert len(load(session_file)) == 1


def test_a_sub_agents_own_file_opens_alone(session_file):
    for name in ("a77", "b12"):
        agent(name=name).save(session_file.parent / f"agent-{name}.jsonl")
    assert [one.recorded.id for one in load(session_file.parent / "agent-b12.jsonl")] == ["b12"]


def test_a_file_without_neighbours_opens_as_before(session_file):
    assert load(session_file).report.kept == {}
    assert load(session_file)[0].recorded.children == ()


def test_an_older_files_sub_agent_is_known_by_its_prompt():
    session, side = session_that_asks_an_agent(), agent(name=None)
    session.records += side.records
    main, child = session.load()
    assert main.recorded.children == ((child.recorded.id, 1),)
    assert child.recorded.parent == ("s1", 1)
    assert child.recorded.id != main.recorded.id


def test_sub_agents_called_alike_have_a_call_each():
    session = Session()
    session.put("user", "Twice.")
    session.put("assistant", [call("Task", "t1", prompt="Look."), call("Task", "t2", prompt="Look.")], reply="m1")
    session.put("user", [result("t1", "a"), result("t2", "b")])
    session.put("assistant", [call("Task", "t3", prompt="Look.")], reply="m2")
    for name in ("x", "y", "z"):
        session.records += agent("Look.", name).records
    assert [child.recorded.parent for child in session.load()[1:]] == [("s1", 1), ("s1", 1), ("s1", 4)]


def test_a_streams_sub_agent_names_the_call_itself():
    session = Session()
    session.put("user", "How many?")
    calls = [call("Task", "t1", prompt="Look."), call("Task", "t2", prompt="Look.")]
    session.put("assistant", calls, reply="m1")
    for name in ("t2", "t1"):
        session.put("user", f"For {name}.", parent=None, parent_tool_use_id=name, uuid=f"u-{name}")
    main, *children = session.load()
    assert [(one[0].content, one.recorded.parent) for one in children] == [
        ("For t2.", ("s1", 1)),
        ("For t1.", ("s1", 1)),
    ]
    assert sorted(main.recorded.children) == [("t1", 1), ("t2", 1)]


def test_a_sub_agent_that_nobody_called_is_kept_without_a_parent(session_file):
    agent("Tidy up.", "b12").save(session_file.parent / "s1/subagents/agent-b12.jsonl")
    _, child = load(session_file)
    assert child.recorded.parent is None


def test_a_session_that_never_asks_is_still_the_first(tmp_path):
    session = Session()
    session.put("assistant", [text("Ready.")])
    agent().save(tmp_path / "s1/subagents/agent-a77.jsonl")
    loaded = load(session.save(tmp_path / "s1.jsonl"))
    assert loaded[0][0].content == "Ready."


def test_the_report_names_what_was_found_beside_the_file_and_what_could_not_be_read(session_file):
    agent().save(session_file.parent / "s1/subagents/agent-a77.jsonl")
    (session_file.parent / "s1/subagents/agent-b.jsonl").write_text("")
    report = load(session_file).report
    assert report.kept["sub-agents' files beside it"].count == 1
    assert (report.conversations, report.messages) == (2, 6)
    assert [(reason, at.first) for reason, at in report.skipped.items()] == [
        ("a sub-agent's file: the file is empty", "agent-b.jsonl")
    ]


def test_a_corpus_counts_a_sub_agent_once(session_file):
    side = agent().save(session_file.parent / "s1/subagents/agent-a77.jsonl")
    read = [one for path in (session_file, side) for piece in split_file(str(path)) for one in piece.read()]
    assert len(read) == 2
    assert len(load_alone(session_file)) == 1


def test_a_codex_session_knows_what_it_spawned(tmp_path):
    for name, lines in codex_sessions().items():
        (tmp_path / name).write_text("\n".join(map(json.dumps, lines)))
    main, child = load(tmp_path)
    assert (main.recorded.children, child.recorded.parent) == ((("c2", 1),), ("c1", 1))


def test_a_codex_sessions_sub_agent_is_found_beside_it_by_its_name(tmp_path):
    main, child = codex_sessions().values()
    (tmp_path / "rollout-2026-01-01-c1.jsonl").write_text("\n".join(map(json.dumps, main)))
    (tmp_path / "rollout-2026-01-01-c2.jsonl").write_text("\n".join(map(json.dumps, child)))
    (tmp_path / "rollout-2026-01-01-c3.jsonl").write_text("\n".join(map(json.dumps, child)))
    assert [one.recorded.id for one in load(tmp_path / "rollout-2026-01-01-c1.jsonl")] == ["c1", "c2"]
    assert [one.recorded.id for one in load(tmp_path / "rollout-2026-01-01-c2.jsonl")] == ["c2"]


def test_a_forked_codex_session_is_a_branch_of_what_both_say(tmp_path):
    main, _ = codex_sessions().values()
    told = [codex_message("assistant", "Seven."), codex_message("user", "Sure?")]
    later = [{**line, "timestamp": "2026-01-02T10:00:00Z"} for line in [*main, *told]]
    later[0] = {"type": "session_meta", "payload": {"id": "c9", "forked_from_id": "c1"}}
    main.append(codex_message("assistant", "Eight."))
    for name, lines in (("a.jsonl", main), ("b.jsonl", later)):
        (tmp_path / name).write_text("\n".join(map(json.dumps, lines)))
    (joined,) = load(tmp_path)
    assert [m.content for m in joined][-2:] == ["Seven.", "Sure?"]
    assert [m.content for m in joined.branches[0]][-1] == "Eight."
    assert joined[0] is joined.branches[0][0]


def test_a_codex_sub_agent_that_began_with_its_callers_history_is_a_sub_agent(tmp_path):
    main, child = codex_sessions().values()
    child[0]["payload"]["forked_from_id"] = "c1"
    for name, lines in (("a.jsonl", main), ("b.jsonl", child)):
        (tmp_path / name).write_text("\n".join(map(json.dumps, lines)))
    assert [one.recorded.parent for one in load(tmp_path)] == [None, ("c1", 1)]


def codex_item(**payload) -> dict:
    return {"type": "response_item", "timestamp": "2026-01-01T10:00:00Z", "payload": payload}


def codex_message(role: str, words: str) -> dict:
    kind = "input_text" if role == "user" else "output_text"
    return codex_item(type="message", role=role, content=[{"type": kind, "text": words}])


def codex_sessions() -> dict[str, list[dict]]:
    spawn = codex_item(type="function_call", name="spawn_agent", call_id="k", arguments='{"message": "Count."}')
    spawned = codex_item(type="function_call_output", call_id="k", output='{"agent_id": "c2"}')
    source = {"subagent": {"thread_spawn": {"parent_thread_id": "c1"}}}
    main = [{"type": "session_meta", "payload": {"id": "c1"}}, codex_message("user", "How many?"), spawn, spawned]
    child = [{"type": "session_meta", "payload": {"id": "c2", "source": source}}, codex_message("user", "Count.")]
    return {"rollout-1.jsonl": main, "rollout-2.jsonl": [*child, codex_message("assistant", "Seven.")]}


# -- the call that wrote a summary


@pytest.fixture
def compacted(tmp_path) -> Path:
    session = session_that_asks_an_agent(**ASKED)
    session.put("system", parent=None, subtype="compact_boundary", compactMetadata={"trigger": "auto", "preTokens": 9})
    session.put("user", "Summary: seven lamps.", isCompactSummary=True)
    session.put("user", "Thanks.")
    call = agent("Write a summary.", "acompact-f1", timestamp="2026-01-01T10:04:30Z")
    call.save(tmp_path / "s1/subagents/agent-acompact-f1.jsonl")
    return session.save(tmp_path / "s1.jsonl")


def test_the_call_that_wrote_a_summary_belongs_to_its_cut(compacted):
    (main,) = load(compacted)
    (cut,) = main.recorded.compactions
    assert cut.usage == Usage(4, 3, 70, 9)
    assert main.recorded.children == ()


def test_the_call_of_a_compaction_that_never_came_is_a_conversation(compacted):
    late = agent("Write a summary.", "acompact-f1", timestamp="2026-01-01T11:00:00Z")
    late.save(compacted.parent / "s1/subagents/agent-acompact-f1.jsonl")
    assert len(load(compacted)) == 2


# -- folders


def test_a_folder_opens_as_its_sessions_each_with_its_sub_agents(tmp_path):
    session_that_asks_an_agent(**ASKED).save(tmp_path / "s1.jsonl")
    agent().save(tmp_path / "s1/subagents/agent-a77.jsonl")
    (tmp_path / "s0.json").write_text(CHAT)
    (tmp_path / "zz.txt").write_text("nothing of the kind")
    (tmp_path / ".hidden.json").write_text(CHAT)
    loaded = load(tmp_path)
    assert titles(loaded) == ["s0", "s1", "Subagent: Count the lamps."]
    assert loaded[2].recorded.parent == ("s1", 1)
    assert {reason: at.first for reason, at in loaded.report.skipped.items()} == {"a file in no format known": "zz.txt"}


def test_sub_agents_stand_after_their_session_as_they_were_called(tmp_path):
    agent("Other", "b1", sessionId="s2").save(tmp_path / "agent-1.jsonl")
    agent().save(tmp_path / "agent-2.jsonl")
    session_that_asks_an_agent(**ASKED).save(tmp_path / "x1.jsonl")
    session_that_asks_an_agent("Other", sessionId="s2").save(tmp_path / "x2.jsonl")
    found = load(tmp_path)
    assert [one.recorded.id for one in found][:2] == ["s1", "a77"]
    assert first_asking(found) == 0


def test_an_archive_of_the_folder_is_joined_by_the_names_in_it(session_file):
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("p/s1.jsonl", session_file.read_text())
        file.writestr("p/s1/subagents/agent-a77.jsonl", agent().lines)
    assert [one.recorded.parent for one in load(archive.getvalue())] == [None, ("s1", 1)]


def test_archives_in_a_folder_are_read(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as file:
        file.writestr("chat.json", CHAT)
    (tmp_path / "b.json").write_text(CHAT)
    assert len(load(tmp_path)) == 2


def test_a_folder_has_limits(tmp_path, monkeypatch):
    (tmp_path / "large.json").write_text(CHAT * 10)
    (tmp_path / "small.json").write_text(CHAT)
    loaded = load(tmp_path, max_bytes=2 * len(CHAT))
    assert (len(loaded), list(loaded.report.skipped)) == (1, ["a file of more than 0 MB"])
    (tmp_path / "more.json").write_text(CHAT + " " * len(CHAT))
    with pytest.raises(TooLarge, match="this folder holds more than"):
        load(tmp_path, max_bytes=2 * len(CHAT))
    monkeypatch.setattr("historylab.formats.files.archives.MAX_ENTRIES", 1)
    with pytest.raises(TooLarge, match="3 files, more than 1"):
        open_folder(tmp_path, 1_000)


def test_links_in_a_folder_are_not_followed(tmp_path):
    (tmp_path / "inside").mkdir()
    (tmp_path / "chat.json").write_text(CHAT)
    (tmp_path / "inside/link.json").symlink_to(tmp_path / "chat.json")
    with pytest.raises(LoadError, match="no transcript is in this folder"):
        load(tmp_path / "inside")


# -- resumed sessions


def resumed(session: Session, *more: str, name: str = "s2") -> Session:
    later = Session()
    later.records = [{**record, "sessionId": name} for record in session.records]
    later.last = session.last
    for words in more:
        later.put("user", words, sessionId=name)
    return later


def test_a_session_that_goes_on_from_another_is_told_once(tmp_path):
    before = session_that_asks_an_agent(**ASKED)
    before.save(tmp_path / "s1.jsonl")
    agent().save(tmp_path / "s1/subagents/agent-a77.jsonl")
    resumed(before, "And in the cellar?").save(tmp_path / "s2.jsonl")
    main, child = load(tmp_path)
    assert (len(main), main.branches) == (5, ())
    assert (main.recorded.id, main.recorded.children, child.recorded.parent) == ("s2", (("a77", 1),), ("s2", 1))


def test_a_session_that_went_on_by_itself_is_a_branch(tmp_path):
    before = session_that_asks_an_agent()
    resumed(before, "And in the cellar?").save(tmp_path / "s2.jsonl")
    before.put("user", "And in the attic?", timestamp="2026-01-01T09:00:00Z")
    before.save(tmp_path / "s1.jsonl")
    (main,) = load(tmp_path)
    assert main[-1].content == "And in the cellar?"
    assert [(branch.title, len(branch)) for branch in main.branches] == [("from message 5: And in the attic?", 5)]
    assert main[0] is main.branches[0][0]


def test_of_many_that_went_on_by_themselves_the_newest_are_offered(tmp_path, monkeypatch):
    monkeypatch.setattr("historylab.formats.messages.branching.MOST_BRANCHES", 2)
    before = session_that_asks_an_agent()
    for n in range(5):
        later = resumed(before, f"Part {n}?", name=f"s{n}")
        later.records[-1] |= {"uuid": f"u{n}", "timestamp": f"2026-01-0{n + 2}T10:00:00Z"}
        later.save(tmp_path / f"s{n}.jsonl")
    (main,) = loaded = load(tmp_path)
    assert [one[-1].content for one in (main, *main.branches)] == ["Part 4?", "Part 3?", "Part 2?"]
    assert loaded.report.warnings["a branch older than those offered"].count == 2


def test_sessions_that_only_begin_with_the_same_words_stay_apart(tmp_path):
    session_that_asks_an_agent().save(tmp_path / "s1.jsonl")
    other = Session()
    other.put("user", "How many lamps are there?", uuid="other", sessionId="s2")
    other.save(tmp_path / "s2.jsonl")
    assert len(load(tmp_path)) == 2
