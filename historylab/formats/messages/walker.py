"""The walker: reads the parts of a message by a table of their kinds, whatever API or tool they come from.

A table says of each kind where its words are: text, thinking, a call, a result, a medium, a label, or that nothing is
said in it. A kind that knows more than paths can say has a function there. One that no table has is counted as
not read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Set
from typing import Any, TypeAlias

from historylab.conversation.message import Message, ToolCall
from historylab.formats.base import EMPTY_VALUES, Report, kind_of
from historylab.formats.messages.answers import AnswerParts, tool_call
from historylab.formats.messages.content_parts import MEDIA, json_text, medium_of
from historylab.formats.messages.paths import Paths, each_path, on_the_way, picked_at, value_at, values_at

ReadPart: TypeAlias = Callable[[dict[str, Any], AnswerParts, str, Report], None]
"""Adds a part at that location to its message, and reports what it doesn't read of it."""

Kinds: TypeAlias = Mapping[str, Mapping[str, Any] | ReadPart | None]
"""Kind of a part → where its words are, as a shape's `kinds`, or what reads it."""

Table: TypeAlias = Mapping[str, ReadPart]
"""Kind of a part → what reads it."""

OTHER = "*"
"""The kind in a table for a part of any other that has a `text`, such as a transcription."""

CALL = ("id", "name", "arguments")
"""The names in what a table says of a call."""

WORDS = ("text", "thinking", "label", "media")
"""The entry of a table for a kind in which something may be said."""

ENCRYPTED = frozenset(("encrypted_content", "encryptedContent", "encrypted"))
"""Fields of a part of which a provider alone knows what they say."""

FAILED: Mapping[str, tuple[Any, ...]] = {
    **dict.fromkeys(("is_error", "isError", "error"), (True,)),
    "status": ("error", "errored", "failed", "denied"),
}
"""Fields beside a result → their values that say that it failed."""

OWN_TEXT = ("text", "content")
"""Fields of an object that stands in a text's place, and whose text it is then."""

MIME = re.compile(r"(?:data:)?([a-z]+)/[\w.+*-]+(?:;|,|$)")


def walk_parts(parts: Iterable[Any], kind: str, table: Table, said: AnswerParts, where: str, report: Report) -> None:
    """Add parts to a message. Results stand together after the calls of their step; a step ends where words follow."""
    for part in parts:
        named = ""
        if isinstance(part, dict):
            named = given if type(given := part.get(kind)) is str else _kind_of_part(part, kind)
            if read := table.get(named) or (table.get(OTHER) if isinstance(part.get("text"), str) else None):
                read(part, said, where, report)
                continue
        elif isinstance(part, str):
            said.say(part)
            continue
        if named or part not in EMPTY_VALUES:
            report.lack(f"a part {f'of type {named[:40]!r}' if named else f'that is {kind_of(part)}'} not read", where)


def table_of(kinds: Kinds, labels: Set[str] = frozenset()) -> Table:
    """The table of these kinds. With `labels` every field of a part is named that is neither read nor one of those."""
    return {kind: at if callable(at) else _part_reader(kind, at or {}, labels) for kind, at in kinds.items()}


def said_in(parts: Iterable[Any], kind: str, table: Table) -> tuple[str, tuple[str, ...]] | None:
    """The text of parts, and the names of their media; None where they say anything else."""
    said, report = AnswerParts(), Report()
    walk_parts(parts, kind, table, said, "", report)
    whole = not (report.remarks or said.calls or said.results or said.thoughts)
    return ("\n".join(said.texts), tuple(said.media)) if whole else None


def are_silent(parts: Any, kind: str, kinds: Kinds) -> bool:
    """Tell whether these are parts of kinds in which no words stand, such as the result of a cancelled call."""
    named = [_kind_of_part(part, kind) for part in parts] if isinstance(parts, list) else []
    read = [kinds.get(each, {"text": ""}) or {} for each in named]
    return bool(read) and all(isinstance(holds, Mapping) and holds.keys().isdisjoint(WORDS) for holds in read)


def _fields_in(holds: Mapping[str, Any]) -> set[str]:
    """The fields of a part in which its words are."""
    paths = (path for at in holds.values() for path in (at.values() if isinstance(at, Mapping) else (at,)))
    return {path.partition(".")[0] for each in paths for path in each_path(each)}


def _kind_of_part(part: Any, kind: str) -> str:
    """The kind that a part names, also by a path or by its only key."""
    if not isinstance(part, dict):
        return ""
    named = value_at(part, kind) if kind else next((key for key in part if key != "type"), "")
    return named if isinstance(named, str) else "" if kind not in part else str(named)


def _part_reader(kind: str, holds: Mapping[str, Any], labels: Set[str]) -> ReadPart:
    """A function that adds a part of a kind that holds its words there, and names its fields where labels are known."""
    places, fields = [(READ[what], at) for what, at in holds.items()], _fields_in(holds)
    ends = not holds or "text" in holds or "thinking" in holds
    read = labels | fields if labels and "media" not in holds else frozenset[str]()
    usual = frozenset((read or {"type", *fields}) - ENCRYPTED)

    def read_part(part: dict[str, Any], said: AnswerParts, where: str, report: Report) -> None:
        if ends and said.results:
            said.end_step()
        for add, at in places:
            if not add(part, at, said, kind):
                report.lack(f"a part of type {kind[:40]!r} not read", where)
        if usual.issuperset(part):  # most parts
            return
        if read:
            report.leave(part, read, where)
        if not ENCRYPTED.isdisjoint(part) and any(map(part.get, ENCRYPTED)):
            report.warn("an encrypted part, which only the provider can read", where)

    return read_part


