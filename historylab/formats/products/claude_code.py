"""Claude Code: session files (JSON lines) and the web export (`{"loglines": […]}`), with the provider's own usage.

A reply is written as one line per streamed block, each repeating the usage: lines of one `message.id` are one message,
and the last usage counts once. Each tool result is a separate message; thinking is left out, as it isn't sent again.
`Message.metadata["usage"]` holds the usage in tokens: input, output, cache_reads, cache_writes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message, ToolCall
from historylab.formats.anthropic_blocks import read_parts, to_call
from historylab.formats.base import Report, kind_of
from historylab.formats.chat_messages import iso_time, pair_by_order
from historylab.formats.content import Content
from historylab.formats.products.session_tree import Branch, Record, branches
from historylab.formats.usage import to_usage
from historylab.registry import register

ROLES = ("user", "assistant")
OWN_MARKS = {"uuid", "parentUuid", "sessionId"}
THINKING = ("thinking", "redacted_thinking")
READ_OF_PART = {
    "text": {"type", "text"},
    "tool_use": {"type", "id", "name", "input"},
    "tool_result": {"type", "tool_use_id", "content", "is_error"},
}
IGNORED_OF_PART = {"cache_control", "citations", "caller"}  # nothing that is said
LOOKED_AT = 2000  # records sampled to recognise the format: snapshots and summaries may come first
OPENING = 50  # characters of a subagent's task in its title


def looks_like_claude_code(content: Content) -> float:
    """1 for user or assistant records with a message and an id of a record or session, 0.8 without the ids."""
    found = [value for _, value in _records(content.values)[:LOOKED_AT] if _has_message(value)]
    if not found:
        return 0
    return 1 if any(OWN_MARKS & value.keys() for value in found) else 0.8


@register("format", title="Claude Code", recognise=looks_like_claude_code)
def claude_code(content: Content, report: Report) -> Iterator[Conversation]:
    """Claude Code sessions, each on its newest branch; subagents are separate conversations."""
    records = _records(content.values, report)
    summaries = {str(v.get("leafUuid")): v.get("summary") for _, v in records if _is(v, "summary")}
    found = list(branches(list(_tree_records(records, report))))
    for branch in sorted(found, key=lambda branch: bool(branch.records[0].side)):  # subagents after what called them
        for record in branch.aside:
            report.skip("a record on another branch (a rewind or a fork)", record.where)
        messages = list(_messages(branch, report))
        yield Conversation(pair_by_order(messages), _title(branch, messages, summaries), _metadata(branch))


def _records(values: list[tuple[str, Any]], report: Report | None = None) -> list[tuple[str, Any]]:
    """Every record with its location; those of a web export are unpacked from `loglines`."""
    records: list[tuple[str, Any]] = []
    for where, value in values:
        if isinstance(value, dict) and isinstance(value.get("loglines"), list):
            records += [(f"{where} loglines[{i}]".strip(), line) for i, line in enumerate(value["loglines"])]
            if report:
                report.leave(value, {"loglines"}, where)
        elif isinstance(value, list):
            records += [(f"{where}[{i}]", item) for i, item in enumerate(value)]
        else:
            records.append((where, value))
    return records


def _tree_records(records: list[tuple[str, Any]], report: Report) -> Iterator[Record]:
    """The records of the tree; those that hold no message, or a duplicate, are reported."""
    seen: set[str] = set()
    for where, value in records:
        problem = _problem(value)
        uuid = _uuid(value)
        if not problem and uuid in seen:
            report.skip("a record with the uuid of one before it", where)
            continue
        if problem:
            report.skip(problem, where)
        elif uuid:
            seen.add(uuid)
        if not problem or uuid:
            yield Record(where, value, not problem)


def _problem(value: Any) -> str:
    """Why a record holds no message; empty if it holds one."""
    if not isinstance(value, dict):
        return f"{kind_of(value)}, not a record"
    kind = value.get("type")
    if kind not in ROLES:
        return f"a {kind[:40]} record, not a message" if isinstance(kind, str) else "a record without a type"
    if not _has_message(value):
        return f"a {kind} record whose message is {kind_of(value.get('message'))}"
    if not isinstance(value["message"].get("content"), str | list):
        return f"a {kind} record without content"
    if value.get("isMeta"):
        return "a meta record (a note of the program's own)"
    return "an error notice of the program" if value.get("isApiErrorMessage") else ""


def _messages(branch: Branch, report: Report) -> Iterator[Message]:
    read: list[Message] = []
    begun: dict[str, int] = {}  # reply id → where its message stands in `read`
    for record in branch.records:
        report.records += 1
        made = _reply(record, report) if record.value["type"] == "assistant" else _user_messages(record, report)
        if record.reply in begun:
            at = begun[record.reply]
            if any(call not in read[at].tool_calls for call in _repeated(read[at], made[0])):
                report.warn("a call with the id of another one, left out", record.where)
            read[at] = _joined(read[at], made[0])
            continue
        if record.reply:
            begun[record.reply] = len(read)
        read += made
    for message in read:
        if message.content or message.tool_calls or message.media or message.role == "tool":
            yield message
        else:
            report.warn("a message of nothing that is sent (only thinking, or empty)", message.id or "")


def _reply(record: Record, report: Report) -> list[Message]:
    """One line of a reply as a message, to be joined with the other lines of its id."""
    message = record.value["message"]
    text, media, rest = read_parts(message["content"])
    _report_fields(message["content"], record, report)
    calls = tuple(to_call(part) for part in rest if part.get("type") == "tool_use")
    _report_unread([part for part in rest if part.get("type") != "tool_use"], record, report)
    metadata = {}
    if usage := to_usage(message.get("usage")):
        metadata["usage"] = usage
    if isinstance(message.get("model"), str):
        metadata["model"] = message["model"]
    made = Message("assistant", text, tool_calls=calls, media=media, metadata=metadata)
    return [_placed(made, record, report, record.reply)]


def _joined(first: Message, more: Message) -> Message:
    repeated = _repeated(first, more)
    return replace(
        first,
        content="\n".join(filter(None, (first.content, more.content))),
        tool_calls=first.tool_calls + tuple(call for call in more.tool_calls if call not in repeated),
        media=first.media + more.media,
        metadata={**first.metadata, **more.metadata},
    )


def _repeated(first: Message, more: Message) -> list[ToolCall]:
    """The calls of `more` that `first` has an id of: a line may repeat those of the line before."""
    known = {call.id for call in first.tool_calls if call.id}
    return [call for call in more.tool_calls if call.id in known]


def _user_messages(record: Record, report: Report) -> list[Message]:
    """The tool results of a user line, each a message, then the user's own text: results follow their calls."""
    content = record.value["message"]["content"]
    text, media, rest = read_parts(content)
    _report_fields(content, record, report)
    results = [part for part in rest if part.get("type") == "tool_result"]
    _report_unread([part for part in rest if part.get("type") != "tool_result"], record, report)
    made = [_result(part, record, report) for part in results]
    if text or media or not made:
        metadata = {}
        if record.value.get("isCompactSummary"):
            metadata["compact_summary"] = True
            report.warn("a summary Claude Code made of what came before, kept beside it", record.where)
        made.append(Message("user", text, media=media, metadata=metadata))
    uuid = _uuid(record.value)
    ids = [f"{uuid}/{k}" if uuid and len(made) > 1 else uuid for k in range(len(made))]
    return [_placed(message, record, report, chosen) for message, chosen in zip(made, ids, strict=True)]


