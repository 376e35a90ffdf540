"""Sessions of coding agents on this machine: Claude Code, Codex and Gemini CLI, found where those tools keep them.

Nothing is read until it is asked for, then only the beginning of each file: the project, and the first thing asked.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from stat import S_ISREG
from typing import Any

from historylab.conversation.injected import without_frames
from historylab.formats.titles import opening, printable

HEAD = 64_000  # bytes read of each file
MOST = 500  # sessions listed, the newest
LONGEST = 80  # characters of an opening question
SUBAGENT = "agent-"  # begins the files of Claude Code's subagents, which belong to a session
COMMAND = re.compile(r"<command-name>([^<]*)</command-name>")


@dataclass(frozen=True)
class Session:
    """One session file. `project` is the folder worked in, as far as the file says; `opening` the first thing asked."""

    tool: str
    path: Path
    project: str
    opening: str
    changed: datetime
    size: int


@dataclass(frozen=True)
class _Place:
    """Where a tool keeps its sessions: files like `patterns` below `$variable`/`below`, by default below `home`.

    `about` reads a file's project and opening question from its beginning.
    """

    tool: str
    variable: str
    home: str
    patterns: tuple[str, ...]
    about: Callable[[Path, str], tuple[str, str]]
    below: str = ""

    def folder(self) -> Path:
        """The folder to look in."""
        chosen = os.environ.get(self.variable)
        return Path(chosen) / self.below if chosen else Path.home() / self.home


def find_sessions(most: int = MOST) -> list[Session]:
    """The newest sessions of this machine, newest first. Folders and files that can't be read are left out."""
    found = [(changed, place, path) for place in _PLACES for changed, path in _files(place)]
    newest = sorted(found, key=lambda item: item[0], reverse=True)[:most]
    return [session for changed, place, path in newest if (session := _session(place, path, changed))]


def _files(place: _Place) -> Iterator[tuple[float, Path]]:
    """The session files and when each was last changed. Symbolic links are not followed out of the folder."""
    for pattern in place.patterns:
        for path in place.folder().glob(pattern):
            try:
                found = path.lstat()
            except OSError:
                continue
            if S_ISREG(found.st_mode) and found.st_size and not path.name.startswith(SUBAGENT):
                yield found.st_mtime, path


def _session(place: _Place, path: Path, changed: float) -> Session | None:
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            head = file.read(HEAD).decode("utf-8", "replace")
    except OSError:
        return None
    project, asked = map(printable, place.about(path, head))
    project, changed_at = project or path.parent.name, datetime.fromtimestamp(changed, UTC)
    return Session(place.tool, path, project, opening(asked, LONGEST), changed_at, size)


def _about_claude_code(_path: Path, head: str) -> tuple[str, str]:
    records = list(_records(head))
    users = [_part(r, "message", "content") for r in records if r.get("type") == "user" and not r.get("isMeta")]
    asked = _first(_question_text(content) for content in users) or _first(_command(content) for content in users)
    return _first(r.get("cwd") for r in records), asked


def _about_codex(_path: Path, head: str) -> tuple[str, str]:
    payloads = [r["payload"] for r in _records(head) if isinstance(r.get("payload"), dict)]
    users = (p.get("content") for p in payloads if p.get("role") == "user")
    return _first(p.get("cwd") for p in payloads), _first(_question_text(content) for content in users)


def _about_gemini_cli(path: Path, head: str) -> tuple[str, str]:
    """One JSON document, of which the beginning can't be parsed by itself: the first message is decoded from it."""
    root = path.parents[1] / ".project_root"
    try:
        project = root.read_text("utf-8").strip() if S_ISREG(root.lstat().st_mode) else ""
    except (OSError, UnicodeDecodeError):
        project = ""
    project = project or path.parents[1].name[:12]  # a digest of the folder's path
    _, found, after = head.partition('"messages"')
    start = after.find("{")
    try:
        message = json.JSONDecoder(strict=False).raw_decode(after, start)[0] if found and start >= 0 else {}
    except (ValueError, RecursionError):
        message = {}
    return project, _question_text(message.get("content")) if isinstance(message, dict) else ""


_PLACES = (
    _Place("Claude Code", "CLAUDE_CONFIG_DIR", ".claude", ("projects/*/*.jsonl",), _about_claude_code),
    _Place(
        "Codex",
        "CODEX_HOME",
        ".codex",
        ("sessions/*/*/*/rollout-*.jsonl", "archived_sessions/rollout-*.jsonl"),
        _about_codex,
    ),
    _Place(
        "Gemini CLI",
        "GEMINI_CLI_HOME",
        ".gemini",
        ("tmp/*/chats/session-*.json", "tmp/*/chats/session-*.jsonl"),
        _about_gemini_cli,
        below=".gemini",
    ),
)


def _records(head: str) -> Iterator[dict[str, Any]]:
    for line in islice(head.splitlines(), 200):
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            yield value


def _question_text(content: Any) -> str:
    """The text a person wrote; empty for what the tool put there itself, and for a command."""
    parts = content if isinstance(content, list) else [{"text": content}]
    texts = [part["text"] for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str)]
    return next(filter(None, (without_frames(text) for text in texts if not COMMAND.search(text))), "")


def _command(content: Any) -> str:
    """The command that a person gave instead, as "/init"."""
    found = COMMAND.search(content) if isinstance(content, str) else None
    return found[1].strip() if found else ""


def _part(record: dict[str, Any], *keys: str) -> Any:
    value: Any = record
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _first(found: Iterator[Any]) -> str:
    return next((text for text in found if isinstance(text, str) and text), "")