def _say(part: Any, at: Paths, said: AnswerParts, kind: str) -> bool:
    value = value_at(part, at)
    if type(value) is str:  # most parts
        said.say(value)
        return True
    if readable := _has_words(value):
        text, media = words_in(value)
        said.say(text)
        for medium in media:
            said.attach(medium)
    return readable


def _think(part: Any, at: Paths, said: AnswerParts, kind: str) -> bool:
    value = value_at(part, at)
    if readable := _has_words(value):
        said.think(words_in(value)[0])
    return readable


def _label(part: Any, at: Paths, said: AnswerParts, kind: str) -> bool:
    if label := value_at(part, at):
        said.say(f"[{words_in(label)[0]}]")
    return True


def _attach(part: Any, at: Paths, said: AnswerParts, kind: str) -> bool:
    said.attach(_name_medium(kind, value_at(part, at)))
    return True


def _call(part: Any, at: Mapping[str, Any], said: AnswerParts, kind: str) -> bool:
    said.call(call_at(part, at))
    return True


def _add_result(part: Any, at: Mapping[str, Any], said: AnswerParts, kind: str) -> bool:
    if result := result_at(part, at):
        said.add_result(result)
    return True


READ: Mapping[str, Callable[[Any, Any, AnswerParts, str], bool]] = {
    "text": _say,
    "thinking": _think,
    "label": _label,
    "media": _attach,
    "call": _call,
    "result": _add_result,
}
"""The entry of a kind → what adds that of a part, and tells whether it could be read."""


def _has_words(value: Any) -> bool:
    """Tell whether a value can be read as text: no number or flag, and no object without a text of its own."""
    if not isinstance(value, dict):
        return value is None or isinstance(value, str | list | tuple)
    kind = value.get("type")
    return any(isinstance(value.get(name), str) for name in OWN_TEXT) or (isinstance(kind, str) and kind in MEDIA)


def call_at(item: Any, at: Mapping[str, Any]) -> ToolCall:
    """The call that an item holds at these paths."""
    id, name, arguments = (at.get(field, "") for field in CALL)
    return tool_call(text_at(item, id), text_at(item, name), value_at(item, arguments))


def result_at(item: Any, at: Mapping[str, Any]) -> Message | None:
    """The result that an item holds at these paths; None if there is none yet."""
    value, path = picked_at(item, at.get("text", ""))
    if value is None:
        return None
    several = values_at(item, path) if "." in path or type(item) is not dict else ()
    text, media = words_in(several if len(several) > 1 else value)
    failed = path.rpartition(".")[2] in ("error", "Err") or says_failed(item, path)
    call = text_at(item, at.get("id", ""))
    return Message("tool", text, tool_call_id=call or None, media=media, metadata={"is_error": True} if failed else {})


def says_failed(item: Any, path: str) -> bool:
    """Tell whether a field beside a result at this path, or beside what holds it, says that it failed."""
    beside = (holder for holder in on_the_way(item, path) if not FAILED.keys().isdisjoint(holder))
    return any(holder.get(name) in values for holder in beside for name, values in FAILED.items())


def text_at(item: Any, at: Any) -> str:
    """The text or number at these paths; "" if there is none."""
    value = value_at(item, at)
    if type(value) is str:  # most of them
        return value
    return "" if value is None or isinstance(value, list | dict | bool) else str(value)


def words_in(value: Any) -> tuple[str, tuple[str, ...]]:
    """The text in a value, and the names of its media: a text, a list of texts or parts, or JSON of anything else."""
    if isinstance(value, str):
        return value, ()
    if isinstance(value, dict):
        kind = value.get("type")
        if isinstance(kind, str) and kind in MEDIA:
            return "", (MEDIA[kind],)
        inner = next((value[name] for name in OWN_TEXT if isinstance(value.get(name), str)), None)
        alone = inner is not None and (len(value) == 1 or isinstance(kind, str))
        return (inner, ()) if alone and inner is not None else (json_text(value), ())
    if isinstance(value, list | tuple) and all(isinstance(each, str | dict) for each in value):
        found = [words_in(each) for each in value if _is_for_model(each)]
        return "\n".join(text for text, _ in found if text), tuple(name for _, media in found for name in media)
    return json_text(value), ()


def _is_for_model(part: Any) -> bool:
    """Tell whether the model is shown a part of a tool's result, by the readers that the tool names."""
    audience = value_at(part, "annotations.audience")
    return not isinstance(audience, list) or not audience or "assistant" in audience


def prompt_beside(around: tuple[Any, ...]) -> str:
    """The system prompt that stands beside a list of messages."""
    given = (each.get(name) for each in around if isinstance(each, dict) for name in ("system_prompt", "systemPrompt"))
    said = (each.get("content") if isinstance(each, dict) else each for each in given)
    return next((text for each in said if isinstance(each, str | list) and (text := words_in(each)[0])), "")


def _name_medium(kind: str, value: Any) -> str:
    if value in ("image", "audio"):
        return str(value)
    found = MIME.match(value) if isinstance(value, str) else None
    if found:
        return medium_of(f"{found[1]}/")
    return MEDIA.get(kind) or next((name for name in ("image", "audio") if name in kind.casefold()), "file")
