"""Field mappings: which fields of a list hold who speaks and what, for files in no known format; kept as JSON files.

A path names keys from the outside in, joined by dots: `chat.history`. Lists on the way need no mention, and each list
at its end is a conversation, unless `conversation` names a field that tells them apart. Without `items` the file's own
list, lines or rows are read.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.errors import LoadError
from historylab.formats.base import Report, kind_of
from historylab.formats.files.content import Content
from historylab.formats.files.parquet_rows import MAX_ROW_BYTES, is_parquet, parquet_rows
from historylab.formats.messages.chat_messages import pair_by_order
from historylab.formats.messages.reported import read_messages
from historylab.formats.messages.speakers import cast, role_of
from historylab.formats.plain.csv_table import rows_of_table

MAX_MAPPING = 1_000_000
REQUIRED = ("role", "text")


@dataclass(frozen=True)
class FieldMapping:
    """Where the messages are (`items`), and which of their fields is which; `roles`: a speaker's name → the role."""

    role: str
    text: str
    items: str = ""
    name: str = ""
    time: str = ""
    id: str = ""
    conversation: str = ""
    roles: Mapping[str, str] = field(default_factory=dict, hash=False)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it as JSON, to be used again."""
        Path(path).write_text(self.as_json, encoding="utf-8")

    @property
    def as_json(self) -> str:
        """The text of its file."""
        said = {name: value for name, value in asdict(self).items() if value}
        return json.dumps(said, ensure_ascii=False, indent=2) + "\n"

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> FieldMapping:
        """Read a saved one. Raises LoadError for anything that is none."""
        try:
            with open(path, "rb") as file:
                saved = file.read(MAX_MAPPING)
        except (OSError, ValueError) as problem:  # ValueError: a NUL in the path
            reason = getattr(problem, "strerror", None) or str(problem)
            raise LoadError(f"the mapping {str(path)[:80]!r} can't be read: {reason[0].lower()}{reason[1:]}") from None
        return cls.of_json(saved, str(path))

    @classmethod
    def of_json(cls, saved: bytes, name: str) -> FieldMapping:
        """The mapping in the bytes of a saved one, whose name is for errors. Raises LoadError for anything else."""
        try:
            given = json.loads(saved)
        except (ValueError, RecursionError):
            raise LoadError(f"the mapping {name[:80]!r} can't be read: it is no JSON") from None
        if fault := _fault(given):
            raise LoadError(f"the mapping {name[:80]!r} can't be used: {fault}")
        return cls(**given)


def _fault(given: Any) -> str:
    """Why a JSON value is no mapping; empty if it is one."""
    if not isinstance(given, dict):
        return f"it is {kind_of(given)}, not an object"
    known = [f.name for f in fields(FieldMapping)]
    if unknown := [name for name in given if name not in known]:
        return f"it has a field {unknown[0][:40]!r}; known are {', '.join(known)}"
    for name, value in given.items():
        if name != "roles" and not isinstance(value, str):
            return f"{name} is {kind_of(value)}, not the name of a field"
    roles = given.get("roles", {})
    if not isinstance(roles, dict) or not all(isinstance(role, str) and role for role in roles.values()):
        return "roles is no object of speakers and their roles"
    missing = [name for name in REQUIRED if not given.get(name)]
    return f"it names no field for {' and '.join(missing)}" if missing else ""


def read_mapped(mapping: FieldMapping, content: Content, report: Report) -> Iterator[Conversation]:
    """The conversations of a content, as a mapping says. Fields it doesn't name are counted as not read.

    Of speakers whose role neither the mapping nor the word for them says, the one who answers is the assistant.
    """
    lists = list(_lists(_values(content), mapping.items.split(".") if mapping.items else []))
    roles = cast(dict.fromkeys(said for _, items in lists for _, item in items if (said := _speaker(item, mapping))))[0]
    mapping = replace(mapping, roles={**roles, **mapping.roles})
    for _, items in lists:
        groups: dict[str, list[tuple[str, Any]]] = {}
        for where, item in items:
            groups.setdefault(str(value_at(item, mapping.conversation) or ""), []).append((where, item))
        for label, group in groups.items():
            records = [(where, _record(item, mapping)) for where, item in group]
            for where, item in group:
                _warn_of_unread(item, mapping, where, report)
            named = {mapping.conversation: label} if label else {}
            yield Conversation(pair_by_order(read_messages(records, report)), label, named)


def count_items(values: list[tuple[str, Any]], path: str) -> int:
    """The number of items that a mapping with this path to them would read."""
    return sum(len(items) for _, items in _lists(values, path.split(".") if path else []))


def _values(content: Content) -> list[tuple[str, Any]]:
    """JSON values, or the rows of a table."""
    if is_parquet(content):
        return list(parquet_rows(content).rows(most=MAX_ROW_BYTES))
    try:
        return content.values
    except LoadError:
        if content.text.lstrip()[:1] not in "[{" and (rows := list(rows_of_table(content.text))):
            return list(rows)
        raise


def _lists(values: list[tuple[str, Any]], path: list[str]) -> Iterator[tuple[str, list[tuple[str, Any]]]]:
    """Every list of items at the end of the path, with where it is."""
    if path:
        for where, value in values:
            if isinstance(value, list):
                yield from _lists([(f"{where}[{i}]", item) for i, item in enumerate(value)], path)
                continue
            taken = _longest_key(value, path)
            if taken:
                key = ".".join(path[:taken])
                yield from _lists([(f"{where} {key}".strip(), value[key])], path[taken:])
            elif isinstance(items := list_items(value), list):  # of objects by id
                yield from _lists([(f"{where}[{i}]", item) for i, item in enumerate(items)], path)
        return
    own = [(where, value) for where, value in values if not isinstance(list_items(value), list)]
    if own:
        yield "", own
    for where, value in values:
        items = list_items(value)
        if isinstance(items, list):
            nested = items and isinstance(items[0], list)
            located = [(f"{where}[{i}]", item) for i, item in enumerate(items)]
            yield from _lists(located, []) if nested else iter([(where, located)])


def list_items(value: Any) -> Any:
    """The items of a list, or of an object all of whose values are objects with a key in common (messages by id)."""
    if isinstance(value, dict) and len(value) > 1 and all(isinstance(item, dict) for item in value.values()):
        items = list(value.values())
        return items if set(items[0]).intersection(*items) else value
    return value


def value_at(item: Any, path: str) -> Any:
    """The value of an item at a path such as `author.role`; None if there is none."""
    parts = path.split(".") if path else []
    while parts:
        taken = _longest_key(item, parts)
        if not taken:
            return None
        item, parts = item[".".join(parts[:taken])], parts[taken:]
    return item if path else None


def _longest_key(value: Any, path: list[str]) -> int:
    """The number of parts of a path that make a key of an object, as keys may hold dots; 0 if none do."""
    if not isinstance(value, dict):
        return 0
    return next((count for count in range(len(path), 0, -1) if ".".join(path[:count]) in value), 0)


def _record(item: Any, mapping: FieldMapping) -> Any:
    """An item as a chat message."""
    if not isinstance(item, dict):
        return item
    speaker, text = _speaker(item, mapping), value_at(item, mapping.text)
    record: dict[str, Any] = {"role": mapping.roles.get(speaker), "content": text}
    if not (mapping.name or role_of(speaker)):
        record["name"] = speaker or None
    if isinstance(text, int | float | bool | dict):
        record["content"] = json.dumps(text, ensure_ascii=False)
    more = {"name": mapping.name, "timestamp": mapping.time, "id": mapping.id}
    for key, path in more.items():
        value = value_at(item, path)
        if value is not None and not isinstance(value, list | dict):
            record[key] = value if key == "timestamp" else str(value)
    return record


def _speaker(item: Any, mapping: FieldMapping) -> str:
    found = value_at(item, mapping.role)
    return "" if found is None or isinstance(found, list | dict) else str(found)


def _warn_of_unread(item: Any, mapping: FieldMapping, where: str, report: Report) -> None:
    if isinstance(item, dict):
        paths = (mapping.role, mapping.text, mapping.name, mapping.time, mapping.id, mapping.conversation)
        report.leave(
            item, {".".join(path.split(".")[:n]) for path in paths for n in range(1, path.count(".") + 2)}, where
        )
