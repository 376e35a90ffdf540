"""The OpenAI Agents SDK's session database: the table `agent_messages`, one item of the Responses API per row.

Rows are in the order of their id; their times have whole seconds. Where `message_structure` tells branches apart, the
one with the newest item is the conversation. Source: openai-agents, memory/sqlite_session.py and
extensions/memory/advanced_sqlite_session.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.formats.base import Report
from historylab.formats.files.content import Content
from historylab.formats.files.json_values import JsonParser
from historylab.formats.messages.branching import share_beginnings, with_branches
from historylab.formats.messages.chat_messages import iso_time, pair_by_order
from historylab.formats.messages.responses_items import join_assistant_messages, read_item
from historylab.registry import register

TABLES = {
    "agent_sessions": {"session_id"},
    "agent_messages": {"id", "session_id", "message_data", "created_at"},
}
QUERY = "SELECT id, session_id, message_data, created_at, '' AS branch FROM agent_messages ORDER BY id"
BRANCHED = {"session_id", "message_id", "branch_id", "sequence_number"}  # columns of message_structure
BRANCHES = """SELECT m.id, m.session_id, m.message_data, m.created_at, s.branch_id AS branch FROM message_structure s
JOIN agent_messages m ON m.id = s.message_id AND m.session_id = s.session_id ORDER BY s.sequence_number, s.rowid"""


def has_sessions(content: Content) -> float:
    """1 for the tables of its sessions."""
    return 1 if all(columns <= content.tables.get(table, frozenset()) for table, columns in TABLES.items()) else 0


@register("format", title="OpenAI Agents SDK sessions", recognise=has_sessions)
def openai_agents(content: Content, report: Report) -> Iterator[Conversation]:
    """Sessions of the OpenAI Agents SDK, in an SQLite database."""
    branched = content.tables.get("message_structure", frozenset()) >= BRANCHED
    sessions: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for row in content.rows(BRANCHES if branched else QUERY):
        sessions.setdefault(str(row["session_id"]), {}).setdefault(str(row["branch"]), []).append(row)
    for session, found in sessions.items():
        newest_first = sorted(found.values(), key=_newest, reverse=True)
        known: dict[Any, list[Message]] = {}
        read = [_messages(rows, known, report) for rows in newest_first]
        yield with_branches(share_beginnings(read), session, {"session_id": session}, report)


def _newest(rows: list[dict[str, Any]]) -> str:
    """The key that sorts branches by their newest item."""
    return max(str(row["id"]).zfill(20) for row in rows)


def _messages(rows: list[dict[str, Any]], known: dict[Any, list[Message]], report: Report) -> list[Message]:
    """The messages of a branch. An item that another one has, too, is read and counted once."""
    for row in rows:
        if row["id"] not in known:
            known[row["id"]] = _read(row, report)
    return pair_by_order(join_assistant_messages([message for row in rows for message in known[row["id"]]]))


def _read(row: dict[str, Any], report: Report) -> list[Message]:
    where = f"agent_messages {row['id']}"
    try:
        item = JsonParser().value(str(row["message_data"]))
    except ValueError:
        report.skip("message_data that is no JSON", where)
        return []
    time = iso_time(row["created_at"])
    return [replace(message, timestamp=time) for message in read_item(item, where, report)]
