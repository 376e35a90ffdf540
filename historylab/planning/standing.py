"""What is decided about blocks by what they are alone, once for all requests of a conversation; and sums over the rest.

Nearly every cut is a few ranges of what that leaves open, so its tokens and messages are looked up in running sums. All
of it grows with the conversation.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from historylab.conversation.columns import SYSTEM, Columns
from historylab.conversation.growing import GrowingArray
from historylab.planning.history import History
from historylab.planning.reasons import DROPPED, KEPT, PINNED
from historylab.planning.texts import Texts

MOST_TEXTS = 8  # whose savings are remembered


class StandingDecisions(NamedTuple):
    """Of blocks from one on: `codes` (uint8[3, b]) are actions, reasons, and which are summaries of ours that came
    back; `numbers` those that the reasons need."""

    codes: np.ndarray
    numbers: Mapping[int, Mapping[str, Any]]


class Standing:
    """The decisions about all blocks of a conversation that hold at every request, and running sums over open ones.

    Attributes:
        actions, reasons: uint8[b]; `returned`: bool[b], as in a plan.
        numbers: what the sentences of those reasons need.
        places, messages: int64[b + 1], open blocks and their messages before each block.
        refused: int64[b + 1], messages before each block that are never sent.
        always: int64, the blocks that are always sent; `speaks`: whether one of them is no system message.
        kin: the same for all that follow one another, which say the same of blocks that the shorter has whole.
    """

    __slots__ = (
        "_always", "_codes", "_running", "_savings", "_tokens", "actions", "always", "kin", "latest", "messages",
        "numbers", "places", "reasons", "refused", "returned", "speaks",
    )  # fmt: skip

    def __init__(self) -> None:
        codes, sums = GrowingArray(np.zeros((3, 0), np.uint8)), GrowingArray(np.zeros((3, 1), np.int64))
        self._set(codes, sums, GrowingArray(np.zeros(0, np.int64)), {}, speaks=False, kin=object())
        self._tokens: dict[Any, GrowingArray] = {}
        self._savings: tuple[Savings, ...] = ()

    def _set(
        self,
        codes: GrowingArray,
        running: GrowingArray,
        always: GrowingArray,
        numbers: Mapping[int, Mapping[str, Any]],
        *,
        speaks: bool,
        kin: object,
    ) -> None:
        self._codes, self._running, self._always, self.numbers, self.speaks, self.kin = (
            codes, running, always, numbers, speaks, kin,
        )  # fmt: skip
        self.actions, self.reasons, self.returned = codes.array[0], codes.array[1], codes.array[2].view(bool)
        self.places, self.messages, self.refused = running.array
        self.always = always.array
        # The cut that was read last, and its codes: by its values, as a `Cuts` holds this object, and that cycle would
        # wait for the garbage collector.
        self.latest: tuple[tuple[Any, ...], np.ndarray, np.ndarray] | None = None

    def followed_by(self, first: int, columns: Columns, decided: StandingDecisions) -> Standing:
        """For a longer conversation, of which the first blocks are as they were; the others are decided so."""
        actions, starts = decided.codes[0], columns.block_first[first:]
        homes = columns.block[starts[0] :] if len(starts) else columns.block[:0]
        homes = homes if columns.contiguous else homes[homes >= first]
        rows = np.empty((3, len(starts)), np.int64)
        sizes = np.bincount(homes - first, minlength=len(starts))
        rows[0] = actions == KEPT
        np.multiply(rows[0], sizes, out=rows[1])
        np.multiply(actions == DROPPED, sizes, out=rows[2])
        pinned = (actions == PINNED).nonzero()[0] + first
        always, known = self._always, len(self.actions)
        if first < known:
            always = always.beginning(int(self.always.searchsorted(first)))
        new = object.__new__(Standing)
        new._set(
            self._codes.beginning(first).followed_by(decided.codes),
            _carried_on(self._running.beginning(first + 1), rows),
            always.followed_by(pinned),
            {**self.numbers, **decided.numbers} if decided.numbers else self.numbers,
            speaks=(self.speaks and first > 0) or bool(len(pinned) and (columns.block_role[pinned] != SYSTEM).any()),
            kin=self.kin,
        )
        new._tokens = {key: sums.beginning(min(sums.size, first + 1)) for key, sums in self._tokens.items()}
        new._savings = tuple(known.beginning(first) for known in self._savings)
        return new

    def tokens(self, history: History) -> tuple[np.ndarray, np.ndarray]:
        """int64[b + 1] each: the tokens before each block that are open, and that are never sent."""
        key, blocks = history.counter.key, len(self.actions)
        sums = self._tokens.get(key) or GrowingArray(np.zeros((2, 1), np.int64))
        if sums.size <= blocks:
            new = slice(sums.size - 1, blocks)
            actions, rows = self.actions[new], np.empty((2, blocks + 1 - sums.size), np.int64)
            rows[:] = history.sums.block_tokens[new]
            rows[0] *= actions == KEPT
            rows[1] *= actions == DROPPED
            sums = self._tokens[key] = _carried_on(sums, rows)
        return sums.array[0], sums.array[1]

    def newest_open(self, first: int, stop: int, most: int) -> np.ndarray:
        """int64: the newest open blocks of those from `first` up to `stop`, which holds some; `most` at most."""
        place = max(self.places.item(first), self.places.item(stop) - most)
        first = max(first, int(self.places.searchsorted(place, "right")) - 1)
        if self.places.item(stop) - self.places.item(first) == stop - first:
            return np.arange(first, stop)
        found: np.ndarray = (self.actions[first:stop] == KEPT).nonzero()[0] + first
        return found

    def savings(self, texts: Texts) -> Savings:
        """What these texts save where they stand for messages of open blocks."""
        found = next((known for known in self._savings if known.texts is texts and known.whole), None)
        if found is None:
            known = next((known for known in self._savings if known.begins(texts)), None)
            found = (known or Savings()).followed_by(texts, self.actions)
            others = (other for other in self._savings if other is not known)
            self._savings = (found, *others)[:MOST_TEXTS]
        return found


class Savings:
    """Running sums over texts, in their order: `count` those of open blocks, `saved` the tokens they save."""

    __slots__ = ("_grown", "count", "homes", "saved", "texts")

    def __init__(self) -> None:
        sums, self.homes = GrowingArray(np.zeros(1, np.int64)), np.zeros(0, np.int64)
        self._set(None, (sums, sums))

    def _set(self, texts: Texts | None, grown: tuple[GrowingArray, GrowingArray]) -> Savings:
        self.texts, self._grown = texts, grown
        self.count, self.saved = (known.array for known in grown)
        return self

    @property
    def whole(self) -> bool:
        """Whether these are sums over all of the texts."""
        return self.texts is not None and len(self.homes) == len(self.texts)

    def begins(self, texts: Texts) -> bool:
        """Whether these sums are those of the first of the texts."""
        known = len(self.homes)
        ours = self.texts
        return ours is not None and all(
            np.array_equal(a[:known], b[:known])
            for a, b in ((ours.messages, texts.messages), (ours.homes, texts.homes), (ours.saved, texts.saved))
        )

    def followed_by(self, texts: Texts, actions: np.ndarray) -> Savings:
        """For all of the texts, the first of which these are for; `actions` are what stands."""
        known, new = len(self.homes), Savings()
        is_open = actions[texts.homes[known:]] == 0
        count, saved = self._grown
        new.homes = texts.homes
        return new._set(texts, (_carried_on(count, is_open), _carried_on(saved, is_open * texts.saved[known:])))

    def beginning(self, block: int) -> Savings:
        """For the texts of blocks before that one."""
        known = int(self.homes.searchsorted(block))
        if known == len(self.homes):
            return self
        new = Savings()
        new.homes = self.homes[:known]
        count, saved = self._grown
        return new._set(self.texts, (count.beginning(known + 1), saved.beginning(known + 1)))


def _carried_on(sums: GrowingArray, numbers: np.ndarray) -> GrowingArray:
    """Running sums, or rows of them, with those of further numbers."""
    return sums.followed_by(numbers.cumsum(-1) + sums.array[..., -1:])
