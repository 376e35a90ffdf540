"""Sessions of coding agents on this machine: found where the tools keep them, listed by project and date."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from bare_machine import make_home

from historylab.formats.sessions.find import find_sessions
from historylab.formats.sessions.heads import BLOCK
from historylab.formats.sessions.places import PLACES
from historylab.registry import members

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


PI = [
    {"type": "session", "id": "1", "cwd": "/home/ines/tides"},
    {"type": "message", "id": "2", "message": {"role": "user", "content": [{"type": "text", "text": "Print tides"}]}},
]
COPILOT = [
    {"type": "session.start", "data": {"sessionId": "1", "context": {"cwd": "/home/ines/boats"}}},
    {"type": "user.message", "data": {"content": "Paint boats"}},
]
CURSOR = [{"role": "user", "message": {"content": [{"type": "text", "text": "<user_query>\nDry nets\n</user_query>"}]}}]
GOOSE = [
    {"working_dir": "/home/ines/salt", "description": "Salt"},
    {"role": "user", "created": 1, "content": [{"type": "text", "text": "Boil salt"}]},
]
ENVIRONMENT = (
    "<environment_details>\n# Current Working Directory (/home/ines/bread) Files\noven.py\n</environment_details>"
)
CLINE = [[{"role": "user", "content": [{"text": "<task>\nBake bread\n</task>"}, {"text": ENVIRONMENT}]}]]
REQUEST = {"requestId": "1", "message": {"text": "Sort shells"}, "response": []}
VS_CODE = [{"version": 3, "requests": [REQUEST]}]
JOURNAL = [{"kind": 0, "v": {"version": 3, "requests": []}}, {"kind": 2, "k": ["requests"], "v": [REQUEST]}]
CLINE_SDK = [{"version": 1, "messages": [{"role": "user", "content": [{"type": "text", "text": "Knot ropes"}]}]}]
OPENCODE = [{"id": "ses_1", "directory": "/home/ines/kites", "title": "Fly kites"}]
CODE = ".config/Code/User"
VSCODIUM = "Library/Application Support/VSCodium/User"
TASK = "tasks/7/api_conversation_history.json"

KEPT = [
    (f"{CODE}/globalStorage/saoudrizwan.claude-dev/{TASK}", CLINE, "Cline", "Bake bread", "/home/ines/bread"),
    (
        f"{VSCODIUM}/globalStorage/rooveterinaryinc.roo-cline/{TASK}",
        CLINE,
        "Roo Code",
        "Bake bread",
        "/home/ines/bread",
    ),
    (
        f"AppData/Roaming/Code - Insiders/User/globalStorage/kilocode.kilo-code/{TASK}",
        *(CLINE, "Kilo Code", "Bake bread", "/home/ines/bread"),
    ),
    (".cline/data/sessions/s/s.messages.json", CLINE_SDK, "Cline", "Knot ropes", ""),
    (".local/share/opencode/storage/session/p/ses_1.json", OPENCODE, "OpenCode", "Fly kites", "/home/ines/kites"),
    (f"{CODE}/workspaceStorage/ab/chatSessions/1.json", VS_CODE, "VS Code Copilot", "Sort shells", ""),
    (
        f"{VSCODIUM}/globalStorage/emptyWindowChatSessions/1.jsonl",
        *(JOURNAL, "VS Code Copilot", "Sort shells", ""),
    ),
    (".copilot/session-state/1/events.jsonl", COPILOT, "Copilot CLI", "Paint boats", "/home/ines/boats"),
    (".cursor/projects/home-ines-nets/agent-transcripts/1/1.jsonl", CURSOR, "Cursor", "Dry nets", "home-ines-nets"),
    (".pi/agent/sessions/--home-ines-tides--/1.jsonl", PI, "Pi", "Print tides", "/home/ines/tides"),
    (".local/share/goose/sessions/1.jsonl", GOOSE, "Goose", "Boil salt", "/home/ines/salt"),
]


@pytest.fixture
def home(tmp_path, monkeypatch) -> Path:
    """A machine's home folder with one session of each tool, a minute apart."""
    make_home(tmp_path, monkeypatch)
    keep(tmp_path / ".claude/projects/-home-ines-lamps/abc.jsonl", CLAUDE, 1)
    keep(tmp_path / ".codex/sessions/2026/03/01/rollout-1.jsonl", CODEX, 2)
    keep(tmp_path / ".gemini/tmp/abababababab/chats/session-1.json", [GEMINI], 3)
    return tmp_path


