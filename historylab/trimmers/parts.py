"""The parts of messages that came back, put together again: one message as it is sent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from historylab.conversation.message import Message
from historylab.trimmers.matching import NEW, MessagePiece, same_words


def group_parts(pieces: Sequence[MessagePiece]) -> Iterator[list[MessagePiece]]:
    """The pieces that make one message: its parts that follow each other, each of them once."""
    found = list[MessagePiece]()
    for piece in pieces:
        if found and (piece.owner == NEW or piece.owner != found[0].owner or piece.part in {p.part for p in found}):
            yield found
            found = []
        found.append(piece)
    if found:
        yield found


def join_parts(pieces: Sequence[MessagePiece]) -> Message:
    """Parts of a message as one."""
    if len(pieces) == 1:
        return pieces[0].said
    said = [piece.said for piece in sorted(pieces, key=lambda piece: piece.part)]
    text = "\n".join(one.content for one in said if one.content)
    calls, media = (call for one in said for call in one.tool_calls), (each for one in said for each in one.media)
    return replace(said[0], content=text, tool_calls=tuple(calls), media=tuple(media))


def rewrite_message(message: Message, whole: Sequence[Message], pieces: Sequence[MessagePiece]) -> Message | None:
    """A message as these pieces say it; None where that is as it was said. `whole`: what its parts said."""
    first = {piece.part: piece.said for piece in pieces}
    if len(first) == len(whole) and all(same_words(first.get(k), said) for k, said in enumerate(whole)):
        return None
    said = [first[k] for k in sorted(first)]
    own = {call.id: call for call in message.tool_calls}
    before = {call.id: call for part in whole for call in part.tool_calls}
    calls = tuple(
        own[call.id] if call == before.get(call.id) and call.id in own else call
        for part in said
        for call in part.tool_calls
    )
    texts = [part.content for part in said if part.content]
    unchanged = texts == [part.content for part in whole if part.content]
    content = message.content if unchanged else "\n".join(texts)
    media = _media_left(message, whole, said)
    return replace(message, content=content, tool_calls=calls, media=media, source=None)


def _media_left(message: Message, whole: Sequence[Message], said: Sequence[Message]) -> tuple[str, ...]:
    """The images, sound and files that are left of a message; what its form has no place for is as it was."""
    given, left = ([name for part in parts for name in part.media] for parts in (whole, said))
    if given == left:
        return message.media
    return (*left, *(Counter(message.media) - Counter(given)).elements())
