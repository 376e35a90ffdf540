"""Loading in words: the formats that are read, the size of a conversation, and what of a file was read and left out."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from historylab.conversation.conversation import Conversation
from historylab.costs.amounts import count_of
from historylab.formats.base import Report
from historylab.formats.load import SHAPE
from historylab.registry import Member, members
from historylab.wording.untrusted import one_line

FOLDERS = {
    "products": "Products",
    "apis": "APIs",
    "frameworks": "Frameworks",
    "traces": "Traces and logs",
    "plain": "Plain files",
}
"""Folder of `formats/` → its heading on screen."""
BEST_KNOWN = ("chatgpt", "claude_ai", "claude_code", "codex", "chat_completions", "anthropic", "langchain", "csv")
MOST_REASONS = 40
NO_QUESTION = "(no question yet)"
REASON = 200  # characters of a reason, which may quote the file


def formats_by_folder() -> Mapping[str, list[Member]]:
    """Heading → the formats of that folder, by title."""
    found: dict[str, list[Member]] = {heading: [] for heading in FOLDERS.values()}
    for member in members("format").values():
        folder = member.target.__module__.split(".")[2]
        found.setdefault(FOLDERS.get(folder, folder), []).append(member)
    return {heading: sorted(each, key=lambda m: m.title.lower()) for heading, each in found.items() if each}


def best_known_formats() -> list[str]:
    """The titles of the formats that most people look for."""
    known = members("format")
    return [known[name].title for name in BEST_KNOWN if name in known]


def size_in_words(conversation: Conversation) -> str:
    """ "166 messages, 83 turns, 8 tool calls": of what there is none is left out."""
    calls = sum(len(message.tool_calls) for message in conversation)
    counts = ((len(conversation), "message"), (len(conversation.columns.users), "turn"), (calls, "tool call"))
    return ", ".join(count_of(count, noun) for count, noun in counts if count) or "no message"


def read_in_words(report: Report) -> str:
    """ "Read as Claude Code: 214 messages from 286 of 346 records; 60 were left out, 3 remarks." """
    how = "by your shape" if report.member == SHAPE else f"as {report.format}"
    conversations = "" if report.conversations == 1 else f" in {count_of(report.conversations, 'conversation')}"
    read = f"{report.records - report.skips:,} of {count_of(report.records, 'record')}"
    records = f" from {read}" if report.skips else ""  # several records may be one message, and one be in a branch
    remarks = report.remarks - report.skips
    left_out = f"{report.skips:,} {'was' if report.skips == 1 else 'were'}" if report.skips else "nothing was"
    told = f"{left_out} left out" + (f", {count_of(remarks, 'remark')}" if remarks else "")
    return f"Read {how}: {count_of(report.messages, 'message')}{conversations}{records}; {told}."


def reasons_in_words(report: Report) -> Iterator[str]:
    """A line per reason to leave something out, then per remark, then what is kept beside the messages."""
    reasons = [("Left out", *entry) for entry in report.skipped.items()]
    reasons += [("Read", *entry) for entry in report.warnings.items()]
    for fate, reason, tally in reasons[:MOST_REASONS]:
        where = f", first at {tally.first}" if tally.first else ""
        yield f"{one_line(f'{fate}, {tally.count:,} ×: {reason}', REASON)}{one_line(where, REASON)}"
    if len(reasons) > MOST_REASONS:
        yield f"… and {len(reasons) - MOST_REASONS:,} other reasons"
    if report.kept:
        yield one_line(f"Kept beside the messages: {', '.join(report.kept)}", REASON)


def unread_sessions(path: Path, reason: str) -> str:
    """ "Sessions may be missing: ~/sessions.db: …": of a database that can't be read to its end."""
    return one_line(f"Sessions may be missing: {home_as_tilde(str(path))}: {reason}", REASON)


def home_as_tilde(project: str) -> str:
    """The project's folder, beginning with ~ where it is in the home folder."""
    home = str(Path.home())
    return "~" + project.removeprefix(home) if project.startswith(home + os.sep) else project


def file_size(size: int) -> str:
    """ "1.2 MB", "12 kB"; never "0 kB" of a file that holds something."""
    return f"{size / 1e6:,.1f} MB" if size >= 1e6 else f"{math.ceil(size / 1e3):,} kB"
