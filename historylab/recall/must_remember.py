"""Must-remember messages, and the requests that no longer hold them.

A mark (`stars` in files and public arguments) is set on a message of the original conversation. Where a projection
rewrites that conversation, the mark follows the message, as a pin would.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from historylab.conversation.conversation import Conversation
from historylab.errors import LoadError
from historylab.planning.blocks import ranges_in_mask
from historylab.planning.pins import without_rules
from historylab.planning.pipeline import project
from historylab.planning.reasons import LOST
from historylab.planning.replay import Timeline
from historylab.recall.held import find_holder, mentions_of_message, value_to_hold
from historylab.recall.holders import Sayings, find_holders
from historylab.recall.references import index_mentions


@dataclass(frozen=True, slots=True, eq=False)
class MustRemember:
    """A message that must be remembered, under one set of settings.

    `mark` is its index in the original conversation, `message` in the timeline's: None if the projection leaves it out.
    `value` is what must be held, `mentions` (int64, ascending) are the messages that say it, and `gaps`
    the runs of requests, each from its first up to but not including its second number, that lack it.
    """

    mark: int
    message: int | None
    value: str
    mentions: np.ndarray
    gaps: tuple[tuple[int, int], ...]

    def lost_since(self, number: int) -> int | None:
        """The first request (from 0) of the run around `number` that lacks it; None if that one holds it."""
        if number < 0:
            raise IndexError(f"requests count from 0 here, so there is no request {number}")
        return next((first for first, stop in self.gaps if first <= number < stop), None)

    def holder(self, timeline: Timeline, number: int) -> int:
        """Its holder in request `number` (from 0): BY_MESSAGE, BY_SUMMARY or LOST, as `held.find_holder` has it."""
        plan = timeline.plans[number]
        return find_holder(plan, self.value, self.mentions[: self.mentions.searchsorted(plan.size)])


def track_must_remember(timeline: Timeline, marks: Iterable[int | str] | None = None) -> tuple[MustRemember, ...]:
    """The marks on those messages of the original conversation, by index or id; by default the file's own.

    Raises LoadError for an index or id of no message.
    """
    original = timeline.original
    found = marked_in_file(original) if marks is None else resolve_indices(original, marks)
    return tuple(track_value(timeline, mark) for mark in found)


def marked_in_file(conversation: Conversation) -> tuple[int, ...]:
    """Indices that the file marks in `metadata["stars"]`, a list of indices or ids; anything else there is ignored."""
    return tuple(sorted(set(indices_named_in_file(conversation, conversation.metadata.get("stars")))))


def indices_named_in_file(conversation: Conversation, given: object) -> list[int]:
    """Indices of the messages in a list of indices or ids; those of no message are left out."""
    if not given or not isinstance(given, list | tuple):
        return []
    ids = {m.id: i for i, m in enumerate(conversation) if m.id is not None}
    return [i for i in (_index(conversation, mark, ids) for mark in given) if i is not None]


def resolve_indices(conversation: Conversation, given: Iterable[int | str]) -> list[int]:
    """Indices of messages given by index or id, each once. Raises LoadError for an index or id of no message."""
    ids = {m.id: i for i, m in enumerate(conversation) if m.id is not None}
    found: list[int] = []
    for mark in given:
        i = _index(conversation, mark, ids)
        if i is None:
            which = f"{mark} (counted from 0)" if isinstance(mark, int) else repr(mark)
            raise LoadError(f"message {which} is marked to be remembered, but {conversation.title!r} has none such")
        found.append(i)
    return list(dict.fromkeys(found))


def _index(conversation: Conversation, mark: object, ids: dict[str, int]) -> int | None:
    if isinstance(mark, int) and not isinstance(mark, bool):
        return mark if 0 <= mark < len(conversation) else None
    return ids.get(mark) if isinstance(mark, str) else None


# -- one mark


def track_value(timeline: Timeline, mark: int, value: str | None = None) -> MustRemember:
    """Message `mark` of the original conversation, and the requests that lack it; or that lack a part of its text."""
    message = follow_mark(timeline, mark)
    given = value_to_hold(timeline.original[mark]) if value is None else value
    if message is None:
        return MustRemember(mark, None, given, np.empty(0, np.int64), ((0, len(timeline.plans)),))
    if value is None:
        given, mentions = _original_value(timeline, mark, message)
    else:
        mentions = index_mentions(timeline.conversation).of(value)
    return MustRemember(mark, message, given, mentions, tuple(_gaps(timeline, message, given, mentions)))


def _original_value(timeline: Timeline, mark: int, message: int) -> tuple[str, np.ndarray]:
    """The value of the message as it was given, though a projection may show more or less of it; and its mentions."""
    shown, given = timeline.conversation, timeline.original[mark]
    if shown[message] is given or not value_to_hold(given):
        return mentions_of_message(shown, message)
    return value_to_hold(given), index_mentions(shown).of(value_to_hold(given))


def _gaps(timeline: Timeline, message: int, value: str, mentions: np.ndarray) -> list[tuple[int, int]]:
    first, count = timeline.conversation.columns.first_request_after(message), len(timeline.plans)
    requests = np.arange(first, count)
    sayings = Sayings(timeline.conversation, [(value, mentions)])
    lost = np.zeros(count, bool)
    lost[first:] = find_holders(timeline, sayings, requests, np.zeros_like(requests)) == LOST
    return list(ranges_in_mask(lost))


# -- through a projection


def follow_mark(timeline: Timeline, mark: int) -> int | None:
    """Index of the timeline's message that message `mark` of the original conversation became, or became part of."""
    original, shown = timeline.original, timeline.conversation
    if shown == original:
        return mark
    known = shown.remember("followed", dict[int, int | None])
    if mark not in known:  # a pin follows its message through any projection
        known[mark] = next(iter(_would_be_pinned(timeline, lambda i: i == mark)), None)
    return known[mark]


def original_index(timeline: Timeline, message: int) -> int | None:
    """Index of the original message that the timeline's was made from; None if it was made from several."""
    original, shown = timeline.original, timeline.conversation
    if shown == original:
        return message
    known = shown.remember("origins", dict[int, int | None])
    if message not in known:
        known[message] = _origin(timeline, message)
    return known[message]


def _origin(timeline: Timeline, message: int) -> int | None:
    """Traced by ids, of which joined messages keep the first; no pin on another message may end up here too."""
    numbered = timeline.original.edited(replace(m, id=str(i)) for i, m in enumerate(timeline.original))
    first = project(numbered, timeline.settings)[message].id
    if first is None or message in _would_be_pinned(timeline, lambda i: i != int(first)):
        return None
    return int(first)


def _would_be_pinned(timeline: Timeline, wanted: Callable[[int], bool]) -> list[int]:
    """The timeline's messages that would be pinned if exactly the wanted ones of the original conversation were."""
    original = timeline.original
    pinned = original.edited(
        m if m.pinned == wanted(i) else replace(m, pinned=not m.pinned) for i, m in enumerate(original)
    )
    return [j for j, m in enumerate(project(pinned, without_rules(timeline.settings))) if m.pinned]
