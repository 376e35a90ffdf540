"""Matches what a trimmer returned to what it was given: which message each is, and what became of it.

First what is sure: the same objects, ids that the library kept, and equal words, where of equal messages the newest one
counts that keeps the order. What is left between two of those is matched in order: by calls, by what the texts have in
common, and one by one where as many were given there as came back. What is none of them is new.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from historylab.conversation.message import Message
from historylab.trimmers.in_order import Pair, keep_order, pair_from_the_end, places_by_name
from historylab.trimmers.likeness import MOST_LONGER, pair_in_order

NEW = -1
"""The owner of a piece that is no message of the conversation."""
NOTE = 40  # characters that may be put beside any text


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
    said = [read(item) for item in returned]
    before = [piece for each in given for piece in each.pieces]
    found = _Matching([one for several in said for one in several], before)
    _find_known(found, zip(returned, said, strict=True), given, marks)
    found.settle(by_text=not summarizes)
    at = iter(range(len(found.said)))
    return [
        ListedItem(item, tuple(_piece(one, before, found.at.get(k)) for one, k in zip(several, at, strict=False)))
        for item, several in zip(returned, said, strict=True)
    ]


def _piece(said: Message, given: Sequence[MessagePiece], place: int | None) -> MessagePiece:
    return MessagePiece(said) if place is None else given[place]._replace(said=said)


def _find_known(
    found: _Matching, said: Iterator[tuple[Any, list[Message]]], given: Sequence[ListedItem], marks: dict[str, int]
) -> None:
    """The places of objects that were given themselves, and of those that have a mark."""
    known, start = dict[int, range](), 0
    for each in given:
        known[id(each.item)] = range(start, start := start + len(each.pieces))
    k, marked = 0, defaultdict[int, list[int]](list)
    for item, several in said:
        pieces, places = range(k, k := k + len(several)), known.get(id(item))
        if places is not None and len(places) == len(pieces):
            found.at.update(zip(pieces, places, strict=True))
            continue
        if places is not None:
            found.align(pieces, places)
        for piece, one in zip(pieces, several, strict=True):
            if piece not in found.at and (owner := marks.get(one.id or "", NEW)) != NEW:
                marked[owner].append(piece)
    if marked:
        of = defaultdict[int, list[int]](list)
        for place, held in enumerate(found.given):
            of[held.owner].append(place)
        for owner, several_of in marked.items():
            found.share(several_of, of[owner])


class _Matching:
    """Messages that were returned, among pieces that were given: `at` says at which place of those each is."""

    def __init__(self, said: Sequence[Message], given: Sequence[MessagePiece]):
        self.said, self.given = said, given
        self.at: dict[int, int] = {}

    def settle(self, *, by_text: bool) -> None:
        """Find the places that are missing."""
        left = [k for k in range(len(self.said)) if k not in self.at]
        if not left:
            return
        self._find_equal(self._anchors(left))
        self._find_moved(left)
        taken, start, after = set(self.at.values()), 0, -1
        for k, place in [*keep_order(sorted(self.at.items())), (len(self.said), len(self.given))]:
            if between := [j for j in range(start, k) if j not in self.at]:
                self.align(between, [p for p in range(after + 1, place) if p not in taken], by_text=by_text)
            start, after = k + 1, place
        self._find_called([k for k in left if k not in self.at])

    # -- equal ones

    @cached_property
    def words(self) -> list[Hashable]:
        return [_words(one) for one in self.said]

    @cached_property
    def words_given(self) -> list[Hashable]:
        return [_words(piece.said) for piece in self.given]

    @cached_property
    def places(self) -> dict[Hashable, list[int]]:
        """The places of equal messages that were given."""
        return places_by_name((words, place) for place, words in enumerate(self.words_given))

    def _anchors(self, left: Sequence[int]) -> list[Pair]:
        """Take the pieces whose place is beyond doubt, in order."""
        count = Counter(self.words[k] for k in left)
        taken, sure = set(self.at.values()), dict(self.at)
        for k in left:
            places = self.places.get(self.words[k], ())
            if len(places) == count[self.words[k]] == 1 and places[0] not in taken:
                sure[k] = places[0]
        return keep_order(sorted(sure.items()))

    def _find_equal(self, anchors: Sequence[Pair]) -> None:
        """Between them equal ones from the end back, so that of several the newest counts that keeps the order."""
        self.at.update(anchors)
        taken, ends = set(self.at.values()), [(-1, -1), *anchors, (len(self.said), len(self.given))]
        for (start, lowest), (stop, bound) in zip(ends[-2::-1], ends[:0:-1], strict=True):
            newest = bound
            for k in range(stop - 1, start, -1):
                equal = self.places.get(self.words[k], []) if k not in self.at else []
                at = bisect_left(equal, newest) - 1
                while at >= 0 and equal[at] in taken:
                    at -= 1
                if at >= 0 and equal[at] > lowest:
                    self.at[k] = newest = equal[at]

    def _find_moved(self, left: Sequence[int]) -> None:
        """Elsewhere equal ones, or once more."""
        taken = set(self.at.values())
        for k in reversed(left):
            if k not in self.at and (places := self.places.get(self.words[k])):
                self.at[k] = next((p for p in reversed(places) if p not in taken), places[-1])
                taken.add(self.at[k])

    # -- rewritten ones

    def align(self, left: Sequence[int], places: Sequence[int], *, by_text: bool = True) -> None:
        """Messages among some places, in order: by their words, their calls, their texts, at last one by one."""
        gaps = [(left, places)]
        for find in (self._by_words, self._by_call, self._by_result, *((self._by_text, self._by_turn) * by_text)):
            gaps = [gap for some, free in gaps for gap in self._between(some, free, find)]

    def _between(
        self, left: Sequence[int], places: Sequence[int], find: Callable[[Sequence[int], Sequence[int]], list[Pair]]
    ) -> Iterator[tuple[Sequence[int], Sequence[int]]]:
        """Match what is left between the pieces that are found."""
        if not left or not places:
            return
        i = j = 0
        for k, place in find(left, places):
            self.at[k] = place
            at, to = bisect_left(left, k), bisect_left(places, place)
            yield left[i:at], places[j:to]
            i, j = at + 1, to + 1
        yield left[i:], places[j:]

    def _by_words(self, left: Sequence[int], places: Sequence[int]) -> list[Pair]:
        return pair_from_the_end(left, places, lambda k: [self.words[k]], lambda place: [self.words_given[place]])

    def _by_call(self, left: Sequence[int], places: Sequence[int]) -> list[Pair]:
        return pair_from_the_end(left, places, lambda k: _calls(self.said[k]), lambda p: _calls(self.given[p].said))

    def _by_result(self, left: Sequence[int], places: Sequence[int]) -> list[Pair]:
        return pair_from_the_end(left, places, self._result, self._result_given)

    def _result(self, k: int) -> Sequence[Hashable]:
        """The call of a result: which of those with its id, if that is known."""
        call = self.at.get(self.askers.get(k, NEW))
        name = self.said[k].tool_call_id if self.said[k].role == "tool" else None
        return [name if call is None else (name, call)] if name else []

    def _result_given(self, place: int) -> Sequence[Hashable]:
        said = self.given[place].said
        name = said.tool_call_id if said.role == "tool" else None
        return [name, (name, self.askers_given.get(place))] if name else []

    @cached_property
    def askers(self) -> dict[int, int]:
        return _askers(self.said)

    @cached_property
    def askers_given(self) -> dict[int, int]:
        return _askers([piece.said for piece in self.given])

    def _by_text(self, left: Sequence[int], places: Sequence[int]) -> list[Pair]:
        now, before = [self.said[k] for k in left], [self.given[place].said for place in places]
        return [(left[i], places[j]) for i, j in pair_in_order(now, before, _may_be)]

    def _by_turn(self, left: Sequence[int], places: Sequence[int]) -> list[Pair]:
        """One by one, where as many were given as came back, in the same roles."""
        pairs = list(zip(left, places, strict=False))
        as_many = len(left) == len(places) and all(self._is_in_place(k, place) for k, place in pairs)
        return pairs if as_many else []

    def _is_in_place(self, k: int, place: int) -> bool:
        now, before = self.said[k], self.given[place].said
        return _may_be(now, before) and len(now.content) <= MOST_LONGER * len(before.content) + NOTE

    def _find_called(self, left: Sequence[int]) -> None:
        """Match what was moved and rewritten by its call."""
        free = sorted({*range(len(self.given))} - {*self.at.values()}) if left else []
        for names, given in (
            (lambda k: _calls(self.said[k]), lambda p: _calls(self.given[p].said)),
            (self._result, self._result_given),
        ):
            named = places_by_name((name, place) for place in free for name in given(place))
            for k in reversed(left):
                places = [] if k in self.at else [p for name in names(k) for p in named.get(name, ())]
                taken = set(self.at.values()) if places else set()
                if found := [p for p in places if p not in taken]:
                    self.at[k] = found[-1]

    def share(self, pieces: Sequence[int], places: Sequence[int]) -> None:
        """Pieces of a message of which those are the parts, which may be there several times."""
        while pieces:
            if len(places) > 1:
                self.align(pieces, places)
            rest = [k for k in pieces if k not in self.at]
            free = [p for p in places if p not in {self.at[k] for k in pieces if k in self.at}]
            for k, place in zip(rest, free, strict=False):
                self.at[k] = place
            pieces = rest[len(free) :]


def same_words(one: Message | None, other: Message) -> bool:
    """Tell whether two messages say the same, in the same role."""
    return one is not None and _words(one) == _words(other)


def _words(said: Message) -> Hashable:
    return said.role, said.content, said.tool_calls, said.tool_call_id, len(said.media)


def _askers(messages: Sequence[Message]) -> dict[int, int]:
    """The message before each result that has its call."""
    asked, found = dict[str, int](), dict[int, int]()
    for place, said in enumerate(messages):
        asked |= dict.fromkeys((call.id for call in said.tool_calls), place)
        if said.role == "tool" and said.tool_call_id in asked:
            found[place] = asked[said.tool_call_id]
    return found


def _calls(said: Message) -> list[Hashable]:
    """The ids of a message's calls, by which it is known in another form."""
    return [] if said.role == "tool" else [(said.role, call.id) for call in said.tool_calls if call.id]


def _may_be(now: Message, before: Message) -> bool:
    """Tell whether a message may be another one rewritten: in its role, and of no other call."""
    if now.role != before.role or (now.tool_call_id or "") != (before.tool_call_id or ""):
        return False
    if not now.tool_calls or not before.tool_calls:
        return bool(before.content) or bool(now.tool_calls) == bool(before.tool_calls)
    return not {call.id for call in now.tool_calls}.isdisjoint(call.id for call in before.tool_calls)
