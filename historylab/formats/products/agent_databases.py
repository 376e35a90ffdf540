"""Databases of agents, whose rows are brought into the lists that a shape reads: Goose's, Kiro's, `llm`'s."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.recorded import SIDECHAIN
from historylab.formats.base import Report
from historylab.formats.files.content import Content
from historylab.formats.messages.fields import as_list, list_in, object_in, text_in, unpack_json
from historylab.formats.messages.paths import Located, each_path
from historylab.formats.shapes.reading import read_shaped
from historylab.formats.shapes.shape import Shape
from historylab.registry import member, register

KIRO = Shape.of(
    {
        "items": "messages",
        "role": "role",
        "text": [
            *("content.Prompt.prompt", "content.CancelledToolUses.prompt", "Response.content", "ToolUse.content"),
        ],
        "calls": {"items": "ToolUse.tool_uses", "id": "id", "name": "name", "arguments": "args"},
        "results": {
            "items": "content.ToolUseResults.tool_use_results",
            "id": "tool_use_id",
            "text": ["content.Text", "content.Json", "content"],
        },
        "time": ["timestamp", "ended"],
        "model": "model_id",
    }
)
LLM = Shape.of(
    {
        "items": "messages",
        "role": "role",
        "text": "text",
        "calls": {"items": "calls", "id": "tool_call_id", "name": "name", "arguments": "arguments"},
        "answers": "tool_call_id",
        "name": "tool",
        "time": "datetime_utc",
        "model": "model",
        "usage": "usage",
        "title": "name",
    }
)


GOOSE_EXPORTS = ("conversation", "messages")
"""Lists of messages in what `goose session export` writes, and `goose run` with JSON as its output."""


def looks_like_goose_database(content: Content) -> float:
    """1 for Goose's tables, or for a session of theirs as JSON."""
    if content.tables:
        columns = _match_columns(content, "messages", "session_id content_json created_timestamp")
        return columns and _match_columns(content, "sessions", "id")
    return 1 if any(_list_exported(value) for _, value in content.values[:1]) else 0


def _list_exported(value: Any) -> list[Any]:
    """The messages of a session that Goose wrote as JSON; none in anything else."""
    for name in GOOSE_EXPORTS if isinstance(value, dict) else ():
        first = next(iter(found := list_in(value, name)), None)
        if isinstance(first, dict) and "created" in first and "agentVisible" in object_in(first, "metadata"):
            return found
    return []


@register(
    "format",
    title="Goose database",
    recognise=looks_like_goose_database,
    source="aaif-goose/goose, crates/goose/src/session/session_manager.rs, v1.x",
    checked="kenn-io/agentsview, internal/parser/goose_test.go (tables of version 15)",
)
def goose_database(content: Content, report: Report) -> Iterator[Conversation]:
    """Sessions of Goose's database, each a conversation, or one that was exported as JSON."""
    shape: Shape = member("format", "goose").attributes["shape"]
    models = (*each_path(shape.model), "model_config_json.model_name", "model_config.model_name")
    whole = replace(shape, items="messages", title=("name", "description"), model=models)
    for where, session in _goose_sessions(content):
        if not isinstance(session, dict):
            report.skip("no session", where)
            continue
        own, parent = text_in(session, "id"), text_in(session, "parent_session_id")
        about: dict[str, Any] = {"session": parent or own} if own else {}
        about |= {"agent": own, SIDECHAIN: True} if own and parent else {}
        for read in read_shaped(whole, [(where, session)], report):
            yield Conversation(read.messages, read.title, {**read.metadata, **about}, read.branches)


def _goose_sessions(content: Content) -> Iterator[Located]:
    if not content.tables:
        for where, value in content.values:
            yield where, {**value, "messages": _list_exported(value)} if isinstance(value, dict) else value
        return
    messages: dict[Any, list[Any]] = {}
    for row in content.rows("SELECT * FROM messages ORDER BY created_timestamp, rowid"):
        about = {
            "id": row.get("message_id") or row.get("id"),
            "created": row.get("created_timestamp"),
            "role": row.get("role"),
        }
        said = {"content": unpack_json(row["content_json"]), "metadata": unpack_json(row.get("metadata_json"))}
        messages.setdefault(row["session_id"], []).append({**about, **said})
    for session in content.rows("SELECT * FROM sessions ORDER BY rowid"):
        held = {"messages": messages.get(session["id"], [])}
        config = {"model_config_json": unpack_json(session.get("model_config_json"))}
        yield f"session {session['id']}", {**session, **config, **held}


