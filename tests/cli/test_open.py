"""`historylab FILE` and `historylab open`: a transcript in the playground; the sessions of this machine."""

from __future__ import annotations

import json
import os
from datetime import datetime
from pathlib import Path

import pytest
from bare_machine import make_home
from command_line import run
from rich.console import Console

from historylab.costs import session_cost
from historylab.formats.sessions import find
from historylab.formats.sessions.places import SessionPlace
from historylab.settings.names import OPEN, RECORD
from historylab.ui.server import serve


def record(number: int, kind: str, content: object, **other: object) -> dict:
    """A record of Claude Code's, which goes on from the one before."""
    before = f"r{number - 1}" if number else None
    message = {"role": kind, "content": content}
    return {"type": kind, "uuid": f"r{number}", "parentUuid": before, "sessionId": "s", "message": message, **other}


ANSWER = {"model": "claude-opus-4-5", "usage": {"input_tokens": 1000, "output_tokens": 400}}
COMPACTED = [
    record(0, "user", "Mend the lamp"),
    {**record(1, "assistant", ""), "message": {"role": "assistant", "content": "Done.", "id": "a1", **ANSWER}},
    {"type": "system", "subtype": "compact_boundary", "uuid": "r2", "logicalParentUuid": "r1", "sessionId": "s"},
    record(3, "user", "This session is being continued. Summary: a lamp.", isCompactSummary=True),
    record(4, "user", "And the shade?"),
    {**record(5, "assistant", ""), "message": {"role": "assistant", "content": "Done.", "id": "a2", **ANSWER}},
]
SEARCHES = (("--search", "GULLS count"), ("--project", "lamps"), ("--project", "lamps", "--search", "gulls"))


@pytest.fixture
def served(monkeypatch):
    """What the playground was served with: its options, and the file it opens with."""
    found: dict = {}

    def serve_nothing(*args, **options):
        found["how"] = args, options
        found["opened"], found["recording"] = os.environ.get(OPEN), os.environ.get(RECORD)

    monkeypatch.setattr(serve, "serve", serve_nothing)
    for name in (OPEN, RECORD):
        monkeypatch.delenv(name, raising=False)
    yield found
    for name in (OPEN, RECORD):
        os.environ.pop(name, None)


@pytest.fixture
def session(tmp_path, monkeypatch) -> Path:
    """One session of Claude Code on this machine."""
    make_home(tmp_path, monkeypatch)
    path = tmp_path / ".claude" / "projects" / "-lamps" / "abc.jsonl"
    path.parent.mkdir(parents=True)
    record = {"type": "user", "cwd": f"{tmp_path}/lamps", "message": {"content": "Mend the lamp"}}
    path.write_text(json.dumps(record), encoding="utf-8")
    return path


@pytest.mark.parametrize("before", [(), ("--headless",), ("--port", "8502"), ("open",)])
def test_a_file_opens_in_the_playground(capsys, served, tmp_path, monkeypatch, before):
    monkeypatch.chdir(tmp_path)
    Path("chat.json").write_text("[]")
    assert run(capsys, *before, "chat.json")[0] == 0
    assert served["opened"] == str(tmp_path / "chat.json")


def test_how_it_is_served_may_stand_before_the_file_and_after_it(capsys, served, tmp_path):
    (tmp_path / "chat.json").write_text("[]")
    asked = ("--host", "::1", str(tmp_path / "chat.json"), "--port", "8502", "--headless")
    assert run(capsys, *asked)[0] == 0
    assert served["how"] == (("::1", 8502), {"headless": True})


def test_several_files_and_folders_open_together(capsys, served, tmp_path):
    (tmp_path / "chat.json").write_text("[]")
    assert run(capsys, str(tmp_path), str(tmp_path / "chat.json"))[0] == 0
    assert served["opened"].splitlines() == [str(tmp_path), str(tmp_path / "chat.json")]


def test_without_a_file_the_playground_opens_none(capsys, served):
    assert run(capsys)[0] == 0
    assert served["opened"] is None


@pytest.mark.parametrize("before", [(), ("open",)])
def test_a_recording_is_watched_by_its_folder_or_its_url(capsys, served, tmp_path, monkeypatch, before):
    monkeypatch.chdir(tmp_path)
    assert run(capsys, *before, "--record", "calls")[0] == 0
    assert served["recording"] == str(tmp_path / "calls")
    assert run(capsys, *before, "--record", "postgresql://lab/calls")[0] == 0
    assert served["recording"] == "postgresql://lab/calls"


@pytest.mark.parametrize(
    ("given", "words"), [("no.json", "there is no file 'no.json'"), ("7", "there is no session 7")]
)
def test_an_unknown_file_or_number_is_one_line(capsys, served, session, given, words):
    code, _, err = run(capsys, "open", given)
    assert code == 1
    assert words in err
    assert not served


def test_a_word_that_is_no_file_is_taken_for_a_command(capsys, served):
    assert "did you mean show?" in run(capsys, "shwo")[2]


def test_the_sessions_of_this_machine_are_listed_and_opened_by_number(capsys, served, session):
    code, out, _ = run(capsys, "open")
    assert code == 0
    assert "Claude Code" in out
    assert "~/lamps" in out
    assert "Mend the lamp" in out
    assert run(capsys, "open", "1")[0] == 0
    assert served["opened"] == str(session)


def test_a_session_that_cannot_be_read_is_refused_before_anything_is_served(capsys, served, session):
    session.write_text("{broken")
    code, _, err = run(capsys, "open", "1")
    assert (code, served) == (1, {})
    assert "the JSON is broken" in err


