"""OpenCode and Kilo Code: exports, the database, the storage folder; compactions, cleared results, sub-agents."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from binary_samples import opencode__opencode_db

from historylab.conversation.sent import sent_histories
from historylab.formats.load import Conversations, load

TIME = 1770000000000


def part(text: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": text, **more}


def tool(call: str = "c", **state: Any) -> dict[str, Any]:
    return {"type": "tool", "callID": call, "tool": "bash", "state": {"input": {"command": "ls"}, **state}}


def said(name: str, role: str, *parts: Any, at: int = 0, **more: Any) -> dict[str, Any]:
    return {"info": {"id": name, "role": role, "time": {"created": TIME + 1000 * at}, **more}, "parts": [*parts]}


def export(*messages: Any, **info: Any) -> Conversations:
    session = {"id": "ses_1", "time": {"created": TIME}, **info}
    return load(json.dumps({"info": session, "messages": messages}).encode())


ASK = said("m1", "user", part("hi"))
COMPACT = {"type": "compaction", "auto": True}


def sketch(loaded: Conversations) -> list[tuple[str, str]]:
    return [(m.role, m.content) for m in loaded[0]]


def test_a_tools_part_is_a_call_and_its_result():
    loaded = export(ASK, said("m2", "assistant", part("I look"), tool(status="completed", output="a.py")))
    assert sketch(loaded) == [("user", "hi"), ("assistant", "I look"), ("tool", "a.py")]
    assert loaded[0][1].tool_calls[0].arguments == '{"command":"ls"}'


def test_a_tool_that_runs_still_has_no_result():
    assert [role for role, _ in sketch(export(ASK, said("m2", "assistant", tool(status="running"))))] == [
        "user",
        "assistant",
    ]


def test_a_failed_tool_answers_with_its_error():
    result = export(ASK, said("m2", "assistant", tool(status="error", error="no such file")))[0][-1]
    assert (result.content, result.metadata) == ("no such file", {"is_error": True})


def test_reasoning_counts_as_output_and_the_cache_apart():
    tokens = {"input": 5, "output": 7, "reasoning": 2, "cache": {"read": 90, "write": 3}}
    answer = export(ASK, said("m2", "assistant", part("yo"), modelID="gpt-5", tokens=tokens))[0][1]
    assert answer.metadata["usage"] == {"input": 5, "output": 9, "cache_reads": 90, "cache_writes": 3}
    assert answer.metadata["model"] == "gpt-5"


def test_what_the_program_put_into_a_prompt_is_a_message_of_its_own():
    loaded = export(said("m1", "user", part("see @a"), part("Called Read", synthetic=True), part("", ignored=True)))
    assert [(m.content, m.injected) for m in loaded[0]] == [("see @a", False), ("Called Read", True)]


def test_a_compaction_sends_its_summary_and_what_it_kept():
    made = said("m4", "assistant", part("Sum"), summary=True)
    loaded = export(
        ASK, said("m2", "user", part("two")), said("m3", "user", COMPACT | {"tail_start_id": "m2"}), made, ASK
    )
    (history,) = sent_histories(loaded[0]) or ()
    assert (history.size, history.sent, history.summary) == (4, ((2, 4), (1, 2)), 3)
    assert (history.cut.trigger, history.summarized) == ("auto", ((0, 1),))


def test_a_compaction_without_a_summary_cuts_nothing():
    assert sent_histories(export(ASK, said("m2", "user", COMPACT), said("m3", "assistant", part("no")))[0]) is None


def test_a_result_is_cleared_from_the_first_message_after_that_time():
    cleared = tool(status="completed", output="long", time={"compacted": TIME + 1500})
    loaded = export(ASK, said("m2", "assistant", cleared, at=1), said("m3", "user", part("more"), at=2))
    (history,) = sent_histories(loaded[0]) or ()
    assert (history.size, list(history.shortened)) == (3, [2])


def test_a_session_that_a_tool_began_is_a_sub_agents():
    loaded = load(opencode__opencode_db())
    assert [c.recorded.parent for c in loaded] == [None, (loaded[0].recorded.id, 1)]


def test_a_message_of_the_second_version_is_whole():
    text = {"id": "m1", "type": "user", "time": {"created": TIME}, "text": "hi"}
    call = {"type": "tool", "id": "t", "name": "read", "state": {"input": {}, "content": [part("ok")]}}
    answer = {"id": "m2", "type": "assistant", "model": {"id": "gpt-5"}, "content": [call, part("done")]}
    loaded = export(text, answer, {"id": "m3", "type": "idle"})
    assert sketch(loaded) == [("user", "hi"), ("assistant", ""), ("tool", "ok"), ("assistant", "done")]
    assert loaded.report.passed == loaded.report.skips == 1


def test_a_summary_of_the_second_version_stands_for_all_before_it():
    summed = {"id": "m2", "type": "compaction", "reason": "manual", "summary": "Sum", "recent": "hi"}
    (history,) = sent_histories(export(ASK, summed, said("m3", "user", part("on")))[0]) or ()
    assert (history.sent, history.summarized, history.cut.trigger) == (((1, 2),), ((0, 1),), "manual")


@pytest.fixture
def storage(tmp_path) -> Path:
    """A storage folder of one session."""
    files = {
        "session/global/ses_1.json": {"id": "ses_1", "time": {"created": TIME}, "title": "Kites"},
        "message/ses_1/msg_1.json": {"id": "msg_1", "role": "user", "time": {"created": TIME}},
        "message/ses_1/msg_2.json": {"id": "msg_2", "role": "assistant", "modelID": "gpt-5"},
        "part/msg_1/prt_1.json": part("hi"),
        "part/msg_2/prt_2.json": part("hello"),
    }
    for name, value in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(json.dumps(value))
    return tmp_path


@pytest.mark.parametrize("given", ["", "session/global/ses_1.json"])
def test_a_storage_folder_and_a_sessions_file_in_it_open_as_the_session(storage, given):
    loaded = load(storage / given)
    assert sketch(loaded) == [("user", "hi"), ("assistant", "hello")]
    assert (loaded.report.skips, loaded.report.member) == (0, "opencode")


def test_a_session_whose_messages_are_gone_is_refused(storage):
    with pytest.raises(ValueError, match="no message"):
        load((storage / "session/global/ses_1.json").read_bytes())


def test_messages_that_both_versions_have_are_read_once(tmp_path):
    connection = sqlite3.connect(tmp_path / "opencode.db")
    text = json.dumps({"text": "hi", "time": {"created": TIME}})
    connection.executescript("""
        CREATE TABLE session_v2 (id, parent_id, title); INSERT INTO session_v2 VALUES ('s', NULL, 'Kites');
        CREATE TABLE message (id, session_id, time_created, data);
        CREATE TABLE part (id, message_id, session_id, data);
        CREATE TABLE session_message (id, session_id, type, seq, time_created, data);
        INSERT INTO message VALUES ('a', 's', 1, '{"role": "user"}');
        INSERT INTO part VALUES ('p', 'a', 's', '{"type": "text", "text": "one"}');
    """)
    connection.executemany("INSERT INTO session_message VALUES (?, 's', 'user', 1, 2, ?)", [("a", text), ("b", text)])
    connection.commit()
    connection.close()
    assert sketch(load(tmp_path / "opencode.db")) == [("user", "one"), ("user", "hi")]


def test_the_files_beside_a_session_are_found_from_its_own_folder(tmp_path, monkeypatch):
    info = {"id": "m1", "role": "user", "time": {"created": TIME}}
    files = {
        "session/p/ses_1.json": {"id": "ses_1", "time": {"created": TIME}},
        "message/ses_1/m1.json": info,
        "part/m1/p1.json": part("hi"),
    }
    for name, value in files.items():
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(json.dumps(value))
    monkeypatch.chdir(tmp_path / "session/p")
    assert sketch(load("ses_1.json")) == [("user", "hi")]
