"""OpenCode and Kilo Code 7: what `opencode export` writes, the database, and the folder of files before it.

A message is an `info` and its parts; a tool's part is the call and its result. OpenCode 2 writes each message whole,
with a type in the place of a role. Parts that are `synthetic` were put there by the program, and become messages of
their own. A session with a `parentID` is a sub-agent's, which the result of the call that began it names.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from glob import escape
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message, revise
from historylab.conversation.recorded import ANSWERING_AGENT, SIDECHAIN
from historylab.formats.base import Report, kind_of
from historylab.formats.files.archives import values_beside
from historylab.formats.files.content import Content
from historylab.formats.files.tables import has_table, table_rows
from historylab.formats.messages.fields import list_in, object_in, objects_under, text_in, unpack_json
from historylab.formats.messages.paths import Located, value_at
from historylab.formats.messages.record_groups import located_items
from historylab.formats.messages.walker import text_at
from historylab.formats.products.opencode_cuts import COMPACTED, COMPACTION, MARKS, SUMMARY, cuts_of
from historylab.formats.shapes.records import RECORD, read_records
from historylab.registry import register

IDS, RESULTS = ("callID", "id"), ("state.output", "state.error.message", "state.error", "state.content")
SHAPE = replace(
    RECORD,
    kinds={
        "text": {"text": "text"},
        "reasoning": {"thinking": "text"},
        "tool": {
            "call": {"id": IDS, "name": ("tool", "name"), "arguments": "state.input"},
            "result": {"id": IDS, "text": RESULTS},
        },
        "file": {"media": "mime"},
        "subtask": {"text": "prompt"},
        COMPACTION: {"label": "type"},
        **dict.fromkeys(("step-start", "step-finish", "snapshot", "patch", "agent", "retry", *MARKS)),
    },
)
UNTITLED = ("New session - ", "Child session - ")
BY_PROGRAM = {"synthetic", "skill", "shell", COMPACTION}
"""Types of messages in which OpenCode 2 itself speaks to the model in the user's name."""
NO_MESSAGES = {"agent-switched", "model-switched", "location-switched", "idle"}


class OpenCodeSession(NamedTuple):
    """A session's own record, and its messages with where they are: an info and parts, or whole."""

    info: dict[str, Any]
    messages: list[Located]


def looks_like_opencode(content: Content) -> float:
    """0.95 for an export, a session's own file, or a database with its tables."""
    if content.tables:
        table = "session_message" if "session_message" in content.tables else "message"
        return 0.95 if has_table(content, table, "session_id data") else 0
    value = content.values[0][1]
    exported = isinstance(value, dict) and isinstance(value.get("messages"), list) and _is_session(value.get("info"))
    return 0.95 if exported or _is_session(value) else 0


@register(
    "format",
    title="OpenCode",
    recognise=looks_like_opencode,
    marks="info messages parts",
    source="sst/opencode, packages/opencode/src/session/message-v2.ts, 1.18; packages/core/src/session/message.ts, 2.0",
    checked="Lucifer7535/pavatiApp, opencode-session.json (of 1.18.19);"
    " kenn-io/agentsview, internal/parser/opencode_test.go (database and folder)",
)
def opencode(content: Content, report: Report) -> Iterator[Conversation]:
    """Sessions of OpenCode and Kilo Code, with their compactions, and their sub-agents after them."""
    sessions = list(_sessions(content, report))
    parents = {text_in(each.info, "id"): text_in(each.info, "parentID") for each in sessions}
    for session in sessions:
        yield from _read(session, parents, report)


def _is_session(info: Any) -> bool:
    return isinstance(info, dict) and text_at(info, "id").startswith("ses") and isinstance(info.get("time"), dict)


# -- where sessions are


def _sessions(content: Content, report: Report) -> Iterator[OpenCodeSession]:
    if content.tables:
        yield from _in_database(content, report)
        return
    for where, value in content.values:
        if not isinstance(value, dict):
            report.skip(f"{kind_of(value)}, no session", where)
        elif isinstance(value.get("messages"), list):
            yield OpenCodeSession(object_in(value, "info"), [*located_items([(where, value["messages"])])])
        else:
            yield OpenCodeSession(value, [*_in_folder(content, str(value.get("id")), report)])


def _in_folder(content: Content, session: str, report: Report) -> Iterator[Located]:
    """The messages of a session whose files stand beside its own: `message/SESSION/*`, `part/MESSAGE/*`."""
    for name, info in _values(content, "message", session):
        if not isinstance(info, dict):
            report.skip("a file that holds no message", name)
            continue
        parts = _values(content, "part", str(info.get("id")))
        yield name, {"info": info, "parts": [part for _, part in parts if part is not None]}


def _values(content: Content, folder: str, name: str) -> Iterator[Located]:
    return values_beside(content, f"{folder}/{escape(PurePosixPath(name).name)}/*.json", up=2)


