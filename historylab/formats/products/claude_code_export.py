"""Claude Code's `/export`, and what else was copied from its screen: prompts, answers, tools and their results.

    ❯ Why is it slow?          a prompt; older versions begin it with `>`
    ⏺ Bash(cat app.log)        an answer, or a tool before a result; `●` elsewhere than on macOS
      ⎿  3 lines               what came back: of a tool, or of a command (`/model`), which was never sent
    ! git status               a command for the shell, which is sent with what came back

The screen wraps lines, and shows of most results the beginning alone. There are no times and no tokens.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message, ToolCall
from historylab.conversation.recorded import PROVIDER
from historylab.conversation.usage import MODEL
from historylab.formats.base import Report
from historylab.formats.files.content import Content
from historylab.formats.messages.chat_messages import pair_by_order
from historylab.formats.messages.shown_commands import ShownMessages
from historylab.registry import register

MARK = re.compile(r"([>❯⏺●✻✽✶✳✢∴](?= |$)|!(?= \S)|  ⎿) {0,2}(.*)$")
PROMPTS, ANSWERS, RESULT, SHELL = frozenset(">❯"), frozenset("⏺●"), "  ⎿", "!"
BANNER = re.compile(r"[^\n]{0,200}(?:Claude Code v\d|Welcome to Claude Code)")
LOOKED_AT = 4_000  # characters in which the banner and the first prompt are
CALL = re.compile(r"([\w.:-]+(?: - [\w.:-]+ \(MCP\)| [A-Z]\w+)?)(?:\((.*?)\)?)?$", re.DOTALL)
FOLDED = re.compile(r"  \S[^\n]*\(ctrl\+\w to (?:expand|show[^)]*)\)$|═{4,} [^\n]*═$")
CUT_SHORT = re.compile(r"(?:… \+\d+ lines?|\(ctrl\+\w to expand\))")
NAMED = re.compile(r"\b(Opus|Sonnet|Haiku|Fable|Mythos) (\d+(?:\.\d+)?)\b")
UNNAMED_TOOL, INTERRUPTED = "tool", "Interrupted"


@dataclass
class ScreenBlock:
    """A stretch of the screen, from one mark to the next."""

    line: int
    mark: str
    lines: list[str] = field(default_factory=list)

    @cached_property
    def text(self) -> str:
        """All of it, without empty lines around it."""
        return "\n".join(self.lines).strip("\n")


def is_screen(content: Content) -> float:
    """0.95 for Claude Code's banner at the top and a prompt after it, or results and answers by marks no other has."""
    text = content.text
    if "⎿" not in text and "⏺" not in text and "●" not in text:
        return 0
    head = text[:LOOKED_AT]
    begins = text.lstrip()[:1] in "▐╭▝❯>⏺●✻" or "$ claude" in head or ">claude" in head
    asked = re.search(r"^[>❯] ", text, re.MULTILINE) is not None
    marked = "\n⏺ " in text and "\n  ⎿" in text
    return 0.95 if begins and asked and (BANNER.search(head) or marked) else 0


@register(
    "format",
    title="Claude Code export",
    recognise=is_screen,
    source="Claude Code's screen, 1.0 to 2.1",
    checked="dreamiurg/shipmate, README.md (a screen of 2.0.34)",
)
def claude_code_export(content: Content, report: Report) -> Iterator[Conversation]:
    """A session as Claude Code's `/export` writes it, with its calls, and of the results what was on screen."""
    screen = Screen(report)
    blocks = list(_blocks(content.text.replace("\r", "").split("\n"), report))
    for block, following in zip(blocks, [*blocks[1:], ScreenBlock(0, "")], strict=True):
        stopped = following.text.startswith(INTERRUPTED) and not _match_call(block.text)
        screen.read(block, answered=following.mark == RESULT and not stopped)
    yield Conversation(pair_by_order(screen.said.messages), metadata={PROVIDER: "anthropic"} | screen.said.metadata)


