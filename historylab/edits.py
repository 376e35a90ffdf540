"""Edits: a conversation tried out otherwise. An edit is a value; applied to a conversation it gives another one.

Whoever tries keeps the original and the list of edits, so taking the last one back is applying one fewer. Every message
keeps its key through all of them, by which whatever points at messages (stars, gold evidence) finds them again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message, ToolCall, Usage
from historylab.conversation.usage import usage_of
from historylab.formats.chat_messages import MEDIA, to_record

ONCE_TRUE = frozenset({"usage", "refusal", "unread_parts"})
"""Metadata that tells of the text a message had."""


@dataclass(frozen=True, slots=True)
class Replace:
    """Message `at` (an index) becomes `message`; see `reworded`."""

    at: int
    message: Message


@dataclass(frozen=True, slots=True)
class Insert:
    """`message` comes to stand at `at`, before the message that stood there; see `said_at`."""

    at: int
    message: Message


@dataclass(frozen=True, slots=True)
class Delete:
    """Message `at` is gone. A result whose call goes, and a call whose result goes, then count as invalid."""

    at: int


Edit = Replace | Insert | Delete


@dataclass(frozen=True, eq=False)
class Edited:
    """A conversation after some edits. `keys`: per message its index in the original, or below 0 for a new one."""

    original: Conversation
    edits: tuple[Edit, ...]
    conversation: Conversation
    keys: tuple[int, ...]

    @cached_property
    def tally(self) -> Mapping[str, int]:
        """How many messages were edited, inserted, deleted, pinned and unpinned in the end; only what is not 0."""
        pairs = [(self.original[key], m) for key, m in zip(self.keys, self.conversation, strict=True) if key >= 0]
        counts = {
            "edited": sum(_says_else(old, new) for old, new in pairs),
            "inserted": len(self.keys) - len(pairs),
            "deleted": len(self.original) - len(pairs),
            "pinned": sum(new.pinned > old.pinned for old, new in pairs),
            "unpinned": sum(new.pinned < old.pinned for old, new in pairs),
        }
        return {word: count for word, count in counts.items() if count}

    def follow(self, indices: Iterable[int], to: Edited) -> list[int]:
        """Where those messages stand after other edits of the same original; without those that are no longer there."""
        place = {key: i for i, key in enumerate(to.keys)}
        found = (place.get(self.keys[i]) for i in indices)
        return [i for i in found if i is not None]


def apply_edits(original: Conversation, edits: Sequence[Edit]) -> Edited:
    """The conversation these edits make of it, in order. Raises IndexError for an edit of no message.

    Edits that come to nothing give the original itself. Indices in `metadata["stars"]` and `metadata["evidence"]` go
    along with their messages.
    """
    messages, keys = list(original), list(range(len(original)))
    for number, edit in enumerate(edits):
        if not 0 <= edit.at < len(messages) + isinstance(edit, Insert):
            raise IndexError(f"edit {number + 1} is of message {edit.at}; there are {len(messages):,}, counted from 0")
        match edit:
            case Replace(at, message):
                messages[at] = message
            case Insert(at, message):
                messages.insert(at, message)
                keys.insert(at, -1 - number)
            case Delete(at):
                del messages[at], keys[at]
    return Edited(original, tuple(edits), _made(original, messages, keys), tuple(keys))


def edit_message(
    message: Message, *, content: str | None = None, role: str = "", arguments: Sequence[str] | None = None
) -> Message:
    """The message with another text, role or arguments of its calls, and without what was true of the old ones only.

    Its `source` isn't handed on, because that still says the old; images and the like, which only a source holds, are.
    """
    calls = message.tool_calls
    if arguments is not None:
        calls = tuple(replace(call, arguments=text) for call, text in zip(calls, arguments, strict=True))
    content = message.content if content is None else content
    new = replace(message, content=content, role=role or message.role, tool_calls=calls)
    if not _says_else(message, new):
        return message
    stale = ONCE_TRUE if new.role == message.role else ONCE_TRUE | {"role"}
    new = replace(new, metadata={name: value for name, value in message.metadata.items() if name not in stale})
    return replace(new, source=_source(new, message.source))


def new_message_at(conversation: Conversation, at: int, role: str, content: str, *, answers: str = "") -> Message:
    """A new message to stand at `at`, said when the one before it was; of a result, `answers` is its call's id."""
    beside = conversation.messages[max(0, at - 1) : at + 1][:1]
    return Message(role, content, tool_call_id=answers or None, timestamp=beside[0].timestamp if beside else None)


