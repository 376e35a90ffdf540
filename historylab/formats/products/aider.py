"""aider: `.aider.chat.history.md`, which every session of a project is added to; each is a conversation of its own.

    # aider chat started at 2026-03-01 10:00:00     a session begins
    > Model: gpt-5 with diff edit format            the program's words, which end with two spaces, on one line or more
    #### Rename it                                  a line of a prompt, which ends with two spaces, too
    Done.                                           anything else is an answer

A command (`/add x.py`) is kept as an injected message and left out of what was sent, unless an answer follows. What the
program adds to a request (the files of the chat, a map of the repository) is not in the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby, islice

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.conversation.usage import MODEL
from historylab.formats.base import Report
from historylab.formats.files.content import Content
from historylab.formats.messages.chat_messages import iso_time
from historylab.formats.messages.shown_commands import ShownMessages
from historylab.registry import register

START = re.compile(r"# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\s*$", re.MULTILINE)
USER, PROGRAM, BREAK, FENCE = "####", "> ", "  ", "```"
COMMAND = re.compile(r"[/!]\s*(\S*)")
CLEARING = ("clear", "reset")
MODEL_LINE = re.compile(r"(?:Main model|Models?): ([\w./:@-]+)\S* with ")
TOKENS = re.compile(r"Tokens: (?=[\d.,]+[kM]? sent\b)([^\n]*? received)")
COUNT = re.compile(r"(\d[\d,]*(?:\.\d+)?)([kM]?) (sent|cache write|cache hit|received)")
SCALE = {"": 1, "k": 1_000, "M": 1_000_000}
ADDED = re.compile(r"Added (\d+ lines? of output|.*) to the chat\b")
BY_PROGRAM = "# Fix any errors below, if possible."


@dataclass(frozen=True)
class HistoryBlock:
    """Lines of one kind: START's time, a prompt, the program's words or an answer; the first line's number from 1."""

    line: int
    kind: str
    text: str


@dataclass
class AiderSession:
    """A session as it is read, and the model that answers."""

    report: Report
    started: str | None = None
    said: ShownMessages = field(default_factory=ShownMessages)
    model: str = ""

    def read(self, block: HistoryBlock) -> None:
        """Take over the next block."""
        where = f"line {block.line}"
        if block.kind == PROGRAM:
            self._read_program(block.text, where)
        elif not block.text or block.text == "<blank>":
            self.report.pass_over("an empty prompt", where)
        elif block.kind != USER and not self.said.messages:
            self.report.pass_over("words before any prompt", where)
        else:
            self.report.records += 1
            self._add(block)

    def conversations(self) -> Iterator[Conversation]:
        """The session as a conversation; none if nothing but commands was given."""
        if self.said.any_sent:
            started = {"started": self.started} if self.started else {}
            yield Conversation(self.said.messages, metadata=started | self.said.metadata)
            return
        self.report.records -= len(self.said.messages)
        for _ in self.said.messages:
            self.report.pass_over("a command of a session in which nothing was sent", "")

    def _add(self, block: HistoryBlock) -> None:
        if block.kind != USER:
            self.said.add(Message("assistant", block.text, metadata={MODEL: self.model} if self.model else {}))
            return
        injected = {"injected": True} if block.text.startswith(BY_PROGRAM) else {}
        first = None if self.said.messages else self.started
        prompt = Message("user", block.text, timestamp=first, metadata=injected)
        if found := COMMAND.match(block.text):
            self.said.add_command(prompt, "aider" if found[1] in CLEARING else "")
        else:
            self.said.add(prompt)

    def _read_program(self, text: str, where: str) -> None:
        self.report.pass_over("words of the program", where)
        if found := MODEL_LINE.match(text):
            self.model = found[1]
        if found := ADDED.match(text):
            what = "a command's output" if found[1].endswith("of output") else "a file"
            self.report.warn(f"{what} added to the chat, which was sent and is not read", where)
        found = TOKENS.match(text)
        if found and self.said.messages and self.said.messages[-1].role == "assistant":
            self.said.mark({"usage": _usage(found[1])})


def is_history(content: Content) -> float:
    """0.9 for a line that begins a session."""
    return 0.9 if "# aider chat started at " in content.text and START.search(content.text) else 0


