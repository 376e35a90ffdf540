"""The messages that each request of a thread was really sent with, as entries of what was sent.

A request that holds what the one before held and all messages since needs none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from historylab.conversation.message import Message
from historylab.conversation.sent import Range, SentHistory, as_summary, each_sent
from historylab.formats.messages.alignment import NOWHERE, Alignment
from historylab.formats.messages.sent_view import in_ranges
from historylab.formats.messages.threads import Placed, Thread

UNLOGGED = "this request is not in the log"


def note_sent(found: Alignment, sent: Sequence[Message], marks: Sequence[int], new: Sequence[int]) -> None:
    """Note what the latest request of a thread held, where the entry before doesn't say it.

    `sent` are its messages, with their marks; of those that `found` doesn't place the ones in `new`, by index, are now
    the thread's newest. `thread.asked` is its history length.
    """
    thread = found.thread
    if isinstance(found.places, range) and len(found.places) + len(new) == len(sent) == thread.asked:
        thread.before = Placed(marks, range(thread.asked))
        now, gone, held = SentHistory(thread.asked, ((0, thread.asked),)), tuple[Range, ...](), list[int]()
    else:
        added = {i: thread.fresh + k for k, i in enumerate(new)}
        places = [*found.places, *(added.get(i, NOWHERE) for i in range(found.new, len(sent)))]
        thread.before = Placed(marks, places, found.others)
        for i in found.others:
            thread.spellings.setdefault(places[i], set()).add(marks[i])
        now, gone = _history(found, sent, places, thread.asked)
        held = [place for place in places if place != NOWHERE]
    if not _is_implied(thread.latest, now):
        _add(thread, now)
    first = [place for place in held if place >= thread.prompt][:2]
    thread.held = frozenset(held) if gone else range(thread.asked)
    thread.keeps_first = len(first) == 2 and first[0] == thread.prompt and first[1] > first[0] + 1


def note_late(found: Alignment, sent: Sequence[Message]) -> None:
    """Note what a request held that was logged after later ones of its thread."""
    thread, size = found.thread, found.known
    before = next((one for one in reversed(thread.sent) if one.size <= size), SentHistory(0))
    now, _ = _history(found, sent, found.places, size)
    if before.size == size or _is_implied(before, now):
        return
    later = [one for one in thread.sent if one.size > size]
    if not later or later[0].size > size + 1:
        later.insert(0, replace(before, size=size + 1, sent=before.up_to(size + 1)))
    thread.sent = [*(one for one in thread.sent if one.size < size), now, *later]


def _history(
    found: Alignment, sent: Sequence[Message], places: Sequence[int], size: int
) -> tuple[SentHistory, tuple[Range, ...]]:
    """The messages that a request of that history length held, and those it lacked."""
    thread = found.thread
    gone = _gaps(thread.prompt, [place for place in places if place != NOWHERE], size)
    texts = {places[i]: sent[i].content for i in sorted(found.others)}
    parts = [_insertion(sent[i], i, places, gone) if place == NOWHERE else place for i, place in enumerate(places)]
    stands = any(isinstance(part, Message) and part.metadata for part in parts) or _has_summary(thread, texts)
    known = not found.doubt
    return SentHistory(size, in_ranges(parts), texts, gone if stands else (), known=known, why=found.doubt), gone


def note_unlogged(thread: Thread, sizes: Sequence[int]) -> None:
    """Note requests whose answers alone are known, by history length, where the app doesn't send everything."""
    if thread.latest.size:
        for size in sizes:
            _add(thread, SentHistory(size, ((0, size),), known=False, why=UNLOGGED))


def histories_in_log(thread: Thread) -> list[SentHistory]:
    """All entries of a thread; where the app doesn't send everything, also for answers that its first request holds.

    Those answered requests from before the log began, or none at all, as the examples of a prompt.
    """
    messages = thread.messages
    opened = min(thread.root.opened, thread.opened, thread.asked)  # a branch may be shorter
    begun = [
        SentHistory(at, ((0, at),), known=at in thread.answered, why="" if at in thread.answered else UNLOGGED)
        for at in range(1, opened)
        if messages[at].role == "assistant" and messages[at - 1].role != "assistant"
    ]
    if not any(map(_is_less, thread.sent)) or all(one.known for one in begun):
        return thread.sent
    found = {one.size: one for one in (*begun, SentHistory(opened, ((0, opened),)), *thread.sent)}
    return [found[size] for size in sorted(found)]


def _is_less(history: SentHistory) -> bool:
    """Tell whether messages before it were not sent."""
    return sum(each[1] - each[0] for each in history.sent if not isinstance(each, Message)) < history.size


def take_out(thread: Thread, at: int) -> None:
    """Make a message that only the latest request held one that isn't in the conversation.

    The caller takes it out of the thread; it stands between the messages that were new in that request.
    """
    message, size = thread.messages[at], thread.asked
    before = (
        thread.sent.pop()
        if thread.latest.size == size
        else replace(thread.latest, size=size, sent=thread.latest.up_to(size))
    )
    parts = [
        part if isinstance(part, Message) else part - (part > at) if part != at else message
        for part in each_sent(before.sent)
    ]
    shifted = {i - (i > at): text for i, text in before.shortened.items() if i != at}
    _add(thread, replace(before, size=size - 1, sent=in_ranges(parts), shortened=shifted))
    thread.asked -= 1
    if isinstance(thread.held, range):
        thread.held = range(size - 1)


def _insertion(message: Message, i: int, places: Sequence[int], gone: Sequence[Range]) -> Message:
    """A message that isn't in the conversation; a summary where it stands in the place of those that are gone."""
    before = max((place for place in places[:i] if place != NOWHERE), default=-1)
    after = next((place for place in places[i + 1 :] if place != NOWHERE), before + 1)
    first = sum(place != NOWHERE for place in places[:i]) <= 1
    stands_in = any(first_gone > before and stop <= after for first_gone, stop in gone) or (first and bool(gone))
    calls, answered = message.tool_calls, message.tool_call_id
    told = Message(message.role, message.content, tool_calls=calls, tool_call_id=answered)
    return as_summary(told) if stands_in and message.content and message.role != "tool" else told


def _has_summary(thread: Thread, texts: Mapping[int, str]) -> bool:
    """Tell whether the system prompt was sent with more than its own text."""
    own = ((thread.messages[i].content.strip(), text) for i, text in texts.items() if i < thread.prompt)
    return any(prompt in text and prompt != text.strip() for prompt, text in own)


def _gaps(prompt: int, held: Sequence[int], size: int) -> tuple[Range, ...]:
    """The ranges of messages after the system prompt that a request doesn't hold."""
    kept = [prompt - 1, *sorted(place for place in held if place >= prompt), size]
    return tuple((a + 1, b) for a, b in pairwise(kept) if b > a + 1)


def _is_implied(before: SentHistory, now: SentHistory) -> bool:
    same = before.up_to(now.size) == now.sent and before.shortened == now.shortened
    return same and before.known == now.known and before.why == now.why and before.size != now.size


def _add(thread: Thread, now: SentHistory) -> None:
    """Add an entry; of two requests with one history the later one counts, as it was answered."""
    while thread.sent and thread.sent[-1].size >= now.size:
        thread.sent.pop()
    thread.sent.append(now)
