"""Blocks as a few ranges: what a verb takes in place of a mask, where a cut is all before one block but these few."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np


class Ranges(tuple[tuple[int, int], ...]):
    """Blocks as ranges (first, stop), ascending and apart. Those of them that are decided already are skipped."""

    __slots__ = ()

    def before(self, stop: int) -> Ranges:
        """Those before a block."""
        return Ranges((first, min(end, stop)) for first, end in self if first < stop)

    def mask(self, blocks: int) -> np.ndarray:
        """bool[blocks]."""
        mask = np.zeros(blocks, bool)
        for first, end in self:
            mask[first:end] = True
        return mask


def both(blocks: Ranges | np.ndarray, of: Ranges) -> Ranges | np.ndarray:
    """Those of the blocks that are `of` these ranges, too."""
    if not isinstance(blocks, Ranges):
        mask: np.ndarray = blocks & of.mask(len(blocks))
        return mask
    common = ((max(a, c), min(b, d)) for a, b in blocks for c, d in of if c < b and a < d)
    return Ranges(common)


def before(stop: int, but: Iterable[int] = ()) -> Ranges:
    """All blocks before `stop` but these."""
    found, first = [], 0
    for block in sorted(but):
        if block >= stop:
            break
        if block > first:
            found.append((first, block))
        first = block + 1
    if first < stop:
        found.append((first, stop))
    return Ranges(found)


def ranges_in_mask(mask: np.ndarray) -> Ranges:
    """The blocks of a mask (bool[blocks])."""
    padded = np.zeros(len(mask) + 2, bool)
    padded[1:-1] = mask
    edges = (padded[1:] != padded[:-1]).nonzero()[0].tolist()
    return Ranges(zip(edges[::2], edges[1::2], strict=True))
