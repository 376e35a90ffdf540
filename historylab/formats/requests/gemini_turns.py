"""The messages of a plan as Google's API takes them: a user's turn first and last, results in a content of their own.

Next to a result the API takes nothing: neither words nor media (https://github.com/vellum-ai/vellum-assistant/pull/39495,
observed), so that what a user says in the same turn is a content after it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from historylab.conversation.message import Message
from historylab.formats.base import Losses
from historylab.formats.messages.excerpt import Excerpt
from historylab.formats.messages.gemini_contents import PLAIN, RESULTS, is_result_part, part_runs, to_parts
from historylab.formats.messages.summary_marks import mark_summary
from historylab.formats.requests.form import LEFT_OUT, Now, in_runs, is_whole, parts_of, plain_copy
from historylab.formats.requests.gemini_items import Part, contents_as_sent, medium_in_part, stands_apart, turn_in


@dataclass(slots=True)
class _Turn:
    """A content to send, made of parts; without any, the caller's own `items`, the first of them number `place`.

    `said` are the plan's messages in it; it `differs` where other words are sent than theirs.
    """

    role: str
    parts: list[Part]
    items: Sequence[Any] = ()
    place: int | None = None
    said: list[Message] = field(default_factory=list)
    differs: bool = False

    @property
    def contents(self) -> list[Any]:
        """The caller's own objects, or a new one."""
        return [{"role": self.role, "parts": self.parts}] if self.parts else list(self.items)

    @property
    def own_parts(self) -> list[Part]:
        return self.parts or plain_copy(turn_in(self.items)[1])


def turns_to_contents(messages: Sequence[Message], now: Now) -> list[Any]:
    """Messages as contents; those that are sent otherwise than planned are noted."""
    contents = []
    for turn in _in_order(messages, now):
        contents += turn.contents
        if turn.differs:
            now.otherwise(turn.said, [m for content in turn.contents for m in contents_as_sent(content)])
    return contents


def _in_order(messages: Sequence[Message], now: Now) -> list[_Turn]:
    """Messages as turns, the user's first and last.

    What the caller gave in a row stays as it was given. Where the plan brought two of a role together they are joined,
    unless results are among them; where it leaves an answer first or last, words of the user say so.
    """
    found: list[_Turn] = []
    first, last = (now.items[0], now.items[-1]) if now.items else (None, None)
    for turn in _turns(messages, now):
        before = found[-1] if found else None
        if before is None:
            found += [_gap()] if turn.role == "model" and not _holds(turn, first) else []
        elif before.role == turn.role and not (_were_together(before, turn) or _gives_results(before, turn)):
            parts, said = [*before.own_parts, *turn.own_parts], [*before.said, *turn.said]
            found[-1] = _Turn(turn.role, parts, turn.items, turn.place, said, differs=True)
            continue
        found.append(turn)
    if found and found[-1].role == "model" and not _holds(found[-1], last):
        found.append(_gap())
    return found


def _gap() -> _Turn:
    return _Turn("user", [{"text": LEFT_OUT}], differs=True)


def _holds(turn: _Turn, item: Any) -> bool:
    return any(own is item for own in turn.items)


def _were_together(before: _Turn, turn: _Turn) -> bool:
    if before.parts or turn.parts or before.place is None:
        return False
    return turn.place == before.place + len(before.items)


def _gives_results(*turns: _Turn) -> bool:
    return any(turn.role == "user" and any(map(is_result_part, turn.own_parts)) for turn in turns)


def _turns(messages: Sequence[Message], now: Now) -> Iterator[_Turn]:
    names = {call.id: call.name for message in messages for call in message.tool_calls}
    for run in in_runs(messages):
        source = run[0].source
        if not (isinstance(source, Excerpt) and source.origin):
            parts = _new_parts(run[0], names)
            if parts:
                role = "model" if run[0].role == "assistant" else "user"
                yield _Turn(role, parts, said=run, differs=run[0].role == "system")
            continue
        items, place = [now.item(item) for item in source.origin], now.place(source.origin[0])
        role = "model" if turn_in(items)[0] == "model" else "user"
        if is_whole(run):
            yield _Turn(role, [], items, place, run, any(map(_differs, run)))
            continue
        apart = groupby(run, lambda message: message.role == "tool") if role == "user" else [(False, run)]
        for said in [list(several) for _, several in apart]:
            if parts := _kept_parts(said, items):
                yield _Turn(role, parts, items, place, said, any(map(_differs, said)))


def _differs(message: Message) -> bool:
    """Tell whether it is sent in other words: a summary with its mark, a server's own result whole."""
    return message.role == "system" or (message.source.changed and "server_tool" in message.metadata)


def _kept_parts(messages: Sequence[Message], items: Sequence[Any]) -> list[Part]:
    """The parts of contents that these messages are."""
    role, given = turn_in(items)
    kept = {message.source.place: message for message in messages}
    parts: list[Part] = []
    for place, run in enumerate(part_runs(role, given)):
        message = kept.get(place)
        if message is not None:
            parts += _changed_parts(message, run) if message.source.changed else plain_copy(run)
    return parts


def _changed_parts(message: Message, run: list[Part]) -> list[Part]:
    """The parts of a run with another text. A server's own result has no place for one: it stays."""
    if run and is_result_part(run[0]):
        return [_changed_result(message, run[0])]
    apart = [plain_copy(part) for part in run if stands_apart(part)]
    thoughts = [part for part in apart if part.get("thought") is True]
    return [*thoughts, *_to_parts(message.source["content"]), *(part for part in apart if part not in thoughts)]


def _changed_result(message: Message, part: Part) -> Part:
    name = next((name for name in RESULTS if part.get(name)), None)
    if name is None:
        whole: Part = plain_copy(part)
        return whole
    held = part[name]
    response, said = held.get("response"), _to_parts(message.source["content"])
    only = next(iter(response)) if isinstance(response, Mapping) and len(response) == 1 else ""
    field = only if only in PLAIN and isinstance(response[only], str) else "output"
    text = "\n".join(p["text"] for p in said if "text" in p)
    media = [p for p in said if "text" not in p]
    rest = {k: plain_copy(v) for k, v in held.items() if k not in ("response", "parts")}
    others = {k: plain_copy(v) for k, v in part.items() if k != name}
    return {**others, name: {**rest, "response": {field: text}, **({"parts": media} if media else {})}}


def _new_parts(message: Message, names: Mapping[str, str]) -> list[Part]:
    """The parts of a message that is none of the caller's."""
    if message.role == "system":
        return [{"text": mark_summary(message.content)}]
    if message.role == "tool":
        return to_parts(message, names, Losses())
    calls = [part for part in to_parts(message, names, Losses()) if "text" not in part]
    return [*_to_parts(parts_of(message)), *calls]


def _to_parts(content: Any) -> list[Part]:
    """A text or parts as this API has them, without texts of nothing, which it refuses."""
    parts = [{"text": content}] if isinstance(content, str) else [_to_part(part) for part in content]
    return [part for part in parts if part.get("text", "x").strip()]


def _to_part(part: Any) -> Part:
    copied: Part = plain_copy({"text": part} if isinstance(part, str) else part)
    if medium_in_part(copied) or copied.get("type") == "text":
        copied.pop("type", None)
    return copied
