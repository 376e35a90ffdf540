"""A list of messages inside a log, read by the format that recognises it."""

from __future__ import annotations

from typing import Any

from historylab.conversation.message import Message
from historylab.formats.base import NOTHING, Report, kind_of
from historylab.formats.detect import strength
from historylab.formats.files.content import ValuesContent
from historylab.formats.traces.parts import has_parts, read_parts_messages
from historylab.registry import members

ROOMS = ("historylab.formats.apis.", "historylab.formats.frameworks.")
"""Where the formats of messages are, beside which a trace holds nothing else."""


def messages_in(value: list[Any], report: Report, where: str) -> list[Message]:
    """A list of messages, read by the format that recognises it; what none recognises is skipped on the report."""
    value = [item for item in value if item not in NOTHING]
    if not value:
        return []
    if has_parts(value):
        return read_parts_messages(value, report, where)
    one_of_each = ValuesContent([(where, list({_shape(item): item for item in value}.values()))])
    asked = {name: member for name, member in members("format").items() if member.target.__module__.startswith(ROOMS)}
    sure = {name: strength(member, one_of_each) for name, member in asked.items()}
    best = max(sure, key=sure.__getitem__, default="")
    if not best or not sure[best]:
        report.skip(f"{kind_of(value)} of no messages known here", where)
        return []
    return [message for found in asked[best].target(ValuesContent([(where, value)]), report) for message in found]


def _shape(item: Any) -> object:
    """Equal for messages that every format finds alike: a history is recognised by one of each."""
    if not isinstance(item, dict):
        return type(item)
    content = item.get("content", item.get("parts"))
    parts = content if isinstance(content, list) else ()
    labels = tuple(str(item.get(name)) for name in ("role", "type", "lc", "kind"))
    kinds = {str(part.get("type", list(part))) if isinstance(part, dict) else str(type(part)) for part in parts}
    return (*labels, type(content), frozenset(item), frozenset(kinds))
