"""A list of messages inside a log, read by the format that recognises it."""

from __future__ import annotations

from collections.abc import Hashable
from functools import partial
from typing import Any

from historylab.conversation.message import Message
from historylab.formats.base import NOTHING, MessageReader, Report, kind_of
from historylab.formats.detect import strength
from historylab.formats.files.content import ValuesContent
from historylab.formats.traces.parts import has_parts, read_parts_messages
from historylab.registry import Member, members

ROOMS = ("historylab.formats.apis.", "historylab.formats.frameworks.")
"""Where the formats of messages are, beside which a trace holds nothing else."""

KINDS = {"role", "type", "lc", "kind", "part_kind", "object", "from", "status"}
"""Fields that say of what kind something is."""

OF_TOOLS = {"input", "args", "arguments", "response", "result", "output"}
"""Fields whose objects are an application's own."""

LEVELS = 5


def messages_in(value: list[Any], report: Report, where: str) -> list[Message]:
    """A list of messages, read by the format that recognises it; what none recognises is skipped on the report.

    A file repeats few structures: which format reads one is found out once, and kept on the report.
    """
    items = [item for item in value if item not in NOTHING]
    if not items:
        return []
    one_of_each = {_structure(item): item for item in items}
    structures = tuple(one_of_each)
    if structures not in report.readers:
        report.readers[structures] = _reader_of(list(one_of_each.values()))
    read = report.readers[structures]
    if read is None:
        report.skip(f"{kind_of(items)} of no messages known here", where)
        return []
    return read(items, report, where)


def _reader_of(one_of_each: list[Any]) -> MessageReader | None:
    """The function that reads a list of such messages: that of the surest format."""
    if has_parts(one_of_each):
        return read_parts_messages
    content = ValuesContent([("", one_of_each)])
    asked = [found for found in members("format").values() if found.target.__module__.startswith(ROOMS)]
    best = max(asked, key=lambda found: strength(found, content))
    if not strength(best, content):
        return None
    api = best.attributes.get("api", lambda: None)()
    return api.read_list if api and api.reads(one_of_each) else partial(_read_by, best)


def _read_by(member: Member, items: list[Any], report: Report, where: str) -> list[Message]:
    return [message for found in member.target(ValuesContent([(where, items)]), report) for message in found]


def _structure(value: Any, name: str = "", levels: int = LEVELS) -> Hashable:
    """The names and kinds of what a value holds, and what kind it says it is: equal for values found alike."""
    kind = type(value)
    if kind is str:
        return value if name in KINDS else bool(value)
    if kind is dict:
        if not levels or name in OF_TOOLS:
            return dict
        held = value.items()  # most of it is text, which is spared the call
        return tuple(
            [(k, bool(v) if type(v) is str and k not in KINDS else _structure(v, k, levels - 1)) for k, v in held]
        )
    if kind is list:
        return (list, frozenset([_structure(item, name, levels - 1) for item in value])) if levels else list
    return kind, bool(value)