def _result(part: dict[str, Any], record: Record, report: Report) -> Message:
    content, call = part.get("content"), part.get("tool_use_id")
    if not isinstance(content, str | list | None):
        report.warn(f"a tool result whose content is {kind_of(content)}", record.where)
    text, media, rest = read_parts(content if isinstance(content, str | list) else "")
    _report_fields(content, record, report)
    _report_unread(rest, record, report)
    metadata = {"is_error": True} if part.get("is_error") is True else {}
    return Message("tool", text, tool_call_id=call if isinstance(call, str) else None, media=media, metadata=metadata)


def _report_unread(parts: list[dict[str, Any]], record: Record, report: Report) -> None:
    """Report parts that are not read."""
    for part in parts:
        kind = part.get("type")
        thought = kind in THINKING
        report.warn("thinking left out" if thought else f"a part of type {str(kind)[:40]!r} not read", record.where)


def _report_fields(content: Any, record: Record, report: Report) -> None:
    """Report the fields of parts that are read without them, and names and ids that are none."""
    for part in content if isinstance(content, list) else ():
        kind = part.get("type") if isinstance(part, dict) else None
        if not isinstance(kind, str) or kind not in READ_OF_PART:
            continue
        report.leave(part, READ_OF_PART[kind] | IGNORED_OF_PART, record.where)
        for name in READ_OF_PART[kind] & {"id", "name", "tool_use_id"}:
            if not isinstance(part.get(name), str):
                report.warn(f"a {kind} whose {name} is {kind_of(part.get(name))}", record.where)


def _placed(message: Message, record: Record, report: Report, chosen: str | None) -> Message:
    """The message with its id and timestamp."""
    raw = record.value.get("timestamp")
    time = None if raw is None else iso_time(raw)
    if raw is not None and time is None:
        report.warn("a timestamp that is no time", record.where)
    return replace(message, id=chosen or None, timestamp=time)


def _title(branch: Branch, messages: list[Message], summaries: dict[str, Any]) -> str:
    if branch.records[0].side:
        task = " ".join(next((m.content for m in messages if m.role == "user"), "").split())
        return f"Subagent: {task if len(task) <= OPENING else task[: OPENING - 1].rstrip() + '…'}"
    named = (summaries.get(_uuid(record.value)) for record in reversed(branch.records))
    return next((title for title in named if isinstance(title, str)), "")


def _metadata(branch: Branch) -> dict[str, Any]:
    last = branch.records[-1].value
    found = {"session": last.get("sessionId"), "version": last.get("version"), "agent": last.get("agentId")}
    return {k: v for k, v in found.items() if v} | ({"sidechain": True} if branch.records[0].side else {})


def _uuid(value: Any) -> str:
    found = value.get("uuid") if isinstance(value, dict) else None
    return found if isinstance(found, str) else ""


def _has_message(value: Any) -> bool:
    return isinstance(value, dict) and value.get("type") in ROLES and isinstance(value.get("message"), dict)


def _is(value: Any, kind: str) -> bool:
    return isinstance(value, dict) and value.get("type") == kind
