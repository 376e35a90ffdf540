"""What is decided about blocks by what they are alone, once for all requests of a conversation; and sums over the rest.

Nearly every cut is a few ranges of what that leaves open, so its tokens and messages are looked up in running sums.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from historylab.conversation.columns import SYSTEM
from historylab.planning.history import History
from historylab.planning.reasons import Action
from historylab.planning.texts import Texts

MOST_TEXTS = 16  # whose savings are remembered


class Standing:
    """The decisions about all blocks of a conversation that hold at every request, and running sums over open ones.

    Attributes:
        actions, reasons: uint8[b]; `returned`: bool[b], as in a plan.
        numbers: what the sentences of those reasons need.
        places, messages: int64[b + 1], open blocks and their messages before each block.
        refused: int64[b + 1], messages before each block that are never sent; None if all may be.
        speaks: whether a block that is no system message is always sent.
    """

    __slots__ = (
        "_savings", "_tokens", "actions", "latest", "messages", "numbers", "places", "reasons", "refused", "returned",
        "speaks",
    )  # fmt: skip

    def __init__(
        self,
        history: History,
        actions: np.ndarray,
        reasons: np.ndarray,
        returned: np.ndarray,
        numbers: Mapping[int, Mapping[str, Any]],
    ):
        self.actions, self.reasons, self.returned, self.numbers = actions, reasons, returned, numbers
        for codes in (actions, reasons):
            codes.setflags(write=False)
        is_open, never = actions == 0, actions == Action.DROPPED
        self.places = running(is_open)
        self.messages = running(is_open * history.block_sizes)
        self.refused = running(never * history.block_sizes) if never.any() else None
        pinned = actions == Action.PINNED
        self.speaks = bool((history.columns.block_role[: history.blocks][pinned] != SYSTEM).any())
        self.latest: tuple[object, np.ndarray, np.ndarray] | None = None  # the decisions that were read last
        self._tokens: dict[tuple[Any, ...], tuple[np.ndarray, np.ndarray | None]] = {}
        self._savings: dict[int, Savings] = {}

    def tokens(self, history: History) -> tuple[np.ndarray, np.ndarray | None]:
        """int64[b + 1] each: the tokens before each block that are open, and that are never sent (None: there are
        none)."""
        key = (history.counter.key,)
        if key not in self._tokens:
            tokens = history.sums.block_tokens
            never = None if self.refused is None else running(tokens * (self.actions == Action.DROPPED))
            self._tokens[key] = running(tokens * (self.actions == 0)), never
        return self._tokens[key]

    def newest_open(self, first: int, stop: int, most: int) -> np.ndarray:
        """int64: the newest open blocks of those from `first` up to `stop`, which holds some; `most` at most."""
        place = max(self.places.item(first), self.places.item(stop) - most)
        first = max(first, int(self.places.searchsorted(place, "right")) - 1)
        found: np.ndarray = np.flatnonzero(self.actions[first:stop] == 0) + first
        return found

    def savings(self, texts: Texts) -> Savings:
        """What these texts save where they stand for messages of open blocks."""
        found = self._savings.get(id(texts))
        if found is None:
            if len(self._savings) >= MOST_TEXTS:
                self._savings.clear()
            found = self._savings[id(texts)] = Savings(texts, self.actions)
        return found


class Savings:
    """Running sums over texts, in their order: `count` those of open blocks, `saved` the tokens they save."""

    __slots__ = ("count", "homes", "saved", "texts")

    def __init__(self, texts: Texts, actions: np.ndarray):
        self.texts, self.homes = texts, texts.homes
        is_open = actions[texts.homes] == 0
        self.count, self.saved = running(is_open), running(is_open * texts.saved)


def running(numbers: np.ndarray) -> np.ndarray:
    """int64[n + 1]: the sum of those before each, and of all."""
    sums = np.zeros(len(numbers) + 1, np.int64)
    np.cumsum(numbers, out=sums[1:])
    return sums
