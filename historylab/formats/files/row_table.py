"""Rows of a table as conversations: a column that says who speaks, one with the words, and any that group and order.

For CSV, flat JSON and JSON Lines, and Parquet. Cells may hold JSON: content parts, tool calls, or a whole conversation
in each row. Columns are known by their names, whatever their case.
"""

from __future__ import annotations

import ast
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message, instant
from historylab.errors import LoadError
from historylab.formats.base import Report, kind_of
from historylab.formats.messages.chat_messages import PLAIN_ROLES, iso_time, pair_by_order
from historylab.formats.messages.fields import unpack_json
from historylab.formats.messages.kept_records import with_fields
from historylab.formats.messages.reported import read_reported
from historylab.formats.messages.speakers import cast, role_in_word, role_told

COLUMNS = {
    "role": "role speaker_role sender_role author_role message_role sender_type author_type speaker sender author from"
    " from_role participant said_by",
    "content": "content text message utterance value message_text message_content text_content body msg",
    "group": "conversation_id session_id thread_id chat_id dialogue_id dialog_id conv_id conversation session thread"
    " dialogue dialog ticket_id conversationid sessionid threadid chatid",
    "order": "turn turn_index turn_idx turn_id turn_number message_index message_number index idx position seq"
    " sequence step order",
    "time": "timestamp created_at createdat time datetime sent_at create_time date ts",
    "name": "name speaker_name sender_name author_name username user_name speaker sender author",
    "id": "id message_id messageid uuid msg_id",
    "tool_calls": "tool_calls toolcalls",
    "tool_call_id": "tool_call_id toolcallid",
    "model": "model model_name",
}
"""Content of a column → the names it goes by, the surest first."""

LOOKED_AT = 200  # rows looked at to learn the columns
MOST_LITERAL = 1_000_000  # characters of a cell read as a Python literal
LISTS = re.compile(r"\s*\[\s*\{")


@dataclass(frozen=True)
class TableColumns:
    """The columns of a table: what each holds → its name; `conversation` is one with a whole conversation per cell."""

    names: dict[str, str] = field(default_factory=dict)
    conversation: str = ""

    def __bool__(self) -> bool:
        return bool(self.conversation) or {"role", "content"} <= self.names.keys()


def columns_of(header: Iterable[str]) -> TableColumns:
    """The columns that say something, by their names alone; each is used once."""
    given = {re.sub(r"[^a-z0-9]+", "_", name.casefold()).strip("_"): name for name in reversed(list(header))}
    names: dict[str, str] = {}
    for kind, known in COLUMNS.items():
        found = next((given[word] for word in known.split() if word in given and given[word] not in names.values()), "")
        if found:
            names[kind] = found
    return TableColumns(names)


def table_columns(rows: Sequence[tuple[str, Any]]) -> TableColumns:
    """The columns of a table, by their names and what the first rows hold."""
    sample = [row for _, row in rows[:LOOKED_AT] if isinstance(row, Mapping)]
    header = dict.fromkeys(name for row in sample for name in row if isinstance(name, str))
    columns = columns_of(header)
    if columns and _is_talk(columns, sample):
        return columns
    held = next((name for name in header if any(_is_conversation(row.get(name)) for row in sample)), "")
    return replace(columns, conversation=held) if held else TableColumns()


def rows_to_conversations(rows: Iterable[tuple[str, Any]], report: Report) -> Iterator[Conversation]:
    """The conversations of a table's rows, each given with its location ("row 7").

    Raises LoadError if no columns say who speaks and what.
    """
    rows = list(rows)
    columns = table_columns(rows)
    if not columns:
        names = next((row for _, row in rows if isinstance(row, Mapping)), {})
        seen = ", ".join(" ".join(str(name).split())[:40] for name in names)
        raise LoadError(f"no column says who speaks, or none says what, among {seen[:200] or 'none'}")
    _warn_of_unread(columns, rows, report)
    if columns.conversation:
        yield from _nested_conversations(columns, rows, report)
        return
    groups: dict[str, list[tuple[str, Mapping[str, Any]]]] = {}
    key = columns.names.get("group", "")
    for where, row in rows:
        if isinstance(row, Mapping):
            groups.setdefault(_label(row.get(key)), []).append((where, row))
        else:
            report.skip(f"{kind_of(row)}, not a row", where)
    for label, found in groups.items():
        yield Conversation(_messages(columns, found, report), label, {key: label} if label else {})


def _messages(columns: TableColumns, rows: list[tuple[str, Mapping[str, Any]]], report: Report) -> list[Message]:
    said = list(dict.fromkeys(_label(row.get(columns.names["role"])) for _, row in rows))
    named_role = columns.names["role"].casefold().endswith(("role", "type"))
    names = (speaker for speaker in said if speaker and not (named_role and not role_in_word(speaker)))
    roles = cast(names, report, rows[0][0])
    messages: list[Message] = []
    known = set[tuple[str | None, ...] | None]()
    plain = columns.names.keys() <= {"role", "content", "group", "order", "time"}
    for where, row in _in_order(columns, rows, report):
        message = _read_plain_row(columns.names, row, roles) if plain else None
        report.records += bool(message)
        if not message and (message := read_reported(_record(columns.names, row, roles), where, report)):
            others = {k: cell for k, cell in row.items() if k not in columns.names.values() and not _is_empty(cell)}
            (message,) = with_fields([message], others)
        if not message:
            continue
        named = message.id and message.timestamp
        mark = (message.id, message.timestamp, message.role, message.content) if named else None
        if mark in known:
            report.records -= 1
            report.pass_over("a row given before: its id, time, speaker and text", where)
            continue
        known |= {mark} if mark else set()
        model = row.get(columns.names.get("model", ""))
        if isinstance(model, str) and model:
            message = replace(message, metadata={**message.metadata, "model": model})
        messages.append(message)
    return pair_by_order(messages)