@register(
    "format",
    title="aider",
    recognise=is_history,
    source="Aider-AI/aider, aider/io.py and aider/commands.py, 0.86",
    checked="a history of Aider-AI/aider's own development",
)
def aider(content: Content, report: Report) -> Iterator[Conversation]:
    """Sessions of aider with their models and tokens; its commands are shown, and were not sent."""
    session = AiderSession(report)
    for block in _blocks([line.removesuffix("\r") for line in content.text.split("\n")]):
        if block.kind != START.pattern:
            session.read(block)
            continue
        report.pass_over("the beginning of a session", f"line {block.line}")
        yield from session.conversations()
        session = AiderSession(report, iso_time(block.text.replace(" ", "T")))
    yield from session.conversations()


def _blocks(lines: Sequence[str]) -> Iterator[HistoryBlock]:
    kept = any(line.startswith((PROGRAM, USER)) and line.endswith(BREAK) for line in lines)  # unless an editor cut them
    ending = BREAK if kept else ""
    numbered, at = enumerate(_kinds(lines, ending)), 0
    for (kind, at), found in groupby(numbered, key=lambda each: each[1]):
        own = [lines[i] for i, _ in found]
        if kind == START.pattern:
            yield HistoryBlock(at + 1, kind, own[0].partition(" at ")[2].strip())
        elif kind == USER:
            yield HistoryBlock(at + 1, kind, "\n".join(line[5:].removesuffix(BREAK) for line in own).strip())
        elif kind == PROGRAM:
            yield HistoryBlock(at + 1, kind, "\n".join(own)[2:].strip())
        elif any(map(str.strip, own)):
            yield HistoryBlock(at + 1, kind, "\n".join(own).strip())


def _kinds(lines: Sequence[str], ending: str) -> Iterator[tuple[str, int]]:
    """The kind of each line, and the index of the first line of its block."""
    kind, first, end, fenced = "", 0, 0, False
    closing = _ends_of_words(lines, ending)
    for at, line in enumerate(lines):
        if at < end or (fenced and START.match(line) and _is_fence_closed(lines, at + 1)):
            pass
        elif START.match(line):
            kind, first = START.pattern, at
        elif _is_prompt(line, ending):
            kind, first = USER, first if kind == USER else at
        elif line.startswith(PROGRAM) and (end := closing[at]):
            kind, first = PROGRAM, at
        elif kind:
            kind, first = "", at
        fenced = not kind and fenced ^ line.startswith(FENCE)
        yield kind, first


def _is_fence_closed(lines: Sequence[str], at: int) -> bool:
    """Tell whether a fence ends before anything that no answer has; a reply that broke off leaves it open."""
    others = (line for line in islice(lines, at, None) if line.startswith((FENCE, PROGRAM, USER, "# aider chat")))
    return next(others, "").startswith(FENCE)


def _is_prompt(line: str, ending: str) -> bool:
    return (line.startswith(f"{USER} ") and line.endswith(ending)) or (not ending and line == USER)


def _ends_of_words(lines: Sequence[str], ending: str) -> list[int]:
    """Per line, the index after the program's words if they begin there; 0 if nothing ends them: an answer quotes."""
    found, closing = [0] * len(lines), 0
    for at in range(len(lines) - 1, -1, -1):
        line = lines[at]
        if line.endswith(ending):
            begins = line.startswith(PROGRAM) or _is_prompt(line, ending)
            found[at], closing = at + 1, 0 if begins else at + 1
        elif START.match(line):
            closing = 0
        else:
            found[at] = closing
    return found


def _usage(text: str) -> dict[str, int]:
    """Tokens as aider prints them, rounded; those read from a cache are within those sent, or beside them."""
    counts = {what: round(float(number.replace(",", "")) * SCALE[unit]) for number, unit, what in COUNT.findall(text)}
    sent, writes, reads = (counts.get(what, 0) for what in ("sent", "cache write", "cache hit"))
    fresh = sent - writes - reads if sent >= writes + reads else max(0, sent - writes)
    return {"input": fresh, "output": counts.get("received", 0), "cache_reads": reads, "cache_writes": writes}
