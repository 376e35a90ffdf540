"""Edits to a conversation as values: replace, insert or delete a message. The original never changes.

The caller keeps the original and the list of edits, so undo means applying one edit fewer. Every message keeps its
key through all edits, so that references to messages (must-remember marks, gold evidence) follow them. An edited
message loses only what was true of its old text: its `source`, a provider's usage.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.conversation.message import Message, ToolCall, Usage
from historylab.conversation.recorded import SUB_AGENTS
from historylab.conversation.sent import SENT_HISTORIES
from historylab.conversation.usage import usage_of
from historylab.formats.messages.chat_messages import to_record
from historylab.formats.messages.content_parts import MEDIA

DESCRIBES_TEXT = frozenset({"usage", "refusal", "unread_parts"})
"""Metadata that describes the text of a message, and is invalid once the text changes."""


@dataclass(frozen=True, slots=True)
class Replace:
    """Message `at` (an index) becomes `message`; see `edit_message`."""

    at: int
    message: Message


@dataclass(frozen=True, slots=True)
class Insert:
    """`message` is inserted at index `at`; see `new_message_at`."""

    at: int
    message: Message


@dataclass(frozen=True, slots=True)
class Delete:
    """Message `at` is deleted. A result without its call, and a call without its result, then count as invalid."""

    at: int


Edit = Replace | Insert | Delete


@dataclass(frozen=True, eq=False)
class Edited:
    """A conversation after some edits. `keys`: per message its index in the original, negative if it was inserted."""

    original: Conversation
    edits: tuple[Edit, ...]
    conversation: Conversation
    keys: tuple[int, ...]

    @cached_property
    def tally(self) -> Mapping[str, int]:
        """Kind of edit ("edited", "inserted", "deleted", "pinned", "unpinned") → messages in the end, without zeros."""
        pairs = [(self.original[key], m) for key, m in zip(self.keys, self.conversation, strict=True) if key >= 0]
        counts = {
            "edited": sum(_is_reworded(old, new) for old, new in pairs),
            "inserted": len(self.keys) - len(pairs),
            "deleted": len(self.original) - len(pairs),
            "pinned": sum(new.pinned > old.pinned for old, new in pairs),
            "unpinned": sum(new.pinned < old.pinned for old, new in pairs),
        }
        return {word: count for word, count in counts.items() if count}

    def follow(self, indices: Iterable[int], to: Edited) -> list[int]:
        """The indices of those messages after other edits of the same original; deleted ones are left out."""
        place = {key: i for i, key in enumerate(to.keys)}
        found = (place.get(self.keys[i]) for i in indices)
        return [i for i in found if i is not None]


def apply_edits(original: Conversation, edits: Sequence[Edit]) -> Edited:
    """Apply the edits in order. Raises IndexError for an index outside the conversation.

    Edits without effect return the original itself. Indices in `metadata["stars"]` and `metadata["evidence"]` follow
    their messages.
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
    return Edited(original, tuple(edits), _edited_conversation(original, messages, keys), tuple(keys))


def edit_message(
    message: Message, *, content: str | None = None, role: str = "", arguments: Sequence[str] | None = None
) -> Message:
    """The message with another text, role or call arguments, without metadata that describes the old ones.

    Its `source` is dropped, because it holds the old text, except for media, which only the source holds.
    """
    calls = message.tool_calls
    if arguments is not None:
        calls = tuple(replace(call, arguments=text) for call, text in zip(calls, arguments, strict=True))
    content = message.content if content is None else content
    new = replace(message, content=content, role=role or message.role, tool_calls=calls)
    if not _is_reworded(message, new):
        return message
    stale = DESCRIBES_TEXT if new.role == message.role else DESCRIBES_TEXT | {"role"}
    new = replace(new, metadata={name: value for name, value in message.metadata.items() if name not in stale})
    return replace(new, source=_source(new, message.source))


def new_message_at(conversation: Conversation, at: int, role: str, content: str, *, answers: str = "") -> Message:
    """A new message to insert at `at`, with the timestamp of the one before it; `answers`: the call id of a result."""
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


# -- metadata that follows the messages


def _edited_conversation(original: Conversation, messages: list[Message], keys: list[int]) -> Conversation:
    if keys == list(range(len(original))) and not any(map(_differs, original, messages)):
        return original
    first = _first_difference(original, messages, keys)
    messages[first:] = map(_without_reported_input, messages[first:])
    title = f"{original.title} (edited)".lstrip()
    return Conversation(messages, title, _moved_metadata(original, messages, keys))


def _first_difference(original: Conversation, messages: list[Message], keys: list[int]) -> int:
    """The first index at which the messages differ from the original."""
    same = zip(messages, keys, strict=True)
    return next((i for i, (m, key) in enumerate(same) if i != key or _is_reworded(original[i], m)), len(messages))


def _without_reported_input(message: Message) -> Message:
    """The message without reported input tokens, which belong to another request now; output tokens stay."""
    usage = usage_of(message)
    if usage is None or usage == Usage(output=usage.output):
        return message
    return replace(message, metadata={**message.metadata, "usage": Usage(output=usage.output)})


def _is_reworded(old: Message, new: Message) -> bool:
    return (old.role, old.content, old.tool_calls) != (new.role, new.content, new.tool_calls)


def _differs(old: Message, new: Message) -> bool:
    return old is not new and (old.pinned != new.pinned or _is_reworded(old, new))


def _source(message: Message, given: Any) -> dict[str, Any] | None:
    content = given.get("content") if isinstance(given, Mapping) else None
    if not message.media or not isinstance(content, list | tuple):
        return None
    media = [part for part in content if isinstance(part, Mapping) and part.get("type") in MEDIA]
    text = [{"type": "text", "text": message.content}] if message.content else []
    return {**to_record(message), "content": [*text, *media]}


def _moved_metadata(original: Conversation, messages: list[Message], keys: list[int]) -> dict[str, Any]:
    place: dict[object, object] = {m.id: m.id for m in messages if m.id is not None}
    place |= {key: i for i, key in enumerate(keys) if key >= 0}
    metadata = dict(original.metadata)
    if keys != list(range(len(original))) or any(map(_is_reworded, original, messages)):
        metadata.pop(SENT_HISTORIES, None)  # nobody sent what was changed
    if called := original.recorded.children:
        metadata[SUB_AGENTS] = [[name, place[i]] for name, i in called if i in place]
    if isinstance(stars := metadata.get("stars"), list | tuple):
        metadata["stars"] = _moved_marks(stars, place)
    if isinstance(evidence := metadata.get("evidence"), list | tuple):
        metadata["evidence"] = [moved for entry in evidence if (moved := _moved_evidence(entry, place)) is not None]
    return metadata


def _moved_marks(given: Iterable[Any], place: Mapping[object, object]) -> list[object]:
    """Indices and ids of messages after the edits; those of deleted messages are left out."""
    return [place[mark] for mark in given if type(mark) in (int, str) and mark in place]


def _moved_evidence(entry: Any, place: Mapping[object, object]) -> Any:
    """A question with its gold messages; None if the question or all of its messages were deleted."""
    if not isinstance(entry, Mapping) or not isinstance(entry.get("messages"), list | tuple):
        return entry
    answers = _moved_marks(entry["messages"], place)
    if entry.get("at") is None:
        return {**entry, "messages": answers} if answers else None
    asked = _moved_marks([entry["at"]], place)
    return {**entry, "at": asked[0], "messages": answers} if asked and answers else None
