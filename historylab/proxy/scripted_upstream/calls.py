"""Calls of a client's tools, with their arguments: those of an agent that really runs them only to read.

A coding agent executes what it is told, so that nothing but commands out of a short list is called there, and reading.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any
from zlib import crc32

from historylab.proxy.scripted_upstream.api import OfferedTool
from historylab.proxy.scripted_upstream.arguments import plausible

COMMANDS = ("ls", "pwd", "ls -a", "date", "echo turn {turn}", "uname")
COMMAND = re.compile(r"(?i)^(command|cmd)$")
PATH = re.compile(r"(?i)^(absolute_?|file_?|dir_?|target_?)*(path|file|directory)$")
READS = re.compile(r"(?i)^(read|view|cat|list|ls|open|get)(_?(file|dir|directory|many_files|folder))?s?$")
CHANGES = re.compile(
    r"(?i)(?<![a-z])(write|edit|create|delete|remove|patch|apply|move|update|replace|insert|kill|stop|send|spawn|set|"
    r"schedule|ask|request|sleep|wait|interrupt|exit|enter)"
)
FILES = re.compile(r"(?<![\w/.])/?(?:[\w-]+/)*[\w-]+\.[A-Za-z]\w{0,7}(?!\w)")
NO_PATCH = "*** Begin Patch\n*** End Patch\n"
SCRIPT = "const found = await tools.exec_command({{cmd: {command}}});\ntext(found.output);\n"


def choose_call(tools: Sequence[OfferedTool], question: str, turn: int) -> tuple[OfferedTool, str]:
    """A tool and its arguments, the same for the same question and turn."""
    shells = [tool for tool in tools if runs_commands(tool)][:1]
    files = FILES.findall(question)
    readers = [tool for tool in tools if _field(tool, PATH) and READS.match(tool.name)][:1]
    able = [*shells, *(readers if files or not shells else [])]
    if not able:
        harmless = [tool for tool in tools if not CHANGES.search(_in_words(tool.name))] or tools
        able = [harmless[(crc32(question.encode(errors="replace")) // 3 + turn) % len(harmless)]]
    tool = able[turn % len(able)]
    return tool, call_arguments(tool, question, turn)


def call_arguments(tool: OfferedTool, question: str, turn: int = 0) -> str:
    """Arguments of a call: for a shell or a reader nothing but what it must have."""
    files = FILES.findall(question)
    commands = [*COMMANDS, *(f"cat {name}" for name in dict.fromkeys(files))]
    command = commands[turn % len(commands)].format(turn=turn + 1)
    if tool.kind == "custom":
        return SCRIPT.format(command=json.dumps(command)) if tool.name == "exec" else NO_PATCH
    if tool.kind == "local_shell":
        return json.dumps({"command": command.split()})
    chosen: dict[str, Any] | None = None
    if runs_commands(tool):
        name = _field(tool, COMMAND)
        chosen = {name: command.split() if _type(tool, name) == "array" else command}
    elif READS.match(tool.name) and (name := _field(tool, PATH)):
        chosen = {name: files[turn // 2 % len(files)] if files else "."}
    made = plausible(tool.schema, question, chosen)
    return json.dumps(made if isinstance(made, dict) else {}, ensure_ascii=False)


def runs_commands(tool: OfferedTool) -> bool:
    """Tell whether a tool runs a shell's commands."""
    if tool.kind != "function":
        return tool.kind == "local_shell" or tool.name == "exec"
    name = _field(tool, COMMAND)
    return bool(name) and not CHANGES.search(_in_words(tool.name)) and _type(tool, name) in ("string", "array")


def _field(tool: OfferedTool, named: re.Pattern[str]) -> str:
    """The first parameter with such a name."""
    return next((name for name in _properties(tool) if named.match(name)), "")


def _properties(tool: OfferedTool) -> Mapping[str, Any]:
    found = tool.schema.get("properties") if isinstance(tool.schema, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def _type(tool: OfferedTool, name: str) -> str:
    """The type of a parameter that may be any of its kind; "" for one of a few."""
    schema = _properties(tool)[name]
    if not isinstance(schema, Mapping) or "enum" in schema or "const" in schema:
        return ""
    return str(schema.get("type", "")).lower()


def _in_words(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", name)
