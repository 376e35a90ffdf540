"""What stands in files beside a session: read with it as a file, in a folder and in an archive, and as nothing else."""

from __future__ import annotations

import io
import json
import sqlite3
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from historylab.conversation.sent import sent_histories
from historylab.formats.files.database import run_query
from historylab.formats.load import Conversations, load
from historylab.formats.products import copilot_cli

Files: TypeAlias = dict[str, Any]
Open: TypeAlias = Callable[[Files], Conversations]


def as_bytes(value: Any) -> bytes:
    if isinstance(value, bytes):
        return value
    lines = value if isinstance(value, list) else [value]
    return "\n".join(map(json.dumps, lines)).encode()


@pytest.fixture(params=["file", "folder", "archive"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Open:
    """Opens a session, whose own file is the first, in one of the three forms."""

    def open_in_form(files: Files) -> Conversations:
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            for name, value in files.items():
                archive.writestr(name, as_bytes(value))
        zipfile.ZipFile(packed).extractall(tmp_path / "s")
        if request.param == "archive":
            return load(packed.getvalue())
        return load(tmp_path / "s" / (next(iter(files)) if request.param == "file" else ""))

    return open_in_form


def said(role: str, text: str, number: int, **more: Any) -> dict[str, Any]:
    return {"role": role, "id": f"m{number}", "ts": number, "content": [{"type": "text", "text": text}], **more}


CLINE = [said("user", "go", 1), said("assistant", "I go.", 2), said("user", "on", 3), said("assistant", "On.", 4)]
MESSAGES = {"version": 1, "agent": "lead", "sessionId": "7", "messages": CLINE}
SUMMARY = said("user", "We went.", 9, metadata={"kind": "compaction_summary"})


def test_clines_compaction_is_what_was_sent_in_the_place_of_the_messages_before(opened):
    compaction = {"version": 1, "source_message_count": 3, "messages": [SUMMARY, CLINE[2]]}
    manifest = {"version": 1, "session_id": "7", "model": "mistral/m", "cwd": "/srv", "metadata": {"title": "A walk"}}
    loaded = opened({"7.messages.json": MESSAGES, "7.json": manifest, "7.compaction.json": compaction})
    (found,) = loaded
    (history,) = sent_histories(found) or ()
    assert (found.title, found.recorded.model, loaded.report.skips) == ("A walk", "mistral/m", 0)
    assert (history.size, [m.content for m in history.sent[:1]], history.sent[1:]) == (3, ["We went."], ((2, 3),))
    assert (history.summarized, history.cut.by) == (((0, 2),), "Cline")


def test_a_message_that_cline_shortened_is_sent_with_its_new_text(opened):
    compaction = {"version": 1, "source_message_count": 4, "messages": [said("user", "go (cut)", 1), CLINE[3]]}
    (found,) = opened({"7.messages.json": MESSAGES, "7.compaction.json": compaction})
    (history,) = sent_histories(found) or ()
    assert (history.sent, history.shortened) == (((0, 1), (3, 4)), {0: "go (cut)"})


@pytest.mark.parametrize("size", [0, 5, -1, True, "3", None])
def test_a_compaction_of_messages_that_cline_does_not_have_is_none(opened, size):
    (found,) = opened(
        {"7.messages.json": MESSAGES, "7.compaction.json": {"source_message_count": size, "messages": []}}
    )
    assert sent_histories(found) is None


def test_a_conversation_beside_another_stays_one(tmp_path):
    (tmp_path / "7.messages.json").write_bytes(as_bytes(MESSAGES))
    (tmp_path / "7.json").write_text(json.dumps([{"role": "user", "content": "hi"}]))
    assert [len(each) for each in load(tmp_path)] == [1, 4]


def test_vibe_keeps_the_prompt_the_tools_and_the_model_in_another_file(opened):
    call = {"id": "c", "index": 0, "type": "function", "function": {"name": "ls", "arguments": "{}"}}
    records = [
        {"role": "user", "content": "look", "injected": False, "message_id": "1"},
        {"role": "assistant", "content": "", "injected": False, "tool_calls": [call], "message_id": "2"},
        {"role": "tool", "content": "a.py", "injected": False, "name": "ls", "tool_call_id": "c"},
        {"role": "user", "content": "mind the time", "injected": True, "message_id": "3"},
        {"role": "assistant", "content": "One file.", "injected": False, "reasoning_content": "hm", "message_id": "4"},
    ]
    tool = {"type": "function", "function": {"name": "ls", "description": "lists", "parameters": {}}}
    prompt = {"role": "system", "content": "You are Vibe.", "injected": False}
    told = {"session_id": "v", "title": "Looking", "tools_available": [tool], "system_prompt": prompt}
    loaded = opened({"messages.jsonl": records, "meta.json": {**told, "config": {"active_model": "devstral-2"}}})
    (found,) = loaded
    assert [m.role for m in found] == ["system", "user", "assistant", "tool", "user", "assistant"]
    assert (found[0].content, found[4].injected, found[5].metadata["thinking"]) == ("You are Vibe.", True, "hm")
    assert (found[3].tool_call_id, found[2].tool_calls[0].name) == ("c", "ls")
    assert (found.title, found.recorded.model, found.recorded.tools.count) == ("Looking", "devstral-2", 1)
    assert (loaded.report.member, loaded.report.remarks) == ("vibe", 0)


def test_droid_names_its_model_in_the_settings(opened):
    words = [{"type": "text", "text": "Mend it."}]
    records = [{"type": "session_start", "id": "s"}, {"type": "message", "message": {"role": "user", "content": words}}]
    loaded = opened({"0aa1.jsonl": records, "0aa1.settings.json": {"model": "claude-opus-4-5", "tokenUsage": {}}})
    assert [(len(each), each.recorded.model) for each in loaded] == [(1, "claude-opus-4-5")]
    assert loaded.report.skips - loaded.report.passed == 0


def usage_rows(*rows: tuple[Any, ...]) -> bytes:
    """Copilot's database: session, call of the sub-agent, input with the cache's, of output, reads, writes."""
    with sqlite3.connect(":memory:") as connection:
        columns = "id INTEGER PRIMARY KEY, session_id, parent_tool_call_id, input_tokens, output_tokens"
        connection.execute(f"CREATE TABLE assistant_usage_events ({columns}, cache_read_tokens, cache_write_tokens)")
        connection.executemany("INSERT INTO assistant_usage_events VALUES (NULL, ?, ?, ?, ?, ?, ?)", rows)
        connection.commit()
        return connection.serialize()


def copilot(*outputs: int, session: str = "s", **more: Any) -> list[dict[str, Any]]:
    answers = [{"content": "yo", "outputTokens": output, **more} for output in outputs]
    events = [("session.start", {"sessionId": session}), ("user.message", {"content": "hi"})]
    events += [("assistant.message", answer) for answer in answers]
    return [{"type": kind, "data": data, "id": f"{session}{i}"} for i, (kind, data) in enumerate(events)]


@pytest.mark.parametrize("name", ["session-state/s/events.jsonl", "session-state/s.jsonl"])
def test_copilot_counts_the_tokens_of_each_call_in_a_database(opened, name):
    rows = [("s", None, 110, 7, 100, 4), ("s", None, 500, 1, 0, 0), ("t", None, 9, 8, 0, 0), ("s", None, 130, 8, 0, 0)]
    loaded = opened({name: copilot(7, 8), "session-store.db": usage_rows(*rows)})
    (found,) = loaded
    first, second = (m.metadata["usage"] for m in found if m.role == "assistant")
    assert first == {"input": 6, "output": 7, "cache_reads": 100, "cache_writes": 4}
    assert (second["input"], second["output"], loaded.report.skips) == (130, 8, 1)


def test_what_copilot_keeps_beside_a_session_is_known_to_be_no_conversation(opened):
    plan = b"# Plan\n\nUser: go\n\nAssistant: I go.\n"
    beside = {"s/workspace.yaml": b"cwd: /srv\n", "s/plan.md": plan, "s/checkpoints/index.md": plan}
    loaded = opened({"s/events.jsonl": copilot(7), **beside, "s/rewind-file-snapshots/index.json": {"schema": 1}})
    assert (len(loaded), loaded.report.skips, loaded.report.passed) == (1, 1, 1)


def test_an_answer_that_no_call_of_copilots_fits_has_no_usage(opened):
    found = opened({"a/b/events.jsonl": copilot(5, 7), "session-store.db": usage_rows(("s", None, 9, 7, 0, 0))})
    assert ["usage" in m.metadata for m in found[0] if m.role == "assistant"] == [False, True]


def test_calls_of_a_sub_agent_are_counted_as_its_own(opened):
    rows = usage_rows(("s", "c", 9, 7, 0, 0), ("s", None, 4, 7, 0, 0))
    inner = copilot(7, parentToolCallId="c")[2:]
    loaded = opened({"a/b/events.jsonl": [*copilot(7), *inner], "session-store.db": rows})
    assert [one[-1].metadata["usage"]["input"] for one in loaded] == [4, 9]


def test_copilots_database_is_read_once_for_all_sessions_of_a_folder(opened, monkeypatch):
    asked = []
    monkeypatch.setattr(
        copilot_cli, "run_query", lambda *given, **more: asked.append(given) or run_query(*given, **more)
    )
    rows = [(name, None, tokens, 7, 0, 0) for name, tokens in (("s", 3), ("t", 4), ("u", 5))]
    files = {f"state/{name}/events.jsonl": copilot(7, session=name) for name in "stu"}
    loaded = opened({**files, "session-store.db": usage_rows(*rows)})
    assert [one[-1].metadata["usage"]["input"] for one in loaded] == [3, 4, 5][: len(loaded)]
    assert len(asked) == 1


@pytest.mark.parametrize("beside", [b"SQLite format 3\0 broken", usage_rows()[:2000], b"{", b""])
def test_a_database_that_cannot_be_read_leaves_the_session_as_it_is(opened, beside):
    loaded = opened({"a/b/events.jsonl": copilot(7), "session-store.db": beside})
    assert [m.role for m in loaded[0]] == ["user", "assistant"]


def step(source: str, message: str, **more: Any) -> dict[str, Any]:
    return {"step_id": 1, "source": source, "message": message, **more}


def test_a_trajectory_goes_on_in_the_file_that_it_names(opened):
    begun = [step("user", "Count."), step("agent", "One."), step("agent", "Two.")]
    copied = [step("user", "Count.", is_copied_context=True), step("user", "Two so far.", is_copied_context=True)]
    further = [step("user", "Go on.", is_copied_context=True), step("user", "You had two.", is_copied_context=True)]
    about = {"schema_version": "ATIF-v1.7", "agent": {"name": "terminus-2"}}
    loaded = opened(
        {
            "trajectory.json": {**about, "steps": begun, "continued_trajectory_ref": "trajectory.cont-1.json"},
            "trajectory.cont-1.json": {
                **about,
                "steps": [*copied, step("agent", "Three.")],
                "continued_trajectory_ref": "trajectory.cont-2.json",
            },
            "trajectory.cont-2.json": {**about, "steps": [*further, step("agent", "Four.")]},
        }
    )
    (found,) = loaded
    assert [m.content for m in found] == ["Count.", "One.", "Two.", "Three.", "Four."]
    first, second = sent_histories(found) or ()
    assert (first.size, first.sent[0], first.sent[1].content, len(first.sent)) == (3, (0, 1), "Two so far.", 2)
    assert (second.size, [m.content for m in second.sent]) == (4, ["Go on.", "You had two."])


@pytest.mark.parametrize("named", ["trajectory.json", "nowhere.json", "", "*", 7])
def test_a_trajectory_that_goes_on_nowhere_is_read_as_it_is(opened, named):
    steps = [step("user", "Count."), step("agent", "One.")]
    (found,) = opened({"trajectory.json": {"schema_version": "1", "steps": steps, "continued_trajectory_ref": named}})
    assert ([m.content for m in found], sent_histories(found)) == (["Count.", "One."], None)


@pytest.mark.parametrize(("most", "read"), [(20, 1), (9_000, 2)])
def test_a_file_that_a_trajectory_goes_on_in_and_that_cannot_be_read_is_told(tmp_path, monkeypatch, most, read):
    monkeypatch.setattr("historylab.formats.files.archives.MOST_BESIDE", most)
    for name, more in (("a", {"continued_trajectory_ref": "b.json"}), ("b", {})):
        about = {"schema_version": "1", "steps": [step("user", "Count.")], **more}
        (tmp_path / f"{name}.json").write_text(json.dumps(about))
    loaded = load(tmp_path / "a.json")
    told = "the file that a conversation goes on in can't be read beside it" in loaded.report.warnings
    assert (len(loaded[0]), told) == (read, read < 2)


def test_a_trajectory_goes_on_in_so_many_files_and_no_more(opened, monkeypatch):
    monkeypatch.setattr("historylab.formats.shapes.kinds.MOST_CONTINUED", 2)
    about = {"schema_version": "1", "steps": [step("user", "Count."), step("agent", "One.")]}
    loaded = opened({f"{i}.json": {**about, "continued_trajectory_ref": f"{i + 1}.json"} for i in range(5)})
    assert (len(loaded[0]), sum(map(len, loaded))) in ((6, 6), (6, 10))  # of a folder, the others go on by themselves
    assert "a conversation that goes on in more than 2 files, the others not read" in loaded.report.warnings
