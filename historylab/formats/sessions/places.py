"""Places where coding agents keep their sessions on Linux, macOS and Windows: a row or a few for each tool.

A folder is written as its alternatives, "$VARIABLE/below|~/below": the first counts whose variable is set, or that
needs none. The places of all systems are looked in: those of the others aren't there, which costs nothing.

Sources: the tools' documentation; kenn-io/agentsview, internal/parser/types.go; getagentseal/codeburn, src/providers
and src/editor-data-dir.ts (July to October 2026).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

CONFIG = ("$XDG_CONFIG_HOME|~/.config", "~/Library/Application Support", "$APPDATA|~/AppData/Roaming")
DATA = "$XDG_DATA_HOME|~/.local/share"
EDITORS = ("Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf")
SERVERS = ("~/.vscode-server/data", "~/.vscode-server-insiders/data", "~/.cursor-server/data")
TASK = (("api_conversation_history.json", "cline_task"), ("ui_messages.json", "cline_screen"))
"""The files in the folder of a task of Cline, of which the first tells more, and what reads each."""
DATABASES = (".db", ".vscdb")
"""Endings of databases that hold many sessions."""


def _below(folder: str, rest: str) -> str:
    return "|".join(f"{each}/{rest}" for each in folder.split("|"))


def _editors(rest: str, *editors: str) -> tuple[str, ...]:
    """A folder below the user's data of each editor."""
    users = (_below(config, f"{editor}/User/{rest}") for config in CONFIG for editor in editors or EDITORS)
    return (*users, *(f"{server}/User/{rest}" for server in SERVERS if not editors))


class SessionPlace(NamedTuple):
    """The place where a tool keeps its sessions: files like `pattern` in these folders.

    `up` folders above a file is the one named like the project, where nothing else tells it (0: none is); `whole`: the
    session is the folder that the file is in. `format` reads them, where it is sure.
    """

    tool: str
    folders: tuple[str, ...]
    pattern: str
    format: str = ""
    up: int = 0
    whole: bool = False


def _tasks(tool: str, extension: str, *others: str) -> tuple[SessionPlace, ...]:
    """Tasks of Cline and what came of it: a folder each, below the extension's own."""
    folders = (*_editors(f"globalStorage/{extension}/tasks"), *others)
    return tuple(SessionPlace(tool, folders, f"*/{name}", read_by, whole=True) for name, read_by in TASK[::-1])


CLINE = "$CLINE_DATA_DIR|$CLINE_DIR/data|~/.cline/data"
CODEX = ("$CODEX_HOME|~/.codex",)
GEMINI = ("$GEMINI_CLI_HOME/.gemini/tmp|~/.gemini/tmp",)
COPILOT = ("$COPILOT_HOME/session-state|~/.copilot/session-state",)
PI = ("$PI_CODING_AGENT_SESSION_DIR|$PI_CODING_AGENT_DIR/sessions|~/.pi/agent/sessions",)
GOOSE = (
    f"$GOOSE_PATH_ROOT/data/sessions|{_below(DATA, 'goose/sessions')}",
    *(_below(CONFIG[2], f"Block/goose/{folder}sessions") for folder in ("data/", "")),
)
OPENCODE = ("$OPENCODE_DATA_DIR|" + _below(DATA, "opencode"),)

PLACES = (
    SessionPlace("Claude Code", ("$CLAUDE_CONFIG_DIR/projects|~/.claude/projects",), "*/*.jsonl", "claude_code", 1),
    SessionPlace("Claude Code", (_below(CONFIG[0], "claude/projects"),), "*/*.jsonl", "claude_code", 1),
    SessionPlace("Codex", CODEX, "sessions/*/*/*/rollout-*.jsonl", "codex"),
    SessionPlace("Codex", CODEX, "archived_sessions/rollout-*.jsonl", "codex"),
    SessionPlace("Gemini CLI", GEMINI, "*/chats/session-*.json*", "gemini_cli", 2),
    *_tasks("Cline", "saoudrizwan.claude-dev", _below(CLINE, "tasks")),
    SessionPlace("Cline", (f"$CLINE_SESSION_DATA_DIR|{_below(CLINE, 'sessions')}",), "*/*.messages.json", "cline"),
    *_tasks("Roo Code", "rooveterinaryinc.roo-cline"),
    *_tasks("Kilo Code", "kilocode.kilo-code"),
    SessionPlace("Kilo Code", (_below(DATA, "kilo"),), "kilo*.db", "opencode"),
    SessionPlace("OpenCode", OPENCODE, "opencode*.db", "opencode"),
    SessionPlace("OpenCode", OPENCODE, "storage/session/*/*.json", "opencode"),
    SessionPlace("VS Code Copilot", _editors("workspaceStorage"), "*/chatSessions/*.json*", "vscode_copilot"),
    SessionPlace("VS Code Copilot", _editors("globalStorage/emptyWindowChatSessions"), "*.json*", "vscode_copilot"),
    SessionPlace("Copilot CLI", COPILOT, "*/events.jsonl", "copilot_cli"),
    SessionPlace("Copilot CLI", COPILOT, "*.jsonl", "copilot_cli"),
    SessionPlace("Cursor", _editors("globalStorage", "Cursor"), "state.vscdb", "cursor"),
    SessionPlace("Cursor", ("~/.cursor/projects",), "*/agent-transcripts/*.jsonl", "cursor_agent", 2),
    SessionPlace("Cursor", ("~/.cursor/projects",), "*/agent-transcripts/*/*.jsonl", "cursor_agent", 3),
    SessionPlace("Pi", PI, "*/*.jsonl", "pi", 1),
    SessionPlace("Pi", PI, "*.jsonl", "pi"),
    SessionPlace("Goose", GOOSE, "sessions.db"),
    SessionPlace("Goose", GOOSE, "*.jsonl", "goose"),
)


def folders_of(place: SessionPlace) -> Iterator[Path]:
    """The folders of a place that are on this machine."""
    for folder in dict.fromkeys(map(_choose_folder, place.folders)):
        if folder and os.path.isdir(folder):
            yield Path(folder)


def _choose_folder(alternatives: str) -> str:
    """The first of the alternatives whose variable is set, or that needs none; empty if there is none."""
    for each in alternatives.split("|"):
        variable, below, rest = each.removeprefix("$").partition("/")
        start = os.environ.get(variable, "").strip() if each.startswith("$") else str(Path.home())
        if start:
            return f"{os.path.expanduser(start)}{below}{rest}"
    return ""


def tools() -> list[str]:
    """The tools whose sessions are found."""
    return list(dict.fromkeys(place.tool for place in PLACES))
