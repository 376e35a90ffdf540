"""HistoryLab's own JSON: every field of a conversation, so that reading what was written gives an equal one.

    {"historylab": 1, "conversations": [{"title": "…", "metadata": {}, "messages": [{"role": "user", …}]}]}

A field at its default is left out. `source` is the record that a message was read from, where that says more: the data
of images, fields that nobody reads. Several documents may follow each other as JSON lines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, fields, is_dataclass, replace
from typing import Any, TypeVar

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message, ToolCall
from historylab.errors import LoadError
from historylab.formats.base import KINDS, NOTHING, Losses, Report, kind_of
from historylab.formats.files.content import Content
from historylab.formats.messages.chat_messages import to_record
from historylab.formats.messages.fields import list_in, object_in, text_in
from historylab.formats.messages.record_groups import located_items, value_recogniser
from historylab.registry import register

T = TypeVar("T")
VERSION = 1
DEFAULTS = {f.name: getattr(Message("user"), f.name) for f in fields(Message)}
TEXTS = ("content", "id", "name", "tool_call_id", "timestamp")
PARTS_OF_CALL = ("id", "name", "arguments")
IN_BRANCH = ", in a branch"
READ_OF_CONVERSATION = {"title", "metadata", "messages", "branches"}


def _is_document(value: Any) -> bool:
    known = isinstance(value, dict) and type(value.get("historylab")) is int
    return known and isinstance(value.get("conversations"), list)


def to_own(conversation: Conversation, losses: Losses) -> dict[str, Any]:
    """A document with one conversation. Only the callers' own objects are left out, which no file can hold."""
    losses.lose("objects of the caller's program", sum(map(_foreign_in, conversation)))
    return {"historylab": VERSION, "conversations": [_conversation(conversation)]}


@register(
    "format",
    title="HistoryLab JSON",
    recognise=value_recogniser(_is_document),
    marks="historylab conversations",
    write=to_own,
)
def historylab(content: Content, report: Report) -> Iterator[Conversation]:
    """HistoryLab's own JSON, which keeps every message whole."""
    for where, value in located_items(content.values):
        if not _is_document(value):
            report.skip(f"{kind_of(value)} that is no document of HistoryLab", where)
            continue
        if value["historylab"] != VERSION:
            report.warn(f"version {str(value['historylab'])[:20]} of this format, read as version {VERSION}", where)
        report.leave(value, {"historylab", "conversations"}, where)
        for i, given in enumerate(value["conversations"]):
            at = f"{where} conversations[{i}]".strip()
            if isinstance(given, dict):
                yield _read_conversation(given, at, report)
            else:
                report.skip(f"{kind_of(given)}, not a conversation", at)


def _conversation(conversation: Conversation) -> dict[str, Any]:
    written: dict[str, Any] = {"title": conversation.title, "metadata": to_plain(conversation.metadata)}
    written["messages"] = [_message(message) for message in conversation]
    if conversation.branches:
        written["branches"] = [_conversation(branch) for branch in conversation.branches]
    return written


def _message(message: Message) -> dict[str, Any]:
    held = replace(message, source=record_beside(message))
    values = ((name, getattr(held, name)) for name in DEFAULTS)
    return {name: to_plain(value) for name, value in values if name == "role" or value != DEFAULTS[name]}