def unanswered_calls(conversation: Conversation) -> list[tuple[int, ToolCall]]:
    """Calls without a result, each with the index of the message that makes it, in order."""
    waiting: dict[str, list[tuple[int, ToolCall]]] = {}
    for i, message in enumerate(conversation):
        for call in message.tool_calls:
            waiting.setdefault(call.id, []).append((i, call))
        if message.role == "tool" and waiting.get(message.tool_call_id or ""):
            waiting[message.tool_call_id or ""].pop()  # as in columns: a result is for the latest call of its id
    return sorted((found for calls in waiting.values() for found in calls), key=lambda found: found[0])


# -- what goes along


def _made(original: Conversation, messages: list[Message], keys: list[int]) -> Conversation:
    if keys == list(range(len(original))) and not any(map(_differs, original, messages)):
        return original
    first = _first_said_else(original, messages, keys)
    messages[first:] = map(_asked_something_else, messages[first:])
    title = f"{original.title} (edited)".lstrip()
    return Conversation(messages, title, _metadata(original, messages, keys))


def _first_said_else(original: Conversation, messages: list[Message], keys: list[int]) -> int:
    """The first message from which on this is not the original: what was sent with it before was something else."""
    same = zip(messages, keys, strict=True)
    return next((i for i, (m, key) in enumerate(same) if i != key or _says_else(original[i], m)), len(messages))


def _asked_something_else(message: Message) -> Message:
    """Without the input tokens a provider counted, for a request that is no longer this one; its answer's stay."""
    usage = usage_of(message)
    if usage is None or usage == Usage(output=usage.output):
        return message
    return replace(message, metadata={**message.metadata, "usage": Usage(output=usage.output)})


def _says_else(old: Message, new: Message) -> bool:
    return (old.role, old.content, old.tool_calls) != (new.role, new.content, new.tool_calls)


def _differs(old: Message, new: Message) -> bool:
    return old is not new and (old.pinned != new.pinned or _says_else(old, new))


def _source(message: Message, given: Any) -> dict[str, Any] | None:
    content = given.get("content") if isinstance(given, Mapping) else None
    if not message.media or not isinstance(content, list | tuple):
        return None
    media = [part for part in content if isinstance(part, Mapping) and part.get("type") in MEDIA]
    text = [{"type": "text", "text": message.content}] if message.content else []
    return {**to_record(message), "content": [*text, *media]}


def _metadata(original: Conversation, messages: list[Message], keys: list[int]) -> dict[str, Any]:
    place: dict[object, object] = {m.id: m.id for m in messages if m.id is not None}
    place |= {key: i for i, key in enumerate(keys) if key >= 0}
    metadata = dict(original.metadata)
    if isinstance(stars := metadata.get("stars"), list | tuple):
        metadata["stars"] = _marks(stars, place)
    if isinstance(evidence := metadata.get("evidence"), list | tuple):
        metadata["evidence"] = [moved for entry in evidence if (moved := _evidence(entry, place)) is not None]
    return metadata


def _marks(given: Iterable[Any], place: Mapping[object, object]) -> list[object]:
    """Indices and ids of messages, as they are now; without those of messages that are gone."""
    return [place[mark] for mark in given if type(mark) in (int, str) and mark in place]


def _evidence(entry: Any, place: Mapping[object, object]) -> Any:
    """A question with its gold messages; None where the question, or all that answers it, is gone."""
    if not isinstance(entry, Mapping) or not isinstance(entry.get("messages"), list | tuple):
        return entry
    answers = _marks(entry["messages"], place)
    if entry.get("at") is None:
        return {**entry, "messages": answers} if answers else None
    asked = _marks([entry["at"]], place)
    return {**entry, "at": asked[0], "messages": answers} if asked and answers else None