def keep(path: Path, records: list, minute: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    os.utime(path, (60 * minute, 60 * minute))


def test_sessions_of_every_tool_are_listed_newest_first_with_project_and_first_question(home):
    listed = [(s.tool, s.project, s.question) for s in find_sessions()]
    assert listed == [
        ("Gemini CLI", "abababababab", "Count gulls"),
        ("Codex", "/home/ines/harbour", "List piers"),
        ("Claude Code", "/home/ines/lamps", "Mend the lamp"),
    ]


@pytest.mark.parametrize(("kept", "records", "tool", "question", "project"), KEPT)
def test_each_tool_keeps_its_sessions_where_it_does(home, kept, records, tool, question, project):
    keep(home / kept, records, 9)
    newest = find_sessions()[0]
    assert (newest.tool, newest.question, newest.project) == (tool, question, project)
    assert home / kept in (newest.path, newest.path / "api_conversation_history.json")


def test_the_formats_that_places_name_are_there():
    assert {place.format for place in PLACES} - {""} <= members("format").keys()


def test_a_task_is_listed_as_its_folder_which_holds_what_else_belongs_to_it(home):
    keep(home / KEPT[0][0], CLINE, 9)
    assert find_sessions()[0].path == (home / KEPT[0][0]).parent


def test_a_session_of_opencode_is_listed_by_the_first_words_in_its_files(home):
    storage = home / ".local/share/opencode/storage"
    keep(storage / "session/p/ses_1.json", OPENCODE, 9)
    for name, role in (("msg_1", "assistant"), ("msg_2", "user")):
        keep(storage / f"message/ses_1/{name}.json", [{"id": name, "role": role}], 9)
    for name, part in (
        ("prt_1", {"text": "Rules", "synthetic": True}),
        ("prt_2", {"text": "Knot " + "lines " * BLOCK}),
    ):
        keep(storage / f"part/msg_2/{name}.json", [{"type": "text", **part}], 9)
    assert find_sessions()[0].question.startswith("Knot lines lines")


def test_a_task_of_which_only_the_screen_is_left_is_listed_by_what_it_showed(home):
    path = (home / KEPT[0][0]).with_name("ui_messages.json")
    keep(path, [[{"ts": 1, "type": "say", "say": "task", "text": "Bake rolls"}]], 9)
    assert (find_sessions()[0].path, find_sessions()[0].question) == (path.parent, "Bake rolls")
    keep(home / KEPT[0][0], CLINE, 9)
    assert [one.question for one in find_sessions() if one.path == path.parent] == ["Bake bread"]


@pytest.mark.parametrize(
    ("name", "text", "at"),
    [
        (".project_root", "/home/ines/gulls\n", ".gemini/tmp/abababababab/.project_root"),
        ("workspace.json", '{"folder": "file:///home/ines/my%20gulls"}', f"{CODE}/workspaceStorage/ab/workspace.json"),
    ],
)
def test_a_file_beside_it_names_the_project(home, name, text, at):
    keep(home / f"{CODE}/workspaceStorage/ab/chatSessions/1.json", VS_CODE, 8)
    (home / at).write_text(text)
    assert {"/home/ines/gulls", "/home/ines/my gulls"} & {session.project for session in find_sessions()}


@pytest.mark.parametrize("order", [("cwd", "message"), ("message", "cwd")])
@pytest.mark.parametrize("length", [BLOCK, 20 * BLOCK])
def test_a_first_prompt_of_any_length_is_a_question_and_hides_no_project(home, order, length):
    record = {"cwd": "/home/ines/attic", "message": {"role": "user", "content": "# Sort this\n" + "box " * length}}
    keep(home / ".claude/projects/p/x.jsonl", [{"type": "user", **{name: record[name] for name in order}}], 9)
    newest = find_sessions()[0]
    assert newest.question.startswith("# Sort this box box")
    assert newest.project == "/home/ines/attic"


def test_a_long_document_is_read_as_far_as_its_first_question(home):
    chat = {"version": 3, "requests": [REQUEST, {"response": [{"value": "gull " * BLOCK}]}]}
    path = home / f"{CODE}/workspaceStorage/ab/chatSessions/1.json"
    keep(path, [chat], 9)
    path.write_text(json.dumps(chat, indent=1))
    os.utime(path, (900, 900))
    assert find_sessions()[0].question == "Sort shells"


def test_a_session_begun_by_a_command_is_listed_by_it_unless_something_is_asked(home):
    given = {
        "type": "user",
        "message": {"content": "<command-message>…</command-message>\n<command-name>/init</command-name>"},
    }
    keep(home / ".claude/projects/-home-ines-lamps/def.jsonl", [given], 9)
    keep(home / ".claude/projects/-home-ines-lamps/ghi.jsonl", [given, *CLAUDE], 8)
    assert [s.question for s in find_sessions()[:2]] == ["/init", "Mend the lamp"]


@pytest.mark.parametrize("command", ["/mode", "/plugin:init\n"])
def test_a_typed_command_is_no_question_where_another_prompt_follows(home, command):
    given, asked = ({"role": "user", "content": [{"type": "text", "text": text}]} for text in (command, "/etc is full"))
    answer = {"type": "assistant", "requestId": "req_1", "message": {"role": "assistant", "content": "I look."}}
    for name, records in (("1", [{"message": given}, answer]), ("2", [{"message": given}, answer, {"message": asked}])):
        keep(home / f".pi/agent/sessions/--tides--/{name}.jsonl", records, 9)
    assert {one.question for one in find_sessions()[:2]} == {command.strip(), "/etc is full"}


def test_a_date_in_the_future_makes_no_session_the_newest(home):
    keep(home / KEPT[0][0], CLINE, 15_000_000 * 17)
    assert [one.tool for one in find_sessions()] == ["Gemini CLI", "Codex", "Claude Code", "Cline"]


def test_a_session_is_listed_by_what_a_person_wrote_beside_a_programs_notes(home):
    said = "<ide_opened_file>a.py is open.</ide_opened_file>\n# Lamps\nMend them"
    rules = "# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>Never push.</INSTRUCTIONS>"
    records = [{"type": "user", "message": {"content": text}} for text in (rules, said)]
    keep(home / ".claude/projects/-home-ines-lamps/def.jsonl", records, 9)
    assert find_sessions()[0].question == "# Lamps Mend them"


def test_a_machine_without_any_lists_none(tmp_path, monkeypatch):
    make_home(tmp_path, monkeypatch)
    assert find_sessions() == []


def test_the_tools_own_variables_say_where_they_keep_them(home, monkeypatch):
    monkeypatch.setenv("CODEX_HOME", str(home / "elsewhere"))
    keep(home / "elsewhere/sessions/2026/03/02/rollout-2.jsonl", CODEX, 9)
    assert [s.path.name for s in find_sessions() if s.tool == "Codex"] == ["rollout-2.jsonl"]


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
    path.write_bytes(b'[{"type": 1}\n\xff\xfe' + b'"user"\n{"type": "user", "message": "\x1b[31m"}\n' * BLOCK)
    os.utime(path, (9e8, 9e8))
    assert (find_sessions()[0].project, find_sessions()[0].question) == ("odd", "")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_for_a_projects_name_is_not_waited_for(home):
    os.mkfifo(home / ".gemini/tmp/abababababab/.project_root")
    assert find_sessions()[0].project == "abababababab"