def _match_columns(content: Content, table: str, columns: str) -> float:
    return 1 if content.tables.get(table, frozenset()) >= {*columns.split()} else 0


def looks_like_kiro(content: Content) -> float:
    """1 for Kiro's table of conversations, or for what it holds of one."""
    if content.tables:
        return _match_columns(content, "conversations_v2", "conversation_id value")
    value = content.values[0][1]
    turns = list_in(value, "history") if isinstance(value, dict) and "conversation_id" in value else []
    return 1 if any(isinstance(turn, dict) and {"user", "assistant"} <= turn.keys() for turn in turns) else 0


@register(
    "format",
    title="Kiro database",
    recognise=looks_like_kiro,
    marks="conversation_id history",
    source="kenn-io/agentsview, internal/parser/kiro_sqlite.go (2026)",
    checked="kenn-io/agentsview, internal/parser/testdata/kiro_sqlite/standard_payload.json",
)
def kiro(content: Content, report: Report) -> Iterator[Conversation]:
    """Conversations of Kiro's database, or one taken out of it."""
    if content.tables:
        rows = content.rows("SELECT value FROM conversations_v2 ORDER BY rowid")
        found = [(f"row {i}", unpack_json(row["value"])) for i, row in enumerate(rows, 1)]
    else:
        found = content.values
    for where, value in found:
        if not isinstance(value, dict):
            report.skip("no conversation", where)
            continue
        messages = [each for turn in list_in(value, "history") if isinstance(turn, dict) for each in _of_turn(turn)]
        yield from read_shaped(KIRO, [(where, {**value, "messages": messages})], report)


def _of_turn(turn: dict[str, Any]) -> Iterator[dict[str, Any]]:
    about = object_in(turn, "request_metadata")
    yield {"role": "user", **object_in(turn, "user")}
    if answer := object_in(turn, "assistant"):
        ended = {"ended": about.get("stream_end_timestamp_ms"), "model_id": about.get("model_id")}
        yield {"role": "assistant", **answer, **ended}


@register(
    "format",
    title="llm logs",
    recognise=lambda content: _match_columns(
        content, "responses", "id model prompt system response conversation_id datetime_utc"
    ),
    source="simonw/llm, llm/migrations.py, 0.27",
)
def llm(content: Content, report: Report) -> Iterator[Conversation]:
    """Conversations that Simon Willison's `llm` logged, with their tools."""
    names = {row["id"]: row for row in _rows(content, "conversations")}
    calls, results = (_by_response(content, table) for table in ("tool_calls", "tool_results"))
    messages: dict[Any, list[dict[str, Any]]] = {}
    system: dict[Any, Any] = {}
    for row in content.rows("SELECT * FROM responses ORDER BY datetime_utc, id"):
        key = row["conversation_id"] or row["id"]
        said = messages.setdefault(key, [])
        if row["system"] and system.get(key) != row["system"]:
            system[key] = row["system"]
            said.append({"role": "system", "text": row["system"]})
        for result in results.get(row["id"], ()):
            answer = {"tool_call_id": result.get("tool_call_id"), "tool": result.get("name")}
            said.append({"role": "tool", "text": result.get("output"), **answer})
        if row["prompt"]:
            said.append({"role": "user", "text": row["prompt"]})
        counts = {"input_tokens": row.get("input_tokens"), "output_tokens": row.get("output_tokens")}
        details = unpack_json(row.get("token_details"))
        usage = {**(details if isinstance(details, dict) else {}), **counts}
        about = {"model": row.get("resolved_model") or row["model"], "datetime_utc": row["datetime_utc"]}
        asked = {"calls": as_list(calls.get(row["id"])), "usage": usage}
        said.append({"role": "assistant", "text": row["response"], **asked, **about})
    for key, said in messages.items():
        yield from read_shaped(LLM, [(f"conversation {key}", {**names.get(key, {}), "messages": said})], report)


def _rows(content: Content, table: str) -> list[dict[str, Any]]:
    return list(content.rows(f"SELECT * FROM {table}")) if table in content.tables else []


def _by_response(content: Content, table: str) -> dict[Any, list[dict[str, Any]]]:
    found: dict[Any, list[dict[str, Any]]] = {}
    for row in _rows(content, table):
        found.setdefault(row.get("response_id"), []).append({**row, "arguments": unpack_json(row.get("arguments"))})
    return found
