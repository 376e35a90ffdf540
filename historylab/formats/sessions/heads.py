"""The head of a session's file: the first thing that a person asked there, and the folder that was worked in.

No more of a file is read than tells both; a prompt of any length is cut, not missed. Each tool words its records in its
own way, but all of them say `user` of a person and give the folder one of a few names.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from stat import S_ISREG
from typing import Any, BinaryIO, Literal
from urllib.parse import unquote, urlsplit

from jiter import from_json

from historylab.conversation.injected import without_frames

BLOCK, GROWTH, MOST = 64_000, 16, 16_000_000
"""Bytes of a file that are read first, how many times as many next, and when no more are."""
RECORDS = 200
"""Lines of a file, or items of a list, that are looked through."""
LEVELS = 4

USERS = {"user", "user.message", "user_message", "human"}
SAID = ("task", "text", "user_feedback")
"""Kinds of records that Cline's screen shows of a person; the first text is one's, too."""
BODIES = ("message", "payload", "data", "context")
LISTS = ("messages", "requests", "v")
FOLDERS = ("cwd", "working_dir", "workspace_root", "directory")
TITLES = ("customTitle", "title", "description")
COMMAND = re.compile(r"<command-name>([^<]*)</command-name>|\A\s*(/[\w:-]+)\s*\Z")
"""A command that is given, by Claude Code's tag or as it was typed."""
AROUND = re.compile(r"\s*</?(?:task|feedback|user_message)>\s*")
"""Tags that Cline and its kin put around a person's words."""
CLINE_FOLDER = re.compile(r"Current (?:Working|Workspace) Directory \(([^()\n]{1,1000})\)")
YAML_FOLDER = re.compile(r"^cwd:[ \t]*[\"']?([^\"'\n]+)", re.MULTILINE)

Partial = Literal["off", "on", "trailing-strings"]


def read_head(path: Path) -> tuple[str, str]:
    """The opening question of a session and its project, each empty where nothing says it. Raises OSError."""
    with path.open("rb") as file:
        question, project, title = _look_through(file)
    return question or _question_beside(path) or title, project or _project_beside(path)


def _look_through(file: BinaryIO) -> tuple[str, str, str]:
    """The question, the project and the title, in as much of a file as tells the first two."""
    head, size, command, project, title = b"", BLOCK, "", "", ""
    while len(head) < MOST and (more := file.read(size)):
        head, size, question = head + more, GROWTH * size, ""
        whole, cut = _split_lines(head)
        for value, sure in _values(whole, cut):
            for content in _user_words(value, LEVELS):
                question = question or question_text(content)
                command = command or _command(content)
                project = project or _named_in(content)
            project = project or (_folder_in(value) if sure else "")
            title = title or (first_text(value, TITLES) if sure else "")
            if question and project:
                break
        if (question and project) or len(whole) == RECORDS:
            break
    return question or command, project, title


def _split_lines(head: bytes) -> tuple[list[bytes], bytes]:
    """The lines that are there whole, and the one that may be cut off: of a document that isn't lines, all of it."""
    lines = head.removeprefix(b"\xef\xbb\xbf").split(b"\n", RECORDS)
    if len(lines) > 1 and parse_json(lines[0]) is None and isinstance(parse_json(head, "on"), dict | list):
        return [], head
    return lines[:-1], b"" if len(lines) > RECORDS else lines[-1]


def _values(whole: Iterable[bytes], cut: bytes) -> Iterator[tuple[Any, bool]]:
    """The values of the lines, and whether no text of it is cut off."""
    for line in whole:
        yield parse_json(line), True
    if cut:
        yield parse_json(cut, "on"), True
        yield parse_json(cut, "trailing-strings"), False


def parse_json(text: bytes, partial: Partial = "off") -> Any:
    """The JSON value; with `partial` what is there of it. None if there is none."""
    try:
        return from_json(text, partial_mode=partial)
    except ValueError:
        pass
    try:  # it refuses what is no clean Unicode, and what stands behind a value
        return json.JSONDecoder(strict=False).raw_decode(text.decode("utf-8", "replace").lstrip())[0]
    except (ValueError, RecursionError):
        return None


