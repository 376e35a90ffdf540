"""The OpenAI Agents SDK's session database: the table `agent_messages`, one item of the Responses API per row.

Rows are in the order of their id; their times have whole seconds. Source: openai-agents, memory/sqlite_session.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.formats.base import Report
from historylab.formats.chat_messages import iso_time, pair_by_order
from historylab.formats.content import Content
from historylab.formats.json_values import Parser
from historylab.formats.responses_items import joined, read_item
from historylab.registry import register

TABLES = {
    "agent_sessions": {"session_id"},
    "agent_messages": {"id", "session_id", "message_data", "created_at"},
}
QUERY = "SELECT id, session_id, message_data, created_at FROM agent_messages ORDER BY id"


def has_sessions(content: Content) -> float:
    """1 for the tables of its sessions."""
    return 1 if all(columns <= content.tables.get(table, frozenset()) for table, columns in TABLES.items()) else 0


@register("format", title="OpenAI Agents SDK sessions", recognise=has_sessions)
def openai_agents(content: Content, report: Report) -> Iterator[Conversation]:
    """Sessions of the OpenAI Agents SDK, in an SQLite database."""
    sessions: dict[str, list[Message]] = {}
    for row in content.rows(QUERY):
        made = sessions.setdefault(str(row["session_id"]), [])
        where = f"agent_messages {row['id']}"
        try:
            item = Parser().value(str(row["message_data"]).strip())
        except ValueError:
            report.skip("message_data that is no JSON", where)
            continue
        time = iso_time(row["created_at"])
        made += [replace(message, timestamp=time) for message in read_item(item, where, report)]
    for session, messages in sessions.items():
        yield Conversation(pair_by_order(joined(messages)), session, {"session_id": session})
