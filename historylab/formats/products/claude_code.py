"""Claude Code: session files (JSON lines) and the web export (`{"loglines": […]}`), with the provider's own usage.

A reply is written as one line per streamed block, each repeating the usage: lines of one `message.id` are one message,
and the last usage counts once. Each tool result is a separate message; thinking, which isn't sent again, is kept in
`Message.metadata["thinking"]`. Rewinds, forks and resumes are branches; compactions say what was sent from there on.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.recorded import SIDECHAIN
from historylab.formats.base import Report
from historylab.formats.files.content import Content
from historylab.formats.messages.record_groups import located_items
from historylab.formats.messages.walker import text_at
from historylab.formats.products.claude_relatives import is_of_iflow
from historylab.formats.products.session_reader import has_content, read_sessions
from historylab.registry import register

OWN_MARKS = {"uuid", "parentUuid", "sessionId", "session_id"}
AGENT_FILES = "agent-*.jsonl"
LONGEST_LINE = 1_000_000  # bytes of a first line that are read to learn whose file it is


def looks_like_claude_code(content: Content) -> float:
    """1 for user or assistant records with a message and an id of a record or session, 0.8 without the ids."""
    found = [value for _, value in _records(content.values) if has_content(value)]
    if not found or any(is_of_iflow(value) for value in found):
        return 0
    return 1 if any(OWN_MARKS & value.keys() for value in found) else 0.8


def find_agent_files(path: Path, conversations: Sequence[Conversation]) -> Iterator[Path]:
    """The files of a session's sub-agents: in its own folder; of older versions beside it, by their first line."""
    sessions = {one.metadata.get("session") for one in conversations if not one.metadata.get(SIDECHAIN)} - {None}
    yield from sorted((path.with_suffix("") / "subagents").rglob(AGENT_FILES))
    for beside in sorted(path.parent.glob(AGENT_FILES)):
        if beside != path and _session_of(beside) in sessions:
            yield beside


def _session_of(path: Path) -> str:
    """The session that the first line of a file names; empty if it names none."""
    try:
        with path.open("rb") as file:
            record = json.loads(file.readline(LONGEST_LINE))
    except (OSError, ValueError, RecursionError):
        return ""
    return text_at(record, "sessionId")


@register(
    "format",
    title="Claude Code",
    recognise=looks_like_claude_code,
    marks="parentUuid uuid sessionId",
    beside=find_agent_files,
)
def claude_code(content: Content, report: Report) -> Iterator[Conversation]:
    """Claude Code sessions: the newest path, with the others as branches; sub-agents have their own."""
    yield from read_sessions(_records(content.values, report), report, "anthropic")


def _records(values: list[tuple[str, Any]], report: Report | None = None) -> list[tuple[str, Any]]:
    """Every record with its location; those of a web export are unpacked from `loglines`."""
    records: list[tuple[str, Any]] = []
    for where, value in values:
        lines = value.get("loglines") if isinstance(value, dict) else None
        if report and isinstance(lines, list):
            report.leave(value, {"loglines"}, where)
        located = (f"{where} loglines".strip(), lines) if isinstance(lines, list) else (where, value)
        records += located_items([located]) if isinstance(located[1], list) else [located]
    return records
