"""Sessions of coding agents on this machine: found where the tools keep them, listed by project and date."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from historylab.formats.sessions import HEAD, find_sessions

CLAUDE = [
    {"type": "summary", "summary": "Lamps"},
    {"type": "user", "isMeta": True, "cwd": "/home/ines/lamps", "message": {"content": "Caveat: a note"}},
    {"type": "user", "cwd": "/home/ines/lamps", "message": {"content": [{"type": "text", "text": "Mend\nthe lamp"}]}},
]
CODEX = [
    {"type": "session_meta", "payload": {"id": "1", "cwd": "/home/ines/harbour"}},
    {"type": "response_item", "payload": {"role": "user", "content": [{"text": "<environment_context>…"}]}},
    {"type": "response_item", "payload": {"role": "user", "content": [{"type": "input_text", "text": "List piers"}]}},
]
GEMINI = {"sessionId": "1", "projectHash": "ab" * 32, "messages": [{"type": "user", "content": "Count gulls"}]}


@pytest.fixture
def home(tmp_path, monkeypatch) -> Path:
    """A machine's home folder with one session of each tool, a minute apart."""
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    keep(tmp_path / ".claude/projects/-home-ines-lamps/abc.jsonl", CLAUDE, 1)
    keep(tmp_path / ".codex/sessions/2026/03/01/rollout-1.jsonl", CODEX, 2)
    keep(tmp_path / ".gemini/tmp/abababababab/chats/session-1.json", [GEMINI], 3)
    return tmp_path


def keep(path: Path, records: list, minute: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    os.utime(path, (60 * minute, 60 * minute))


def test_sessions_of_every_tool_are_listed_newest_first_with_project_and_first_question(home):
    listed = [(s.tool, s.project, s.opening) for s in find_sessions()]
    assert listed == [
        ("Gemini CLI", "abababababab", "Count gulls"),
        ("Codex", "/home/ines/harbour", "List piers"),
        ("Claude Code", "/home/ines/lamps", "Mend the lamp"),
    ]


def test_a_session_begun_by_a_command_is_listed_by_it_unless_something_is_asked(home):
    given = {
        "type": "user",
        "message": {"content": "<command-message>…</command-message>\n<command-name>/init</command-name>"},
    }
    keep(home / ".claude/projects/-home-ines-lamps/def.jsonl", [given], 9)
    keep(home / ".claude/projects/-home-ines-lamps/ghi.jsonl", [given, *CLAUDE], 8)
    assert [s.opening for s in find_sessions()[:2]] == ["/init", "Mend the lamp"]


def test_a_session_is_listed_by_what_a_person_wrote_beside_a_programs_notes(home):
    said = "<ide_opened_file>a.py is open.</ide_opened_file>\n# Lamps\nMend them"
    rules = "# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>Never push.</INSTRUCTIONS>"
    records = [{"type": "user", "message": {"content": text}} for text in (rules, said)]
    keep(home / ".claude/projects/-home-ines-lamps/def.jsonl", records, 9)
    assert find_sessions()[0].opening == "# Lamps Mend them"


def test_a_machine_without_any_lists_none(tmp_path, monkeypatch):
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    assert find_sessions() == []


def test_the_tools_own_variables_say_where_they_keep_them(home, monkeypatch):
    monkeypatch.setenv("CODEX_HOME", str(home / "elsewhere"))
    keep(home / "elsewhere/sessions/2026/03/02/rollout-2.jsonl", CODEX, 9)
    assert [s.path.name for s in find_sessions() if s.tool == "Codex"] == ["rollout-2.jsonl"]


def test_only_the_newest_are_listed(home):
    assert [s.tool for s in find_sessions(most=1)] == ["Gemini CLI"]


def test_files_of_subagents_empty_files_and_links_are_not_listed(home):
    project = home / ".claude/projects/-home-ines-lamps"
    keep(project / "agent-7.jsonl", CLAUDE, 5)
    keep(project / "empty.jsonl", [], 5)
    (home / "secret.jsonl").write_text("{}")
    (project / "link.jsonl").symlink_to(home / "secret.jsonl")
    assert [s.path.name for s in find_sessions() if s.tool == "Claude Code"] == ["abc.jsonl"]


def test_a_file_of_anything_else_is_listed_by_its_folder(home):
    path = home / ".claude/projects/odd/x.jsonl"
    keep(path, [], 7)
    path.write_bytes(b'[{"type": 1}\n\xff\xfe' + b'"user"\n{"type": "user", "message": "\x1b[31m"}\n' * HEAD)
    os.utime(path, (9e8, 9e8))
    assert (find_sessions()[0].project, find_sessions()[0].opening) == ("odd", "")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_for_a_projects_name_is_not_waited_for(home):
    os.mkfifo(home / ".gemini/tmp/abababababab/.project_root")
    assert find_sessions()[0].project == "abababababab"
