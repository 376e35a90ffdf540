"""Stored messages of toolpack-agents: objects with a participant and a conversation's id, as a list or JSON lines.

Its SQLite database, and HistoryLab's own store, have them as rows. A file may mix several conversations; each is sorted
by time, as its store would return it. Every agent's messages get the role assistant: the projection `point_of_view`
tells agents apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.errors import LoadError
from historylab.formats.base import Report, kind_of
from historylab.formats.files.content import Content
from historylab.formats.messages.chat_messages import iso_time, sort_by_time
from historylab.formats.messages.fields import unpack_json
from historylab.formats.messages.record_groups import located_items, most_of
from historylab.registry import register

ROLES = {"agent": "assistant", "system": "system"}
"""Kind of participant → role; any other kind is a user."""
READ = {"id", "conversationId", "participant", "content", "timestamp", "scope", "metadata"}
PARTICIPANT = {"kind": "kind", "id": "id", "displayName": "display_name"}
"""Field of a participant → the end of its column's name."""

TABLES = ("messages", "stored_messages")
RECORDS = "stored_records"  # of HistoryLab's own store, which may hold both
COLUMNS = ["id", "conversation_id", *(f"participant_{name}" for name in PARTICIPANT.values())]
COLUMNS += ["content", "timestamp", "scope", "metadata"]


def looks_stored(content: Content) -> float:
    """1 for a table of stored messages, 0.9 if it stands beside another of records; 0.8 if most records have a
    participant and the id of a conversation."""
    if content.tables:
        return (0.9 if RECORDS in content.tables else 1) if _table(content) else 0
    records = [record for _, record in located_items(content.values, "messages")]
    return (
        0.8 if most_of(records, lambda r: isinstance(r, dict) and _has_participant(r) and "conversationId" in r) else 0
    )


@register(
    "format",
    "toolpack",
    title="toolpack-agents stored messages",
    recognise=looks_stored,
    marks="participant conversationId",
)
def toolpack(content: Content, report: Report) -> Iterator[Conversation]:
    """Stored messages of toolpack-agents, one or several conversations in a file."""
    conversations: dict[str, dict[str | None, Message]] = {}  # id → message id → message; the first of an id counts
    rows = _rows(content) if content.tables else located_items(content.values, "messages", report=report)
    for where, record in rows:
        try:
            message = read_stored_message(record)
            messages = conversations.setdefault(_text(record, "conversationId"), {})
        except LoadError as problem:
            report.skip(str(problem), where)
            continue
        if message.id in messages:
            report.pass_over("a second message of the same id", where)
            continue
        report.records += 1
        _warn_of_unread(record, message, where, report)
        messages[message.id] = message
    for conversation_id, messages in conversations.items():
        title = next((name for m in messages.values() if (name := m.metadata.get("channelName"))), conversation_id)
        given = list(messages.values())
        if (ordered := sort_by_time(given)) != given:
            report.warn("messages put in the order of their times", conversation_id[:40])
        yield Conversation(ordered, str(title), {"conversationId": conversation_id})


def read_stored_message(record: Any) -> Message:
    """Read one stored message. Its metadata has what filters read (participant, scope, mentions, isSummary).

    Raises LoadError naming the fault briefly.
    """
    if not isinstance(record, Mapping):
        raise LoadError(f"{kind_of(record)}, not an object")
    if not _has_participant(record):
        raise LoadError("no participant with a kind and an id")
    who, given, scope = record["participant"], record.get("metadata"), record.get("scope")
    metadata = dict(given) if isinstance(given, Mapping) else {}
    metadata |= {"participant": who["id"], "participantKind": who["kind"]} | ({"scope": scope} if scope else {})
    raw_time, name = record.get("timestamp"), who.get("displayName")
    time = iso_time(raw_time)
    if time is None and raw_time is not None:
        metadata["timestamp"] = raw_time
    said = ROLES.get(who["kind"], "user"), _text(record, "content"), _text(record, "id")
    return Message(*said, name if isinstance(name, str) else None, timestamp=time, metadata=metadata, source=record)


def _warn_of_unread(record: dict[str, Any], message: Message, where: str, report: Report) -> None:
    """Warn of the fields of a stored message that aren't read, or not as what they are."""
    report.leave(record, READ, where)
    report.leave(record["participant"], PARTICIPANT.keys(), where)
    if not isinstance(record.get("metadata"), Mapping | None):
        report.warn(f"metadata that is {kind_of(record['metadata'])}", where)
    if not isinstance(record["participant"].get("displayName"), str | None):
        report.warn(f"a displayName that is {kind_of(record['participant']['displayName'])}", where)
    if "timestamp" in message.metadata:
        report.warn("a timestamp that is no time", where)


def _table(content: Content) -> str:
    """The table of stored messages in a database."""
    return next((name for name in TABLES if content.tables.get(name, frozenset()) >= set(COLUMNS)), "")


def _rows(content: Content) -> Iterator[tuple[str, dict[str, Any]]]:
    """The rows of a database as stored messages, with their locations, in the order in which they came."""
    table = _table(content)
    for number, row in enumerate(content.rows(f"SELECT {', '.join(COLUMNS)} FROM {table} ORDER BY rowid"), 1):
        who = {name: row[f"participant_{column}"] for name, column in PARTICIPANT.items()}
        record = {key: row[key] for key in ("id", "content", "timestamp", "scope")}
        record["conversationId"], record["metadata"] = row["conversation_id"], unpack_json(row["metadata"] or None)
        yield f"{table} {number}", record | {"participant": {key: who[key] for key in who if who[key] is not None}}


def _has_participant(record: Mapping[str, Any]) -> bool:
    who = record.get("participant")
    return isinstance(who, Mapping) and isinstance(who.get("kind"), str) and isinstance(who.get("id"), str)


def _text(record: Mapping[str, Any], key: str) -> str:
    value = record.get(key)
    if not isinstance(value, str):
        raise LoadError(f"{key} is {kind_of(value)}, not text" if key in record else f"no {key}")
    return value
