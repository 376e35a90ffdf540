"""Injections: messages that a program adds to the newest for one request alone: a state, passages, a reminder.

The request after it, which lacks them, shows that nobody said them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from historylab.conversation.message import Message
from historylab.formats.messages.alignment import Alignment, are_alike
from historylab.formats.messages.threads import Thread

INJECTING = ("user", "system")
"""Roles in which a program speaks."""
MOST_INJECTED = 4
"""The newest messages of a request, among which they are."""


def find_lacking(found: Alignment, messages: Sequence[Message]) -> Iterator[tuple[int, bool]]:
    """The latest request's newest messages that this one lacks, though it has what stands around them; the last first.

    With each: whether another message stands there, so that it was edited.
    """
    thread = found.thread
    for at in range(thread.asked - 1, max(thread.fresh, thread.asked - MOST_INJECTED, thread.prompt + 1) - 1, -1):
        before = found.up_to(at)
        if at in found.places or thread.messages[at].role not in INJECTING or before.new <= found.leading:
            continue
        after = next((i for i in range(before.new, found.new) if found.places[i] > at), None)
        if _is_newest(thread, before.places[-1], at) and (after is not None or _ends_alike(found, at, messages)):
            between = messages[before.new : found.new if after is None else after]
            yield at, any(_is_edit(thread.messages[at], message) for message in between)


def _is_edit(before: Message, after: Message) -> bool:
    """Tell whether somebody said otherwise what stands in its place: a program only renews its own."""
    return before.role == after.role == "user" and not are_alike(before.content, after.content)


def find_injected_again(thread: Thread, messages: Sequence[Message], new: int) -> list[int]:
    """The new messages that a program put there as it did before; the thread keeps the texts of this time."""
    found = []
    for i in range(max(new, len(messages) - MOST_INJECTED), len(messages)):
        key = messages[i].role, len(messages) - i
        if key in thread.injected and are_alike(thread.injected[key], messages[i].content):
            thread.injected[key] = messages[i].content
            found.append(i)
    return found


def _is_newest(thread: Thread, before: int, at: int) -> bool:
    """Tell whether only messages that a program may put there stand between one that is known and that one."""
    between = thread.messages[before + 1 : at]
    return before >= thread.fresh - 1 and all(message.role in INJECTING for message in between)


def _ends_alike(found: Alignment, at: int, messages: Sequence[Message]) -> bool:
    """Tell whether a request that isn't answered in the log ended with what this one ends with: a state, say."""
    last, message = messages[-1], found.thread.messages[at]
    is_last = at == len(found.thread.messages) - 1 == found.known and messages[found.new].role == "assistant"
    return is_last and last.role == message.role and are_alike(last.content, message.content)
