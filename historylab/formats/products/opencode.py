"""OpenCode and Kilo Code 7: what `opencode export` writes, the database, and the folder of files before it.

A message is an `info` and its parts; a tool's part is the call and its result. OpenCode 2 writes each message whole,
with a type in the place of a role. Parts that are `synthetic` were put there by the program, and become messages of
their own. A session with a `parentID` is a sub-agent's, which the result of the call that began it names.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.conversation.recorded import ANSWERING_AGENT, SIDECHAIN
from historylab.errors import LoadError
from historylab.formats.base import Report, kind_of
from historylab.formats.files.content import Content
from historylab.formats.messages.fields import list_in, object_in, text_in, unpack_json
from historylab.formats.messages.paths import Located
from historylab.formats.messages.record_groups import located_items
from historylab.formats.products.opencode_cuts import COMPACTED, COMPACTION, MARKS, SUMMARY, cuts_of
from historylab.formats.shapes.reading import read_shaped
from historylab.formats.shapes.shape import Shape
from historylab.registry import register

SHAPE = Shape.of(
    {
        "role": "role",
        "parts": "parts",
        "kinds": {
            "text": {"text": "text"},
            "reasoning": {"thinking": "text"},
            "tool": {
                "call": {"id": ["callID", "id"], "name": ["tool", "name"], "arguments": "state.input"},
                "result": {
                    "id": ["callID", "id"],
                    "text": ["state.output", "state.error.message", "state.error", "state.content"],
                },
            },
            "file": {"media": "mime"},
            "subtask": {"text": "prompt"},
            COMPACTION: {"label": "type"},
            **dict.fromkeys(("step-start", "step-finish", "snapshot", "patch", "agent", "retry", *MARKS)),
        },
        "time": "time",
        "model": "model",
        "id": "id",
        "injected": {"synthetic": [True]},
        "usage": {name: f"usage.{name}" for name in ("input", "output", "cache_reads", "cache_writes")},
    }
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
        return 0.95 if _is_database(content) else 0
    found = [value for _, value in content.values[:1] if isinstance(value, dict)]
    if any(_is_session(object_in(value, "info")) and isinstance(value.get("messages"), list) for value in found):
        return 0.95
    return 0.95 if any(map(_is_session, found)) else 0


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


def _is_session(info: Mapping[str, Any]) -> bool:
    return isinstance(info.get("id"), str) and info["id"].startswith("ses") and isinstance(info.get("time"), dict)


def _is_database(content: Content) -> bool:
    tables = content.tables
    return {"session_id", "data"} <= (tables.get("session_message") or tables.get("message") or frozenset())


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
    files = _Files(content)
    for name in files.within(f"message/{session}"):
        info = files.read(name)
        if not isinstance(info, dict):
            report.skip("a file that holds no message", name)
            continue
        parts = [files.read(part) for part in files.within(f"part/{info.get('id')}")]
        yield name, {"info": info, "parts": [part for part in parts if part is not None]}


class _Files:
    """The files of a storage folder: those around a content, or those on disk beside it."""

    def __init__(self, content: Content):
        self._content = content
        self._root = str(PurePosixPath(content.name).parent.parent.parent)
        self._folder = content.path.parents[2] if content.path and not content.siblings else None

    def within(self, folder: str) -> list[str]:
        """The names of the files in a folder, in order."""
        if self._folder:
            return sorted(f"{folder}/{path.name}" for path in (self._folder / folder).glob("*.json"))
        return sorted(name for name in self._content.siblings if PurePosixPath(name).parent == self._at(folder))

    def read(self, name: str) -> Any:
        """The value in a file; None where there is none."""
        try:
            if self._folder:
                return Content(path=Path(self._folder / name), name=name).values[0][1]
            self._content.taken.add(name)
            return Content(self._content.siblings[name], name).values[0][1]
        except (LoadError, OSError, KeyError):
            return None

    def _at(self, folder: str) -> PurePosixPath:
        return PurePosixPath(self._root) / folder


def _in_database(content: Content, report: Report) -> Iterator[OpenCodeSession]:
    tables, messages = content.tables, defaultdict[str, list[Located]](list)
    parts = defaultdict[str, list[Any]](list)
    if "part" in tables:
        for row in content.rows("SELECT message_id, data FROM part ORDER BY id"):
            parts[str(row["message_id"])].append(_data(row))
    seen = set[Any]()
    for table, order in (("message", "time_created, id"), ("session_message", "time_created, seq")):
        for row in content.rows(f"SELECT * FROM {table} ORDER BY {order}") if table in tables else ():
            said, where = _data(row), f"{table} {row.get('id')}"
            if not isinstance(said, dict):
                report.skip("a message that is no JSON", where)
            elif row.get("id") not in seen:
                seen.add(row.get("id"))
                info = {"id": row.get("id"), "time": {"created": row.get("time_created")}, **said}
                held = {"info": info, "parts": parts[str(row.get("id"))]} if table == "message" else info
                messages[str(row["session_id"])].append((where, {"type": row.get("type"), **held}))
    for table in ("session", "session_v2"):
        for row in content.rows(f"SELECT * FROM {table} ORDER BY id") if table in tables else ():
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
    for read in read_shaped(SHAPE, records, report):
        messages = [_name_agent(message, started) for message in read]
        messages, cuts = cuts_of(messages, [record for _, record in records])
        yield Conversation(messages, "" if title.startswith(UNTITLED) else title, {**read.metadata, **metadata, **cuts})


def _root_of(session: str, parents: Mapping[Any, Any]) -> str:
    seen = {session}
    while (parent := parents.get(session)) and parent not in seen:
        seen.add(parent)
        session = parent
    return session


def _find_agents(records: Iterable[Located]) -> dict[str, str]:
    """Id of a call → the session of the sub-agent that it began."""
    tools = (part for _, record in records for part in list_in(record, "parts") if isinstance(part, dict))
    told = ((text_in(part, "callID"), text_in(_state_metadata(part), "sessionId")) for part in tools)
    return {call: session for call, session in told if call and session}


def _state_metadata(part: Mapping[str, Any]) -> dict[str, Any]:
    return object_in(object_in(part, "state"), "metadata")


def _name_agent(message: Message, started: Mapping[str, str]) -> Message:
    """The result with the sub-agent that it is of."""
    agent = started.get(message.tool_call_id or "") if message.role == "tool" else None
    return replace(message, metadata={**message.metadata, ANSWERING_AGENT: agent}) if agent else message


def _records(value: Any, where: str, report: Report) -> Iterator[dict[str, Any]]:
    """The records that a message is: what was said, and apart from it what the program put there."""
    if not isinstance(value, dict):
        report.skip(f"{kind_of(value)}, no message", where)
    elif "info" in value:
        info = object_in(value, "info")
        parts = [part for part in list_in(value, "parts") if not (isinstance(part, dict) and part.get("ignored"))]
        made = [part for part in parts if isinstance(part, dict) and _is_made(part)]
        model = text_in(info, "modelID") or text_in(object_in(info, "model"), "modelID")
        about = {**_about(info), "role": info.get("role"), "model": model}
        if own := [part for part in parts if part not in made]:
            yield {**about, "parts": [*own, {"type": SUMMARY}] if info.get("summary") is True else own}
        if made:
            yield {**about, "id": f"{about['id']}/0" if own else about["id"], "parts": made, "synthetic": True}
        if not parts:
            report.pass_over("a message without parts", where)
    elif (kind := text_in(value, "type")) in NO_MESSAGES or value.get("status") in ("running", "failed"):
        report.pass_over(f"a record of type {kind}", where)
    else:
        yield _whole(value, kind or "")


def _is_made(part: Mapping[str, Any]) -> bool:
    return bool(part.get("synthetic")) or part.get("type") == COMPACTION


def _whole(value: dict[str, Any], kind: str) -> dict[str, Any]:
    """The record of a message of OpenCode 2."""
    about = {**_about(value), "model": text_in(object_in(value, "model"), "id")}
    if kind == "assistant":
        return {**about, "role": kind, "parts": list_in(value, "content")}
    told = object_in(value, "output").get("output", value.get("output"))
    texts = [value.get(name) for name in ("text", "command", "summary", "recent")]
    parts = [{"type": "text", "text": text} for text in (*texts, told) if isinstance(text, str) and text]
    files = [{"type": "file", **each} for each in list_in(value, "files") if isinstance(each, dict)]
    cut = [{"type": COMPACTED, "reason": value.get("reason")}] if kind == COMPACTION else []
    made = kind in BY_PROGRAM
    return {**about, "role": "user" if made else kind, "parts": [*parts, *files, *cut], "synthetic": made}


def _about(info: Mapping[str, Any]) -> dict[str, Any]:
    tokens, cache = object_in(info, "tokens"), object_in(object_in(info, "tokens"), "cache")
    counts = (tokens.get("input"), _sum(tokens, "output", "reasoning"), cache.get("read"), cache.get("write"))
    usage = dict(zip(("input", "output", "cache_reads", "cache_writes"), counts, strict=True))
    return {"id": str(info.get("id") or ""), "time": object_in(info, "time").get("created"), "usage": usage}


def _sum(counts: Mapping[str, Any], *names: str) -> int:
    return sum(count for name in names if type(count := counts.get(name)) is int)
