"""Records of a file grouped by conversation: a list, an object that holds a list, several of either, or JSON lines.

A file with one record per line is one conversation, or one per `conversation_id` (`session_id`, `thread_id`); any other
line or item of a list is a conversation by itself.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message
from historylab.errors import LoadError
from historylab.formats.base import Recognise, Report, kind_of
from historylab.formats.files.archives import folder_of
from historylab.formats.files.content import Content
from historylab.formats.messages.chat_messages import pair_by_order
from historylab.formats.messages.flat_messages import CONVERSATION_IDS, conversation_id_of

TITLES = ("title", "name")
SAMPLED = 200  # records that a format is recognised by


def located_items(
    values: Iterable[tuple[str, Any]], *holders: str, report: Report | None = None
) -> Iterator[tuple[str, Any]]:
    """Every value with its location; of a list, or of one that an object has under a holder, its items.

    With a report, it warns of what stands beside such a list.
    """
    for where, value in values:
        keys = holders if isinstance(value, dict) else ()
        holder = next((key for key in keys if isinstance(value.get(key), list)), "") if keys else ""
        if holder and report:
            report.leave(value, {holder}, where)
        held, at = (value[holder], f"{where} {holder}".strip()) if holder else (value, where)
        if isinstance(held, list):
            yield from ((f"{at}[{i}]", item) for i, item in enumerate(held))
        else:
            yield where, value


def folder_items(content: Content, recognise: Recognise, holder: str = "") -> Iterator[tuple[str, Any]]:
    """The located items of a file and, if it comes from an archive, of the files beside it that are recognised, too."""
    for file in folder_of(content):
        if file is content or recognise(file):
            content.taken.add(file.name)
            place = "" if file is content else file.name
            yield from ((f"{place} {where}".strip(), item) for where, item in located_items(file.values, holder))


def value_recogniser(is_one: Callable[[Any], object], sure: float = 1, *holders: str) -> Recognise:
    """Recognises a file by one value, or one item of a list, also under a holder, of which that is so."""
    return lambda content: sure if any(is_one(value) for _, value in located_items(content.values, *holders)) else 0


def most_of(records: Sequence[Any], is_one: Callable[[Any], object]) -> list[Any]:
    """The records that are one; none where most of them are something else."""
    found = [record for record in records if is_one(record)]
    return found if len(found) * 2 >= len(records) else []


@dataclass
class RecordGroup:
    """The records of one conversation and their locations; what their holder has beside them, and its location."""

    records: list[tuple[str, Any]]
    beside: dict[str, Any] = field(default_factory=dict)
    where: str = ""

    def messages(
        self, read: Callable[[Any, str, Report], Iterable[Message] | Message | None], report: Report
    ) -> list[Message]:
        """The messages that are read of each record; calls and results without ids are paired."""
        made = (read(record, where, report) for where, record in self.records)
        return pair_by_order([m for found in made for m in ([found] if isinstance(found, Message) else found or ())])

    def conversation(self, messages: list[Message], report: Report, **said: Any) -> Conversation:
        """The messages, after a `system` prompt that stands beside them. Other fields are kept as metadata, and named.

        `said` goes into the metadata where the file has no such field.
        """
        beside = dict(self.beside)
        if isinstance(beside.get("system"), str) and (prompt := beside.pop("system")):
            report.records += 1
            messages = [Message("system", prompt), *messages]
        for key in beside:
            if key not in (*TITLES, *CONVERSATION_IDS):
                report.keep(key, self.where)
        title = next((title for key in TITLES if isinstance(title := self.beside.get(key), str) and title), "")
        return Conversation(messages, title, {**{k: v for k, v in said.items() if v}, **beside})


class Grouping:
    """Finds the groups. `holders`: keys under which an object has its records; `is_record`: whether a value is one."""

    def __init__(self, holders: Sequence[str], is_record: Callable[[Any], bool]):
        self.holders, self._is_record = holders, is_record

    def groups(self, values: list[tuple[str, Any]], report: Report) -> Iterator[RecordGroup]:
        """Groups in file order; skips on the report what is neither a record nor holds any."""
        records: list[tuple[str, Any]] = []
        others: list[tuple[str, Any, str | None]] = []
        for where, value in values:
            if not (holder := self.holder(value)) and self._is_record(value):
                records.append((where, value))
            else:
                others.append((where, value, holder))
        yield from self._by_conversation(records, report)
        for where, value, holder in others:
            yield from self._inside(value, where, report, holder=holder)

    def sample(self, values: list[tuple[str, Any]]) -> list[Any]:
        """The first records, to recognise a format by."""
        return list(islice((record for group in self.groups(values, Report()) for _, record in group.records), SAMPLED))

    def is_record(self, value: Any) -> bool:
        """Tell whether it is a record, and holds none."""
        return self._is_record(value) and not self.holder(value)

    def holder(self, value: Any) -> str | None:
        """The key under which this object holds a list of records."""
        if isinstance(value, dict):
            for key in self.holders:
                if isinstance(value.get(key), list):
                    return key
        return None

    def _inside(
        self, value: Any, where: str, report: Report, lists: int = 2, holder: str | None = None
    ) -> Iterator[RecordGroup]:
        if isinstance(value, list) and lists:  # a list of records, or a list of such lists
            items = [(f"{where}[{i}]", item, self.holder(item)) for i, item in enumerate(value)]
            if any(not key and self._is_record(item) for _, item, key in items):
                held = [(at, item) for at, item, key in items if not key]
                yield from self._by_conversation(held, report, where)
                items = [given for given in items if given[2]]
            for at, item, key in items:
                yield from self._inside(item, at, report, lists - 1, key)
        elif holder:
            beside = {key: held for key, held in value.items() if key != holder}
            at = f"{where} {holder}".lstrip()
            records = [(f"{at}[{i}]", item) for i, item in enumerate(value[holder])]
            yield RecordGroup(records, beside, where)
        else:
            report.skip(f"{kind_of(value)} without role or messages", where)

    def _by_conversation(
        self, records: list[tuple[str, Any]], report: Report, where: str = ""
    ) -> Iterator[RecordGroup]:
        """One group per id of a conversation; what is no object stays with the record before it."""
        groups: dict[str, RecordGroup] = {}
        key = ""
        for at, record in records:
            try:
                named = conversation_id_of(record)
            except LoadError as problem:
                report.skip(str(problem), at)
                continue
            if isinstance(record, dict):
                key = json.dumps(named) if named else ""
            if key not in groups:
                groups[key] = RecordGroup([], named, where)
            groups[key].records.append((at, record))
        yield from groups.values()
