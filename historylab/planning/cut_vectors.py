"""The cuts of all requests of a conversation under many settings, as arrays: what counts without plans reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from historylab.planning.cut_ground import CutGround
from historylab.planning.scans import last_places, next_places


@dataclass(frozen=True, slots=True, eq=False)
class CutVectors:
    """The cuts of s settings in r requests. What is open before a request's cut isn't sent, but for one block.

    All are int64[s, r]: `cuts`, the first block that is sent though it is open, `beside`, an open one before it that
    is sent too (-1: none), `stops`, the texts sent in place of results, the oldest first, `tokens` that a request
    takes; and `budgets` int64[s, 1].
    """

    ground: CutGround
    cuts: np.ndarray
    beside: np.ndarray
    stops: np.ndarray
    tokens: np.ndarray
    budgets: np.ndarray

    @property
    def over_budget(self) -> np.ndarray:
        """bool[s, r]."""
        over: np.ndarray = self.tokens > self.budgets
        return over

    def first_sent(self, start: np.ndarray, among: np.ndarray) -> np.ndarray:
        """int64[s, r]: the first block from `start` on, of those `among` (bool[b]), that is sent; b without any."""
        ground, end = self.ground, len(among)
        newer = next_places(ground.open & among)[np.maximum(start, self.cuts)]
        first = np.minimum(newer, next_places(ground.pinned & among)[start])
        apart = (self.beside >= start) & (np.append(among, False)[self.beside] if end else False)
        first = np.minimum(first, np.where(apart, self.beside, end))
        return np.where(first < ground.blocks, first, end)

    def last_sent(self, among: np.ndarray) -> np.ndarray:
        """int64[s, r]: the last block, of those `among` (bool[b]), that is sent; -1 without any."""
        ground = self.ground
        newest = last_places(ground.open & among)[ground.blocks]
        last = np.where(newest >= self.cuts, newest, -1)
        apart = np.where(np.append(among, False)[self.beside], self.beside, -1)
        found: np.ndarray = np.maximum(np.maximum(last, apart), last_places(ground.pinned & among)[ground.blocks])
        return found

    def tokens_before(self, blocks: np.ndarray, requests: slice) -> np.ndarray:
        """int64[s, k]: tokens of what some requests send of the messages before these blocks."""
        ground, cuts, stops = self.ground, self.cuts[:, requests], self.stops[:, requests]
        beside = self.beside[:, requests]
        rest = ground.before(np.maximum(blocks, cuts), stops) - ground.before(cuts, stops)
        kept = np.maximum(beside, 0)
        aside = np.where((beside >= 0) & (beside < blocks), ground.tokens[kept + 1] - ground.tokens[kept], 0)
        found: np.ndarray = ground.always[blocks] + rest + aside
        return found

    def sends(self, setting: int, request: int) -> np.ndarray:
        """bool[blocks]: the blocks that one request sends, whole or in part."""
        ground, known = self.ground, int(self.ground.blocks[request])
        sent: np.ndarray = ground.open[:known] & (np.arange(known) >= self.cuts[setting, request])
        if (beside := int(self.beside[setting, request])) >= 0:
            sent[beside] = True
        found: np.ndarray = sent | ground.pinned[:known]
        return found


def join_vectors(vectors: Sequence[CutVectors]) -> CutVectors:
    """The cuts of all these settings, which are made on the same ground."""
    names = ("cuts", "beside", "stops", "tokens", "budgets")
    return CutVectors(vectors[0].ground, *(np.concatenate([getattr(v, name) for v in vectors]) for name in names))
