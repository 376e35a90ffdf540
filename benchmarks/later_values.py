"""Values that later calls need, found plainly: they stand in what was said before, and nowhere since.

Independent of how summarizers find and write values: what counts is the arguments of calls, each on one line, and the
paths, addresses and ids inside them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from historylab.conversation.message import Message, ToolCall
from historylab.summarizers.base import SummaryTask

SHORTEST, LONGEST = 3, 200  # characters of a value
WORD = re.compile(r"\w")
PART = re.compile(r"https?://[^\s\"'<>()]+|[\w.@~+-]*(?:/[\w.@~+-]+)+|[\w-]+\.\w{1,5}\b|\b(?=\w*\d)[\w-]{4,}")


def needed_values(conversation: Sequence[Message], start: int, stop: int | None = None) -> Iterator[str]:
    """The values of calls from `start` to `stop` that stand before `start` and in no message from there to the call."""
    before, since = "\0".join(map(_text, conversation[:start])), ""
    found: set[str] = set()
    for message in conversation[start:stop]:
        for call in message.tool_calls:
            for value in values_of(call):
                if value not in found and holds(before, value) and not holds(since, value):
                    found.add(value)
                    yield value
        since += "\0" + _text(message)


def values_of(call: ToolCall) -> Iterator[str]:
    for argument in arguments_of(call):
        for value in [argument, *(part.rstrip(".,:;") for part in PART.findall(argument))]:
            if SHORTEST <= len(value) <= LONGEST and "\n" not in value:
                yield value


def arguments_of(call: ToolCall) -> Iterator[str]:
    """Every text and number of a call's arguments."""
    try:
        yield from _leaves(json.loads(call.arguments))
    except ValueError:
        yield call.arguments


def holds(text: str, value: str) -> bool:
    """Tell whether a text contains a value, and no word of it runs on."""
    start = text.find(value)
    while start >= 0:
        around = text[max(0, start - 1) : start], text[start + len(value) : start + len(value) + 1]
        inside = value[0], value[-1]
        if not any(WORD.match(x) and WORD.match(y) for x, y in zip(around, inside, strict=True)):
            return True
        start = text.find(value, start + 1)
    return False


def newest_values(task: SummaryTask) -> str:
    """The baseline: the newest distinct arguments of calls, one a line, as many as fit."""
    calls = [call for message in task.messages for call in message.tool_calls]
    said = [value for call in reversed(calls) for value in arguments_of(call)]
    lines, room = [], task.max_tokens - task.count("")
    for line in dict.fromkeys([*said, *task.previous.splitlines()]):
        cost = task.count(line) - task.count("") + 1
        if line.strip() and "\n" not in line and len(line) <= LONGEST and cost <= room:
            lines.append(line)
            room -= cost
    return "\n".join(lines)


def _text(message: Message) -> str:
    return "\0".join([message.content, *(value for call in message.tool_calls for value in arguments_of(call))])


def _leaves(value: object) -> Iterator[str]:
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _leaves(inner)
    elif value is not None and not isinstance(value, bool):
        yield str(value).strip()