def _user_words(value: Any, levels: int) -> Iterator[Any]:
    """The words of users in a record, or in the lists of records that it holds."""
    if isinstance(value, list):
        for item in islice(value, RECORDS if levels else 0):
            yield from _user_words(item, levels - 1)
    if not isinstance(value, dict) or value.get("isMeta"):
        return
    body = _body(value) or value
    speakers = (body.get("role"), body.get("type"), value.get("role"), value.get("type"))
    if (
        ("requestId" in value and not any(speakers))  # VS Code's; Claude Code's answers have one, too
        or value.get("say") in SAID
        or any(isinstance(speaker, str) and speaker in USERS for speaker in speakers)
    ):
        yield next((body[name] for name in ("content", "text", "message") if name in body), None)
    for name in LISTS:
        if levels and isinstance(value.get(name), dict | list):
            yield from _user_words(value[name], levels - 1)


def question_text(content: Any) -> str:
    """The text a person wrote; empty for what the tool put there itself, and for a command."""
    texts = (text for text in _texts(content) if not COMMAND.search(text))
    return next(filter(None, (AROUND.sub("", without_frames(text)) for text in texts)), "")


def _texts(content: Any) -> Iterator[str]:
    for part in content if isinstance(content, list) else [{"text": content}]:
        if isinstance(part, dict) and isinstance(part.get("text"), str):
            yield part["text"]


def _command(content: Any) -> str:
    """The command that a person gave instead, as "/init"."""
    found = next(filter(None, map(COMMAND.search, _texts(content))), None)
    return (found[1] or found[2] or "").strip() if found else ""


def _question_beside(path: Path) -> str:
    """The question in the files that OpenCode keeps beside a session's: `message/SESSION/*`, `part/MESSAGE/*`."""
    storage = path.parent.parent.parent
    for message in islice(sorted((storage / "message" / path.stem).glob("*.json")), RECORDS):
        if _object_at(message).get("role") != "user":
            continue
        parts = map(_object_at, sorted((storage / "part" / message.stem).glob("*.json")))
        if asked := next(filter(None, (question_text(p.get("text")) for p in parts if not p.get("synthetic"))), ""):
            return asked
    return ""


def _object_at(path: Path) -> dict[str, Any]:
    """The object that a file begins with, as far as that is read."""
    value = parse_json(_beginning_of(path), "trailing-strings")
    return value if isinstance(value, dict) else {}


def _beginning_of(path: Path) -> bytes:
    """The first bytes of a file beside the session's; none of anything else that has that name."""
    with suppress(OSError):
        if S_ISREG(path.lstat().st_mode):
            with path.open("rb") as file:
                return file.read(BLOCK)
    return b""


# -- the project


def _folder_in(value: Any) -> str:
    """The folder that a record names, itself or in the object that it wraps."""
    for _ in range(LEVELS):
        if not isinstance(value, dict):
            break
        if found := first_text(value, FOLDERS):
            return found
        value = _body(value)
    return ""


def _body(record: dict[str, Any]) -> Any:
    """The object that a record wraps."""
    return next((record[name] for name in BODIES if isinstance(record.get(name), dict)), None)


def first_text(value: Any, names: Iterable[str]) -> str:
    """The first text that an object has under these names."""
    found = (value.get(name) for name in names) if isinstance(value, dict) else ()
    return next((text for text in found if isinstance(text, str) and text.strip()), "")


def _named_in(content: Any) -> str:
    """The folder that Cline tells its model of."""
    found = next(filter(None, map(CLINE_FOLDER.search, _texts(content))), None)
    return found[1] if found else ""


def _project_beside(path: Path) -> str:
    """The project that another file of the session's folder names."""
    session, workspace = path.parent, path.parents[1]
    if root := _beginning_of(workspace / ".project_root").decode(errors="replace").strip():  # Gemini CLI
        return root
    if folder := first_text(_object_at(workspace / "workspace.json"), ("folder",)):  # VS Code
        return unquote(urlsplit(folder).path) if folder.startswith("file:") else folder
    if found := YAML_FOLDER.search(_beginning_of(session / "workspace.yaml").decode(errors="replace")):  # Copilot CLI
        return found[1].strip()
    beside = path.with_name(f"{path.name.partition('.')[0]}.json")  # Cline's own sessions
    return first_text(_object_at(beside), FOLDERS) if beside != path else ""
