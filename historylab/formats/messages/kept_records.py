"""Records beside messages: one that says more than its message is that message's `source`, and can be written again.

That is so where a message has media, whose data is in its record alone, and where the report remarks on the record.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from historylab.conversation.message import Message, revise
from historylab.formats.base import NOTHING, Report

P = ParamSpec("P")
Made = TypeVar("Made", "list[Message]", "Message | None")


def keep_records(
    read: Callable[Concatenate[Any, str, Report, P], Made],
) -> Callable[Concatenate[Any, str, Report, P], Made]:
    """The reader of a record, at that location, whose messages have it where it says more."""

    @wraps(read)
    def reader(record: Any, where: str, report: Report, /, *more: P.args, **named: P.kwargs) -> Made:
        before = report.warned
        made: Any = read(record, where, report, *more, **named)
        if isinstance(made, list):
            made = with_record(made, record, report.warned > before)
        elif made and (made.media or report.warned > before):
            (made,) = with_record([made], record, remarked=True)
        kept: Made = made
        return kept

    return reader


def with_record(made: list[Message], record: Any, remarked: bool) -> list[Message]:
    """The messages made of a record, the first of them with it where it says more and none has it yet."""
    if not (made and (remarked or any([m.media for m in made]))) or any([m.source is not None for m in made]):
        return made
    return [revise(made[0], source=record), *made[1:]]


def with_fields(made: list[Message], left: Mapping[str, Any]) -> list[Message]:
    """The messages made of a record, the first with the fields of it that aren't read."""
    if not (left and made):
        return made
    kept = made[0].source or {}
    return [revise(made[0], source={**left, **kept} if isinstance(kept, Mapping) else [left, *kept]), *made[1:]]


def joined_source(*made: Message) -> Any:
    """The source of a message that these were joined to: the only one of theirs, or all as a list."""
    held = [message.source for message in made if message.source is not None]
    if len(held) < 2:
        return held[0] if held else None
    return [record for source in held for record in (source if isinstance(source, list) else [source])]


def parts_beside(message: Message, field: str) -> list[Any]:
    """The parts under that field of the record beside a message with media; none where it has no such record."""
    held = message.source.get(field) if message.media and isinstance(message.source, Mapping) else None
    return held if isinstance(held, list) else []


def keep_others(record: Mapping[str, Any], read: Container[str], where: str, report: Report) -> None:
    """Count as kept every field of a record that says something and is none of those read."""
    for name, value in record.items():
        if name not in read and value not in NOTHING:
            report.keep(name, where)