def test_databases_that_cannot_be_read_are_named(capsys, session, monkeypatch):
    database = session.parents[3] / "sessions.db"
    database.write_bytes(b"SQLite format 3\0")
    monkeypatch.setattr(find, "PLACES", (SessionPlace("Goose", ("~",), database.name),))
    assert "Sessions may be missing: ~/sessions.db: this SQLite" in run(capsys, "open")[2]
    (unread,) = json.loads(run(capsys, "open", "--json")[1])["unread"]
    assert unread["path"] == str(database)


def test_they_are_listed_as_json(capsys, session):
    listed = json.loads(run(capsys, "open", "--json")[1])
    (found,) = listed["sessions"]
    assert (listed["version"], found["tool"], found["path"]) == (1, "Claude Code", str(session))
    assert (found["question"], found["size"]) == ("Mend the lamp", session.stat().st_size)


def test_cuts_and_cost_are_those_that_opening_it_shows(capsys, session):
    session.write_text("\n".join(map(json.dumps, COMPACTED)))
    (found,) = json.loads(run(capsys, "open", "--json")[1])["sessions"]
    shown = json.loads(run(capsys, "show", str(session), "--as-sent", "--json")[1])
    assert (found["compactions"], found["dollars"]) == (len(shown["compactions"]), 0.03)
    assert "1   $0.0300" in run(capsys, "open")[1]


@pytest.mark.parametrize("most", ["MOST_READ", "MOST_MEASURED"])
def test_of_many_or_large_sessions_cuts_and_cost_are_not_known_at_once(capsys, session, monkeypatch, most):
    monkeypatch.setattr(session_cost, most, 0)
    (found,) = json.loads(run(capsys, "open", "--json")[1])["sessions"]
    assert (found["compactions"], found["dollars"], found["question"]) == (None, None, "Mend the lamp")


def test_a_session_that_no_format_reads_is_listed_without_them(capsys, session):
    session.write_text('{"type": "user", "cwd": "/x", "message": "?"}')
    (found,) = json.loads(run(capsys, "open", "--json")[1])["sessions"]
    assert (found["compactions"], found["project"]) == (None, "/x")
    session.write_text("{}")
    assert "(no question" in run(capsys, "open")[1]


def test_a_search_and_a_project_choose_some_of_them_under_their_numbers(capsys, session):
    other = session.with_name("def.jsonl")
    other.write_text(session.read_text().replace("Mend the lamp", "Count the gulls").replace("/lamps", "/harbour"))
    os.utime(session, (0, 0))
    listed = [json.loads(run(capsys, "open", "--json", *given)[1])["sessions"] for given in SEARCHES]
    assert [[(one["number"], one["question"]) for one in each] for each in listed] == [
        [(1, "Count the gulls")],
        [(2, "Mend the lamp")],
        [],
    ]
    assert "No session of this machine matches." in run(capsys, "open", "--search", "gulls anchor")[1]
    assert "Sessions on this machine: 1 of 2" in run(capsys, "open", "--search", "gulls")[1]
    assert " of 2" not in run(capsys, "open")[1]


@pytest.mark.parametrize(
    ("width", "without"),
    [(120, set()), (90, {"size"}), (70, {"size", "project"}), (40, {"size", "project", "tool", "cost"})],
)
def test_a_narrow_terminal_keeps_dates_whole_and_the_cuts_to_the_last(capsys, session, monkeypatch, width, without):
    session.write_text("\n".join(map(json.dumps, COMPACTED)))
    for module in ("base", "open"):
        monkeypatch.setattr(f"historylab.cli.{module}.console", lambda: Console(width=width))
    out = run(capsys, "open")[1]
    heading = next(line for line in out.splitlines() if "changed" in line)
    assert {"changed", "tool", "project", "size", "cuts", "cost"} - set(heading.split()) == without
    changed = datetime.fromtimestamp(session.stat().st_mtime).astimezone()
    assert f"{changed:%Y-%m-%d %H:%M}" in out


def test_all_of_them_are_listed_or_it_is_said_how_many_are_not(capsys, session):
    for number in range(600):
        session.with_name(f"{number}.jsonl").write_text("{}")
    assert "571 more with --all" in run(capsys, "open")[1]
    assert len(json.loads(run(capsys, "open", "--all", "--json")[1])["sessions"]) == 601


def test_convert_writes_a_file_that_loads_again_and_says_what_is_lost(capsys, root, tmp_path):
    sample, out = str(root / "sample_conversations" / "bike-rental-support.json"), tmp_path / "out.json"
    assert run(capsys, "convert", sample, "--out", str(out)) == (0, "", "")
    assert run(capsys, "show", str(out))[1].count("\n") == run(capsys, "show", sample)[1].count("\n")
    said = run(capsys, "convert", sample, "--to", "responses", "--out", str(out))[2]
    assert "OpenAI Responses has no place for: " in said
    assert "only read, not written" in run(capsys, "convert", sample, "--to", "mentu")[2]
    assert "there is no number 4" in run(capsys, "convert", sample, "--conversation", "4")[2]


def test_a_file_is_read_as_it_is_told_to_be(capsys, tmp_path):
    chat, own, mapping = (tmp_path / name for name in ("chat.json", "own.json", "mapping.json"))
    chat.write_text('[{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]')
    own.write_text('{"log": [{"who": "user", "said": "hi"}, {"who": "assistant", "said": "hello"}]}')
    mapping.write_text('{"items": "log", "role": "who", "text": "said"}')
    assert run(capsys, "show", str(chat), "--format", "anthropic")[1].splitlines()[1].startswith("Anthropic")
    assert "there is no format 'antropic'" in run(capsys, "show", str(chat), "--format", "antropic")[2]
    converted = run(capsys, "convert", str(own), "--mapping", str(mapping), "--to", "chat_completions")[1]
    assert [m["content"] for m in json.loads(converted)["messages"]] == ["hi", "hello"]