def to_plain(value: Any) -> Any:
    """The value as JSON can hold it: tuples as lists, dataclasses as objects, anything else as text."""
    if isinstance(value, str | int | float | bool | None):
        return value
    if isinstance(value, Mapping):
        return {str(key): to_plain(held) for key, held in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [to_plain(held) for held in value]
    return to_plain(asdict(value)) if is_dataclass(value) and not isinstance(value, type) else str(value)


def record_beside(message: Message) -> Mapping[str, Any] | list[Any] | None:
    """The record that a message was read from, if that says more than the message."""
    source = message.source
    if isinstance(source, list) and source:
        return source
    if not isinstance(source, Mapping):
        return None
    said = {**message.metadata, "id": message.id, "timestamp": message.timestamp, **to_record(message)}
    return source if any(value not in NOTHING and value != said.get(name) for name, value in source.items()) else None


def _foreign_in(message: Message) -> int:
    record = record_beside(message)
    whole = record is not None or isinstance(message.source, Mapping | list | None)
    return _foreign(message.metadata) + (_foreign(record) if whole else 1)


def _foreign(value: Any) -> int:
    """The number of values in it that no JSON can hold."""
    if isinstance(value, Mapping):
        return sum(map(_foreign, value.values()))
    if isinstance(value, list | tuple | set | frozenset):
        return sum(map(_foreign, value))
    return not (isinstance(value, str | int | float | bool | None) or is_dataclass(value))


def _read_conversation(given: dict[str, Any], where: str, report: Report) -> Conversation:
    report.leave(given, READ_OF_CONVERSATION, where)
    for name in ("messages", "branches"):
        if not isinstance(held := given.get(name), list | None):
            report.warn(f"{name} that are {kind_of(held)}, not a list", where)
    read = []
    for i, one in enumerate(list_in(given, "messages")):
        try:
            read.append(_read_message(one))
            report.records += 1
        except LoadError as problem:
            report.skip(str(problem), f"{where} messages[{i}]")
    own, others = Report(), []  # messages that branches share with the conversation are not counted again
    for i, branch in enumerate(list_in(given, "branches")):
        if isinstance(branch, dict):
            others.append(_read_conversation(branch, f"{where} branches[{i}]", own))
        else:
            report.warn(f"a branch that is {kind_of(branch)}, not a conversation", f"{where} branches[{i}]")
    for reason, tally in (*own.skipped.items(), *own.warnings.items()):
        report.warn(reason if reason.endswith(IN_BRANCH) else reason + IN_BRANCH, tally.first)
    offered = [branch for branch in others if len(branch)]
    return Conversation(read, text_in(given, "title") or "", object_in(given, "metadata"), offered)


def _read_message(given: Any) -> Message:
    """The message. Raises LoadError naming the first field that is of another kind than it is written in."""
    if not isinstance(given, dict):
        raise LoadError(f"{kind_of(given)}, not a message")
    if unknown := given.keys() - DEFAULTS.keys():
        raise LoadError(f"a field {min(map(str, unknown))[:40]!r}, which no message has")
    if not isinstance(given.get("role"), str):
        raise LoadError("no role")
    read = {name: _READERS[name](value, name) for name, value in given.items()}
    return Message(**read)


def _as(kind: type[T]) -> Callable[[Any, str], T]:
    """Reads a value that has to be of that kind."""

    def read(value: Any, name: str) -> T:
        if type(value) is not kind:
            raise LoadError(f"{name} is {kind_of(value)}, not {KINDS[kind]}")
        return value

    return read


def _each(read: Callable[[Any, str], T]) -> Callable[[Any, str], tuple[T, ...]]:
    """Reads a list of such values."""
    return lambda value, name: tuple(read(item, name) for item in _as(list)(value, name))


def _call(value: Any, name: str) -> ToolCall:
    given = _as(dict)(value, name)
    if unknown := given.keys() - set(PARTS_OF_CALL):
        raise LoadError(f"a field {min(unknown)[:40]!r}, which no call has")
    return ToolCall(*(_as(str)(given.get(part, ""), f"{part} of a call") for part in PARTS_OF_CALL))


_READERS: Mapping[str, Callable[[Any, str], Any]] = {
    **dict.fromkeys(("role", *TEXTS), _as(str)),
    "tool_calls": _each(_call),
    "media": _each(_as(str)),
    "pinned": _as(bool),
    "metadata": _as(dict),
    "source": lambda value, name: value,
    "replaces": _each(_as(int)),
}
