"""Matches what a trimmer returned to what it was given: which message each is, and what became of it.

By identity; by an id that the library kept; by content, where of equal messages the newest one counts that keeps the
order; a result by its call; a text by its two ends. What is none of them is new.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, NamedTuple

from historylab.conversation.message import Message
from historylab.formats.messages.alignment import are_alike

NEW = -1
"""The owner of a piece that is no message of the conversation."""
MOST_LONGER = 2
"""How much longer a message may have become by being rewritten."""


class MessagePiece(NamedTuple):
    """A message as an item holds it, or the part of one that a single item holds: its owner, and which part it is."""

    said: Message
    owner: int = NEW
    part: int = 0


class ListedItem(NamedTuple):
    """An item of a list, and its pieces."""

    item: Any
    pieces: tuple[MessagePiece, ...]


def match(
    returned: Sequence[Any],
    given: Sequence[ListedItem],
    read: Callable[[Any], list[Message]],
    marks: dict[str, int],
    *,
    summarizes: bool = False,
) -> list[ListedItem]:
    """The items returned, each piece with its owner. `marks`: the owner of each id that was written.

    A trimmer that summarizes is taken to shorten nothing: what holds a message's words is a summary that quotes it.
    """
    known = {id(each.item): each for each in given}
    found = list[list[MessagePiece]]()
    for item in returned:
        said, own = read(item), known.get(id(item))
        if own is not None and len(said) == len(own.pieces):
            found.append([old._replace(said=now) for now, old in zip(said, own.pieces, strict=True)])
        else:
            found.append([MessagePiece(now, marks.get(now.id or "", NEW), NEW) for now in said])
    pieces = [piece for several in found for piece in several]
    _Matching(pieces, [piece for each in given for piece in each.pieces], by_ends=not summarizes).settle()
    at = iter(pieces)
    return [ListedItem(item, tuple(next(at) for _ in several)) for item, several in zip(returned, found, strict=True)]


class _Matching:
    """Pieces that were returned, among those given; `settle` finds the owners that are missing."""

    def __init__(self, pieces: list[MessagePiece], given: Sequence[MessagePiece], *, by_ends: bool):
        self.pieces, self.given, self.by_ends = pieces, given, by_ends
        self.places = defaultdict[Hashable, list[int]](list)
        self.named = defaultdict[Hashable, list[int]](list)
        for place, piece in enumerate(given):
            self.places[_words(piece.said)].append(place)
            for name in _names(piece.said):
                self.named[name].append(place)
        self.at: dict[int, int] = {}  # a piece's place among those given
        self.taken = set[int]()

    def settle(self) -> None:
        self._take_known()
        self._find_in_order()
        self._find_elsewhere()
        for k, place in self.at.items():
            owner = self.given[place]
            self.pieces[k] = self.pieces[k]._replace(owner=owner.owner, part=owner.part)

    def _take_known(self) -> None:
        """Those of known objects, or with a mark: the first part of their owner that says the same, or is free."""
        places = defaultdict[int, list[int]](list)
        for place, piece in enumerate(self.given):
            places[piece.owner].append(place)
        for k, piece in enumerate(self.pieces):
            if piece.owner == NEW:
                continue
            free = [p for p in places[piece.owner] if p not in self.taken]
            exact = [p for p in free if self.given[p].part == piece.part] if piece.part != NEW else []
            same = [p for p in free if _words(self.given[p].said) == _words(piece.said)]
            if chosen := exact or same or free:
                self._take(k, chosen[0])

    def _find_in_order(self) -> None:
        """Equal ones from the end back, so that of several the newest counts that keeps the order."""
        bound = len(self.given)
        for k in range(len(self.pieces) - 1, -1, -1):
            if k in self.at:
                bound = min(bound, self.at[k])
                continue
            equal = self.places.get(_words(self.pieces[k].said), [])
            for place in reversed(equal[: bisect_left(equal, bound)]):
                if place not in self.taken:
                    bound = place
                    self._take(k, place)
                    break

    def _find_elsewhere(self) -> None:
        """Those moved or sent twice; results and calls by their id; texts by their ends, between their neighbours."""
        for k, piece in enumerate(self.pieces):
            if k in self.at:
                continue
            equal = self.places.get(_words(piece.said), [])
            place = next((p for p in reversed(equal) if p not in self.taken), equal[-1] if equal else None)
            if place is None:
                place = next((p for p in self._candidates(k, piece.said) if p not in self.taken), None)
            if place is not None:
                self._take(k, place)

    def _candidates(self, k: int, said: Message) -> Iterator[int]:
        """The places of what may have been rewritten to this: by the id of a call, else by both ends of the text."""
        for name in _names(said):
            yield from reversed(self.named.get(name, ()))
        if not self.by_ends:
            return
        after = next((self.at[j] for j in range(k - 1, -1, -1) if j in self.at), -1)
        before = next((self.at[j] for j in range(k + 1, len(self.pieces)) if j in self.at), len(self.given))
        for place in range(before - 1, after, -1):
            other = self.given[place].said
            quoted = len(said.content) > MOST_LONGER * len(other.content)  # a summary quotes what it stands for
            if other.role == said.role and said.content and not quoted and are_alike(other.content, said.content):
                yield place

    def _take(self, k: int, place: int) -> None:
        self.at[k] = place
        self.taken.add(place)


def same_words(one: Message | None, other: Message) -> bool:
    """Tell whether two messages say the same, in the same role."""
    return one is not None and _words(one) == _words(other)


def _words(said: Message) -> Hashable:
    return said.role, said.content, said.tool_calls, said.tool_call_id, len(said.media)


def _names(said: Message) -> list[Hashable]:
    """The ids by which a message is known in another form: of a result that of its call."""
    if said.role == "tool":
        return [("tool", said.tool_call_id)] if said.tool_call_id else []
    return [(said.role, call.id) for call in said.tool_calls if call.id]
