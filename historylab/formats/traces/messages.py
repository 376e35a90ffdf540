"""A list of messages inside a log, read by the format that recognises it."""

from __future__ import annotations

from typing import Any

from historylab.conversation.message import Message
from historylab.formats.base import NOTHING, Report, kind_of
from historylab.formats.detect import strength
from historylab.formats.files.content import ValuesContent
from historylab.formats.traces.parts import has_parts, read_parts_messages
from historylab.registry import Member, members

ROOMS = ("historylab.formats.apis.", "historylab.formats.frameworks.")
"""Where the formats of messages are, beside which a trace holds nothing else."""

KINDS = ("role", "type", "lc", "kind", "part_kind", "object", "from", "status")  # fields with a name of a kind


def messages_in(value: list[Any], report: Report, where: str) -> list[Message]:
    """A list of messages, read by the format that recognises it; what none recognises is skipped on the report."""
    value = [item for item in value if item not in NOTHING]
    if not value:
        return []
    if has_parts(value):
        return read_parts_messages(value, report, where)
    reader = _reader_of(list({_shape(item): item for item in value}.values()), report)
    if reader is None:
        report.skip(f"{kind_of(value)} of no messages known here", where)
        return []
    return [message for found in reader.target(ValuesContent([(where, value)]), report) for message in found]


def _reader_of(one_of_each: list[Any], report: Report) -> Member | None:
    """The surest format. A file repeats few structures: of one it had before, only the surest is asked again."""
    content, known = ValuesContent([("", one_of_each)]), members("format")
    key = tuple(_structure(item) for item in one_of_each)
    best, sure = report.surest.get(key, ("", 0.0))
    if best and strength(known[best], content) == sure:
        return known[best]
    asked = (name for name, member in known.items() if member.target.__module__.startswith(ROOMS))
    strengths = {name: strength(known[name], content) for name in asked}
    best = max(strengths, key=strengths.__getitem__, default="")
    if not best or not strengths[best]:
        return None
    report.surest[key] = best, strengths[best]
    return known[best]


def _structure(value: Any, name: str = "", levels: int = 5) -> object:
    """The names and kinds of what a value holds, and what kind it says it is: equal for values found alike."""
    if isinstance(value, dict):
        return frozenset((key, _structure(item, key, levels - 1)) for key, item in value.items()) if levels else dict
    if isinstance(value, list):
        return (list, frozenset(_structure(item, name, levels - 1) for item in value) if levels else bool(value))
    return value if name in KINDS and isinstance(value, str) else (type(value), bool(value))


def _shape(item: Any) -> object:
    """Equal for messages that every format finds alike: a history is recognised by one of each."""
    if not isinstance(item, dict):
        return type(item)
    content = item.get("content", item.get("parts"))
    parts = content if isinstance(content, list) else ()
    labels = tuple(str(item.get(name)) for name in ("role", "type", "lc", "kind"))
    kinds = {str(part.get("type", list(part))) if isinstance(part, dict) else str(type(part)) for part in parts}
    return (*labels, type(content), frozenset(item), frozenset(kinds))