def _read_plain_row(names: dict[str, str], row: Mapping[str, Any], roles: dict[str, str]) -> Message | None:
    """The message of a row that holds but a text, a known role and a time: most rows, so a fast path."""
    speaker, content = row.get(names["role"]), row.get(names["content"])
    role = roles.get(speaker) if isinstance(speaker, str) else None
    if role not in PLAIN_ROLES or not isinstance(content, str) or not content or content[:1] in " [\n\t":
        return None
    cell = row.get(names.get("time", ""))
    time = iso_time(cell) if cell else None
    if cell and time is None:
        return None
    return Message(role, content, name=None if role_told(speaker) else speaker, timestamp=time, source=row)


def _record(names: dict[str, str], row: Mapping[str, Any], roles: dict[str, str]) -> dict[str, Any]:
    """A row as a chat message; a speaker who is no role keeps the name."""
    cells = {kind: cell for kind, name in names.items() if not _is_empty(cell := row.get(name))}
    speaker, content = _label(cells.get("role")), cells.get("content", "")
    record: dict[str, Any] = {"role": roles.get(speaker, speaker) or None, "content": _content(content)}
    if isinstance(cells.get("name"), str):
        record["name"] = cells["name"]
    elif speaker in roles and not role_told(speaker):
        record["name"] = speaker
    record |= {k: cells[k] for k in ("id", "tool_call_id") if isinstance(cells.get(k), str | int)}
    if calls := parse_cell(cells.get("tool_calls")):
        record["tool_calls"] = calls
    if "time" in cells:
        record["timestamp"] = cells["time"]
    return record


def _in_order(
    columns: TableColumns, rows: list[tuple[str, Mapping[str, Any]]], report: Report
) -> list[tuple[str, Mapping[str, Any]]]:
    """The rows by their numbers, else by their times; in the order of the file if one has neither."""
    for kind, read in (("order", _number), ("time", lambda cell: instant(iso_time(cell)))):
        if kind not in columns.names:
            continue
        keys = [read(row.get(columns.names[kind])) for _, row in rows]
        if any(map(math.isnan, keys)):
            continue
        ordered = [rows[i] for i in sorted(range(len(rows)), key=keys.__getitem__)]
        if ordered != rows:
            report.warn(f"rows put in the order of their {columns.names[kind][:40]!r}", rows[0][0])
        return ordered
    return rows


def _nested_conversations(columns: TableColumns, rows: list[tuple[str, Any]], report: Report) -> Iterator[Conversation]:
    """The conversation in each row's cell."""
    name, title = columns.conversation, columns.names.get("group") or columns.names.get("id", "")
    for where, row in rows:
        cell = row.get(name) if isinstance(row, Mapping) else None
        if not _is_conversation(cell):
            report.skip(f"a row without messages in {name[:40]!r}", where)
            continue
        items = [(f"{where} {name}[{i}]".strip(), item) for i, item in enumerate(parse_cell(cell))]
        for found in rows_to_conversations(items, report):
            yield Conversation(found.messages, found.title or _label(row.get(title)), found.metadata)


def parse_cell(cell: Any) -> Any:
    """A cell that is JSON, or a Python literal as data frames write it, of a list of objects; any other as it is."""
    if not isinstance(cell, str) or not LISTS.match(cell):
        return cell
    if not isinstance(found := unpack_json(cell), str):
        return found
    try:
        return ast.literal_eval(cell.strip()) if len(cell) < MOST_LITERAL else cell
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return cell


def _is_talk(columns: TableColumns, rows: Sequence[Mapping[str, Any]]) -> bool:
    """Tell whether the columns hold texts of speakers who go by their role, or speak again under a name."""
    speakers = [_label(row.get(columns.names["role"])) for row in rows]
    text = any(isinstance(row.get(columns.names["content"]), str | list) for row in rows)
    again = columns.names["role"].casefold() != "role" and len(set(speakers)) < len(speakers)
    return text and (any(map(role_in_word, speakers)) or again)


def _is_conversation(cell: Any) -> bool:
    items = parse_cell(cell)
    if not isinstance(items, list) or not items or not all(isinstance(item, Mapping) for item in items[:LOOKED_AT]):
        return False
    columns = columns_of(name for name in items[0] if isinstance(name, str))
    return bool(columns) and _is_talk(columns, items[:LOOKED_AT])


def _content(cell: Any) -> Any:
    """Text, or content parts if the cell holds a list of them."""
    parts = parse_cell(cell)
    if isinstance(parts, list) and parts and all(isinstance(part, Mapping) and "type" in part for part in parts):
        return parts
    return cell if isinstance(cell, str) or cell is None else json.dumps(cell, ensure_ascii=False, default=str)


def _warn_of_unread(columns: TableColumns, rows: list[tuple[str, Any]], report: Report) -> None:
    read = {*columns.names.values()} | ({columns.conversation} if columns.conversation else set())
    for where, row in rows:
        for name, cell in row.items() if isinstance(row, Mapping) else ():
            if name not in read and not _is_empty(cell):
                read.add(name)
                report.warn(f"a column {str(name)[:40]!r} not read", where)


def _is_empty(cell: Any) -> bool:
    return cell is None or cell is False or (math.isnan(cell) if isinstance(cell, float) else cell in ("", [], {}))


def _label(cell: Any) -> str:
    if isinstance(cell, float) and cell.is_integer():
        cell = int(cell)
    return "" if _is_empty(cell) or isinstance(cell, list | Mapping) else str(cell).strip()


def _number(cell: Any) -> float:
    try:
        return math.nan if isinstance(cell, bool) else float(cell)
    except (TypeError, ValueError, OverflowError):
        return math.nan
