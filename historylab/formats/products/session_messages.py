"""The messages that the records of a Claude Code session hold.

A reply is written as one line per streamed block, each repeating the usage: its lines are one message, with the last
usage. Each tool result is a message of its own, before what the user says in the same line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, TypeAlias

from historylab.conversation.message import Message
from historylab.conversation.recorded import ANSWERING_AGENT
from historylab.conversation.sent import as_summary
from historylab.formats.base import NOTHING, Report
from historylab.formats.messages.anthropic_blocks import CALLS, call_in_block, read_turn
from historylab.formats.messages.applied_edits import edits_in
from historylab.formats.messages.chat_messages import iso_time
from historylab.formats.messages.fields import object_in, text_in
from historylab.formats.messages.usage import to_usage
from historylab.formats.products.session_attachments import is_of_program, sent_content
from historylab.formats.products.session_tree import SessionRecord

ReadRecords: TypeAlias = tuple[list[SessionRecord], list[Message]]
"""The lines of a reply, or another record, and the messages they hold."""


def record_reader(report: Report) -> Callable[[list[SessionRecord]], list[ReadRecords]]:
    """Reads the records of a path. What paths share is read, counted and reported once, as the same messages."""
    known: dict[tuple[int, ...], list[Message]] = {}
    counted: set[int] = set()

    def read(path: list[SessionRecord]) -> list[ReadRecords]:
        new = {id(record) for record in path} - counted
        counted.update(new)
        report.records += len(new)
        found: list[ReadRecords] = []
        for lines in _after_results(_replies(path)):
            key = tuple(map(id, lines))
            if key not in known:
                answers = lines[0].value["type"] == "assistant"
                known[key] = _reply(lines, report) if answers else _user_messages(lines[0], report)
            found.append((lines, known[key]))
        return found

    return read


def _replies(path: list[SessionRecord]) -> list[list[SessionRecord]]:
    """The lines of each reply together, where the first of them stands; any other record alone."""
    found: list[list[SessionRecord]] = []
    begun: dict[str, list[SessionRecord]] = {}
    for record in path:
        if record.reply in begun:
            begun[record.reply].append(record)
            continue
        found.append([record])
        if record.reply:
            begun[record.reply] = found[-1]
    return found


def _after_results(groups: list[list[SessionRecord]]) -> Iterator[list[SessionRecord]]:
    """The same, with what was sent along with results after the last of them."""
    held: list[list[SessionRecord]] = []
    awaited = set[str]()
    for lines in groups:
        if awaited and lines[0].rides:
            held.append(lines)
            continue
        if not awaited & lines[0].answers:
            awaited = {call for line in lines for call in line.calls}
            yield from held
            held = []
        yield lines
        awaited -= lines[0].answers
        if not awaited:
            yield from held
            held = []
    yield from held


def _reply(lines: list[SessionRecord], report: Report) -> list[Message]:
    """The messages of a reply: one, unless the provider's own tools answered within it."""
    first = lines[0]
    content = first.value["message"]["content"] if len(lines) == 1 else list(_blocks(lines, report))
    said: dict[str, Any] = {}
    for key, kind in (("usage", dict), ("model", str)):
        given = [v for line in lines if isinstance(v := line.value["message"].get(key), kind)]
        if given and (value := to_usage(given[-1]) if key == "usage" else given[-1]):
            said[key] = value
    said |= next(filter(None, (edits_in(line.value["message"]) for line in reversed(lines))), {})
    made = _sent_messages(read_turn("assistant", content, first.where, report), report, first.where)
    return [
        _with_place(message, first, report, None if at else first.reply, {} if at or message.role == "tool" else said)
        for at, message in enumerate(made)
    ]


def _blocks(lines: list[SessionRecord], report: Report) -> Iterator[Any]:
    """The blocks of a reply's lines. A line may repeat the calls of the one before it."""
    calls: dict[str, dict[str, Any]] = {}
    for line in lines:
        content = line.value["message"]["content"]
        for block in [content] if isinstance(content, str) else content:
            call = block.get("id") if isinstance(block, dict) and block.get("type") in CALLS else None
            if not call or not isinstance(call, str) or not isinstance(block, dict):
                yield block
            elif call not in calls:
                calls[call] = block
                yield block
            elif call_in_block(block) != call_in_block(calls[call]):
                report.warn("a call with the id of another one, left out", line.where)


def _user_messages(record: SessionRecord, report: Report) -> list[Message]:
    given = sent_content(record.value) if record.rides else record.value["message"]["content"]
    made = read_turn("user", given, record.where, report)
    if record.value.get("isCompactSummary") and made[-1].role == "user":
        made[-1] = as_summary(made[-1])
        report.warn(f"a summary {report.format} made, sent from there on in place of what came before", record.where)
    if is_of_program(record.value):
        made = [replace(m, metadata={**m.metadata, "injected": True}) if m.role == "user" else m for m in made]
    if (agent := _answering_agent(record)) and made[0].role == "tool":
        made[0] = replace(made[0], metadata={**made[0].metadata, ANSWERING_AGENT: agent})
    made = _sent_messages(made, report, record.where)
    uuid = text_in(record.value, "uuid") or ""
    ids = [f"{uuid}/{k}" if uuid and len(made) > 1 else uuid for k in range(len(made))]
    return [_with_place(message, record, report, chosen, {}) for message, chosen in zip(made, ids, strict=True)]


def _answering_agent(record: SessionRecord) -> str:
    """The id of the sub-agent whose result it is, which is the record's only one."""
    agent = text_in(object_in(record.value, "toolUseResult"), "agentId") or ""
    return agent if len(record.answers) == 1 else ""


def _sent_messages(messages: list[Message], report: Report, where: str) -> list[Message]:
    """Those of which anything is sent; `read_turn` has named those of nothing at all."""
    for message in messages:
        if message.metadata.get("thinking") and not (message.content or message.tool_calls or message.media):
            report.warn("a reply of nothing but thinking, which isn't sent again", where)
    return [m for m in messages if m.content or m.tool_calls or m.media or m.role == "tool"]


def _with_place(
    message: Message, record: SessionRecord, report: Report, chosen: str | None, said: dict[str, Any]
) -> Message:
    """The message with its id and timestamp, and what else is said of it."""
    raw = record.value.get("timestamp")
    time = None if raw in NOTHING else iso_time(raw)
    if time is None and raw not in NOTHING:
        report.warn("a timestamp that is no time", record.where)
    return replace(message, id=chosen or None, timestamp=time, metadata={**message.metadata, **said})