def _in_database(content: Content, report: Report) -> Iterator[OpenCodeSession]:
    messages, parts = defaultdict[str, list[Located]](list), defaultdict[str, list[Any]](list)
    for row in table_rows(content, "part", "id"):
        parts[str(row["message_id"])].append(_data(row))
    seen = set[Any]()
    for table, order in (("message", "time_created, id"), ("session_message", "time_created, seq")):
        for row in table_rows(content, table, order):
            said, where = _data(row), f"{table} {row.get('id')}"
            if not isinstance(said, dict):
                report.skip("a message that is no JSON", where)
            elif row.get("id") not in seen:
                seen.add(row.get("id"))
                info = {"id": row.get("id"), "time": {"created": row.get("time_created")}, **said}
                held = {"info": info, "parts": parts[str(row.get("id"))]} if table == "message" else info
                messages[str(row["session_id"])].append((where, {"type": row.get("type"), **held}))
    for row in (*table_rows(content, "session", "id"), *table_rows(content, "session_v2", "id")):
        if found := messages.pop(str(row.get("id")), None):
            yield OpenCodeSession({**row, "parentID": row.get("parent_id")}, found)
    for session, found in messages.items():
        yield OpenCodeSession({"id": session}, found)


def _data(row: Mapping[str, Any]) -> Any:
    data = row.get("data")
    return unpack_json(data.decode(errors="replace") if isinstance(data, bytes) else data)


# -- the messages of one


def _read(session: OpenCodeSession, parents: Mapping[Any, Any], report: Report) -> Iterator[Conversation]:
    records = [(where, made) for where, value in session.messages for made in _records(value, where, report)]
    started = _find_agents(records)
    own = text_in(session.info, "id")
    metadata: dict[str, Any] = {"session": _root_of(own, parents)} if own else {}
    if own and parents.get(own):
        metadata |= {"agent": own, SIDECHAIN: True}
    title = text_in(session.info, "title") or ""
    for read in read_records(records, report, "" if title.startswith(UNTITLED) else title, metadata, SHAPE):
        named = [_name_agent(message, started) for message in read]
        messages, cuts = cuts_of(named, [record for _, record in records])
        yield Conversation(messages, read.title, {**read.metadata, **cuts})


def _root_of(session: str, parents: Mapping[Any, Any]) -> str:
    seen = {session}
    while (parent := parents.get(session)) and parent not in seen:
        seen.add(parent)
        session = parent
    return session


def _find_agents(records: Iterable[Located]) -> dict[str, str]:
    """Id of a call → the session of the sub-agent that it began."""
    tools = (part for _, record in records for part in objects_under(record, "parts"))
    told = ((text_at(part, "callID"), text_at(part, "state.metadata.sessionId")) for part in tools)
    return {call: session for call, session in told if call and session}


def _name_agent(message: Message, started: Mapping[str, str]) -> Message:
    """The result with the sub-agent that it is of."""
    agent = started.get(message.tool_call_id or "") if message.role == "tool" else None
    return revise(message, metadata={**message.metadata, ANSWERING_AGENT: agent}) if agent else message


def _records(value: Any, where: str, report: Report) -> Iterator[dict[str, Any]]:
    """The records that a message is: what was said, and apart from it what the program put there."""
    if not isinstance(value, dict):
        report.skip(f"{kind_of(value)}, no message", where)
    elif "info" in value:
        info = object_in(value, "info")
        parts = [part for part in list_in(value, "parts") if not value_at(part, "ignored")]
        made = [part for part in parts if value_at(part, "synthetic") or value_at(part, "type") == COMPACTION]
        about = {**_about(info), "role": info.get("role"), "model": text_at(info, ("modelID", "model.modelID"))}
        if own := [part for part in parts if part not in made]:
            yield {**about, "parts": [*own, {"type": SUMMARY}] if info.get("summary") is True else own}
        if made:
            yield {**about, "id": f"{about['id']}/0" if own else about["id"], "parts": made, "injected": True}
        if not parts:
            report.pass_over("a message without parts", where)
    elif (kind := text_in(value, "type")) in NO_MESSAGES or value.get("status") in ("running", "failed"):
        report.pass_over(f"a record of type {kind}", where)
    else:
        yield _whole(value, kind or "")


def _whole(value: dict[str, Any], kind: str) -> dict[str, Any]:
    """The record of a message of OpenCode 2."""
    about = {**_about(value), "model": text_at(value, "model.id")}
    if kind == "assistant":
        return {**about, "role": kind, "parts": list_in(value, "content")}
    told = object_in(value, "output").get("output", value.get("output"))
    texts = [value.get(name) for name in ("text", "command", "summary", "recent")]
    parts = [{"type": "text", "text": text} for text in (*texts, told) if isinstance(text, str) and text]
    files = [{"type": "file", **each} for each in objects_under(value, "files")]
    cut = [{"type": COMPACTED, "reason": value.get("reason")}] if kind == COMPACTION else []
    made = kind in BY_PROGRAM
    return {**about, "role": "user" if made else kind, "parts": [*parts, *files, *cut], "injected": made}


def _about(info: Mapping[str, Any]) -> dict[str, Any]:
    tokens = object_in(info, "tokens")
    output = sum(count for name in ("output", "reasoning") if type(count := tokens.get(name)) is int)
    cache = {"cache_reads": value_at(tokens, "cache.read"), "cache_writes": value_at(tokens, "cache.write")}
    usage = {"input": tokens.get("input"), "output": output, **cache}
    return {"id": str(info.get("id") or ""), "time": value_at(info, "time.created"), "usage": usage}
