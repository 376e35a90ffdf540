"""Databases of agents, whose rows are brought into the lists that a shape reads: Goose's and Kiro's."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.recorded import SIDECHAIN
from historylab.formats.base import Report
from historylab.formats.files.content import Content
from historylab.formats.files.tables import has_table, table_rows
from historylab.formats.messages.fields import list_in, object_in, objects_under, text_in, unpack_json
from historylab.formats.messages.paths import Located, each_path
from historylab.formats.shapes.reading import read_shaped
from historylab.formats.shapes.shape import Shape
from historylab.registry import member, register

PROMPTS = ["content.Prompt.prompt", "content.CancelledToolUses.prompt", "Response.content", "ToolUse.content"]
RESULTS = "content.ToolUseResults.tool_use_results"
KIRO = Shape.of(
    {
        "items": "messages",
        "role": "role",
        "text": PROMPTS,
        "calls": {"items": "ToolUse.tool_uses", "id": "id", "name": "name", "arguments": "args"},
        "results": {"items": RESULTS, "id": "tool_use_id", "text": ["content.Text", "content.Json", "content"]},
        "time": ["timestamp", "ended"],
        "model": "model_id",
    }
)
GOOSE_EXPORTS = ("conversation", "messages")
"""Lists of messages in what `goose session export` writes, and `goose run` with JSON as its output."""


def looks_like_goose_database(content: Content) -> float:
    """1 for Goose's tables, or for a session of theirs as JSON."""
    if content.tables:
        columns = has_table(content, "messages", "session_id content_json created_timestamp")
        return float(columns and has_table(content, "sessions", "id"))
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
    messages = defaultdict[Any, list[Any]](list)
    for row in table_rows(content, "messages", "created_timestamp, rowid"):
        about = {"id": row.get("message_id") or row.get("id"), "created": row["created_timestamp"]}
        said = {"content": unpack_json(row["content_json"]), "metadata": unpack_json(row.get("metadata_json"))}
        messages[row["session_id"]].append({**about, "role": row.get("role"), **said})
    for session in table_rows(content, "sessions"):
        config = {"model_config_json": unpack_json(session.get("model_config_json"))}
        yield f"session {session['id']}", {**session, **config, "messages": messages[session["id"]]}


def looks_like_kiro(content: Content) -> float:
    """1 for Kiro's table of conversations, or for what it holds of one."""
    if content.tables:
        return float(has_table(content, "conversations_v2", "conversation_id value"))
    value = content.values[0][1]
    turns = objects_under(value, "history") if isinstance(value, dict) and "conversation_id" in value else []
    return float(any({"user", "assistant"} <= turn.keys() for turn in turns))


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
    rows = ((f"row {i}", unpack_json(row["value"])) for i, row in enumerate(table_rows(content, "conversations_v2"), 1))
    for where, value in rows if content.tables else content.values:
        if not isinstance(value, dict):
            report.skip("no conversation", where)
            continue
        messages = [each for turn in objects_under(value, "history") for each in _of_turn(turn)]
        yield from read_shaped(KIRO, [(where, {**value, "messages": messages})], report)


def _of_turn(turn: dict[str, Any]) -> Iterator[dict[str, Any]]:
    about = object_in(turn, "request_metadata")
    yield {"role": "user", **object_in(turn, "user")}
    if answer := object_in(turn, "assistant"):
        ended = {"ended": about.get("stream_end_timestamp_ms"), "model_id": about.get("model_id")}
        yield {"role": "assistant", **answer, **ended}
