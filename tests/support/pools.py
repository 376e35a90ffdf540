"""Pools of conversations to draw from, each (kept, needed), and how often an interval holds what a whole pool keeps."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

Part = tuple[int, int]
Interval = Callable[[Sequence[Part]], tuple[float, float]]

SIZE = 300
"""Conversations in a pool."""


def pools(seed: int = 0) -> dict[str, list[Part]]:
    """Pools of many shapes; needs from 1 to 500 are spread evenly over their logarithm."""
    dice = np.random.default_rng(seed)
    some = dice.integers(5, 60, SIZE)
    wide = np.exp(dice.uniform(0, np.log(500), SIZE)).astype(int)
    long = np.log(wide) / np.log(500)
    bad = dice.random(SIZE)
    shapes = {
        "all alike": (np.full(SIZE, 0.9), some),
        "all but one kept in each": (1 - 1 / some, some),
        "everything kept": (np.ones(SIZE), some),
        "near 1, a tenth bad": (np.where(bad < 0.1, dice.beta(2, 3, SIZE), dice.beta(60, 1, SIZE)), some),
        "near 1, 5% bad, of any length": (np.where(bad < 0.05, dice.beta(2, 3, SIZE), dice.beta(60, 1, SIZE)), wide),
        "all or nothing": (np.where(bad < 0.2, 0.0, 1.0), some),
        "all or nothing, of any length": (np.where(bad < 0.1, 0.0, 1.0), wide),
        "U-shaped": (dice.beta(0.4, 0.4, SIZE), some),
        "skewed, of any length": (dice.beta(0.6, 0.2, SIZE), wide),
        "two kinds": (np.where(bad < 0.5, dice.beta(30, 70, SIZE), dice.beta(90, 10, SIZE)), some),
        "little kept": (dice.beta(1, 20, SIZE), some),
        "even": (dice.random(SIZE), wide),
        "one to three needs": (dice.beta(3, 1, SIZE), dice.integers(1, 4, SIZE)),
        "long ones lose more": (1 - 0.7 * long + dice.normal(0, 0.1, SIZE), wide),
        "long ones keep more": (0.2 + 0.75 * long + dice.normal(0, 0.1, SIZE), wide),
    }
    return {
        name: list(zip(dice.binomial(sizes, np.clip(share, 0, 1)).tolist(), sizes.tolist(), strict=True))
        for name, (share, sizes) in shapes.items()
    }


def coverage(
    interval: Interval, pool: Sequence[Part], conversations: int, draws: int, seed: int = 0
) -> tuple[float, float, float]:
    """The rate at which the interval of so many conversations, drawn anew each time, holds the pool's share; its width.

    The first figure is of the mean of the conversations' shares, the second of the share of all needs together.
    """
    dice = np.random.default_rng(seed)
    mean = sum(kept / needed for kept, needed in pool) / len(pool)
    together = sum(kept for kept, _ in pool) / sum(needed for _, needed in pool)
    drawn = dice.integers(0, len(pool), (draws, conversations)).tolist()
    found = [interval([pool[i] for i in one]) for one in drawn]
    held = [sum(low <= share + 1e-9 and share - 1e-9 <= high for low, high in found) for share in (mean, together)]
    return held[0] / draws, held[1] / draws, sum(high - low for low, high in found) / draws