@dataclass
class Screen:
    """The messages read so far, the model that answers, its thoughts, and whether a result belongs to a call."""

    report: Report
    said: ShownMessages = field(default_factory=ShownMessages)
    model: str = ""
    thoughts: str = ""
    calling: bool = False

    def read(self, block: ScreenBlock, *, answered: bool) -> None:
        """Take over the next block; `answered` if a result follows it."""
        if block.mark == RESULT:
            self._read_result(block)
            return
        self.calling = answered and block.mark in ANSWERS | {SHELL}
        if block.mark == SHELL:
            self._add_shell(block, answered=answered)
            return
        if block.mark in PROMPTS | ANSWERS and block.text:
            self.report.records += 1
            self._add(block.text, by_model=block.mark in ANSWERS, answered=answered)
            return
        self.report.pass_over("what the program shows of itself", f"line {block.line}")
        first, _, rest = block.text.partition("\n")
        if not block.mark:
            self._note_model(block.text)
        elif "Thinking" in first:
            self.thoughts = rest.strip()

    def _add(self, text: str, *, by_model: bool, answered: bool) -> None:
        if by_model:
            about = {name: value for name, value in ((MODEL, self.model), ("thinking", self.thoughts)) if value}
            self.thoughts = ""
            words, calls = _call(text) if answered else (text, ())
            self.said.add(Message("assistant", words, tool_calls=calls, metadata=about))
        elif answered and text.startswith("/"):
            self.said.add_command(Message("user", text), "Claude Code" if text.startswith("/clear") else "")
        else:
            self.said.add(Message("user", text))

    def _add_shell(self, block: ScreenBlock, *, answered: bool) -> None:
        """Add a command that a person ran; what nothing came back from is a line of the prompt before it."""
        if answered or not self.said.messages:
            self.report.records += 1
            self.said.add(Message("user", block.text, metadata={"injected": True}))
        else:
            self._go_on(f"{SHELL} {block.text}")

    def _go_on(self, text: str) -> None:
        last = self.said.messages[-1]
        self.said.messages[-1] = replace(last, content=f"{last.content}\n{text}")

    def _read_result(self, block: ScreenBlock) -> None:
        """Add a result; further ones of the same call are lines of it. What a command says sets the model, perhaps."""
        if not self.calling:
            self._note_model(block.text if block.text.startswith("Set model to") else "")
            return
        if CUT_SHORT.search(block.text):
            self.report.warn("a result of which the screen shows the beginning", f"line {block.line}")
        if self.said.messages[-1].role in ("tool", "user"):
            self._go_on(block.text)
        else:
            self.said.add(Message("tool", block.text))

    def _note_model(self, text: str) -> None:
        if found := NAMED.search(text):
            self.model = f"claude-{found[1].lower()}-{found[2].replace('.', '-')}"


def _call(text: str) -> tuple[str, tuple[ToolCall, ...]]:
    """The words and the call of an answer before a result; a call whose name is folded away has words alone."""
    found = _match_call(text)
    if not found:
        return text, (ToolCall("", UNNAMED_TOOL, "{}"),)
    shown = {"shown": found[2]} if found[2] else {}
    return "", (ToolCall("", found[1], json.dumps(shown, ensure_ascii=False)),)


def _match_call(text: str) -> re.Match[str] | None:
    """The name of a tool and what it was given, if an answer is nothing else."""
    found = CALL.match(text)
    return found if found and (found[2] is not None or "\n" not in text) else None


def _blocks(lines: list[str], report: Report) -> Iterator[ScreenBlock]:
    block = ScreenBlock(1, "")
    for number, given in enumerate(lines, 1):
        line = given.rstrip()
        if found := MARK.match(line):
            yield block
            block = ScreenBlock(number, found[1], [found[2]])
        elif FOLDED.match(line):
            report.pass_over("what the program shows of itself", f"line {number}")
        else:
            block.lines.append(line.removeprefix("     " if block.mark == RESULT else "  "))
    yield block
