"""Intervals for a share: of independent trials, and over conversations, whose needs stand and fall together.

A conversation is one draw, however many needs it has. The share over all of them can be read in two ways, which differ
where long conversations lose more than short ones: all needs counted alike, or all conversations. The interval spans
both, so that neither reading leaves it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

Z = 1.96
"""Standard errors on both sides that hold 95 of 100."""
FEWEST = 3
"""The fewest conversations that say anything of others."""
UNSEEN = 0.0075
"""The share of conversations that keep nothing, and of those that keep all, of which none may have been drawn."""
LEAST = 0.05
"""The least number of trials that conversations stand for."""


def share_interval(parts: Sequence[tuple[int, int]]) -> tuple[float, float]:
    """The bounds, from 0 to 1, that hold the share of conversations like these 95 times of 100.

    `parts`: (kept, needed) of each conversation. Those without needs say nothing; fewer than three give (0, 1).
    Raises ValueError for one that kept more than it needed, or less than nothing.
    """
    if impossible := next((part for part in parts if not 0 <= part[0] <= part[1]), None):
        raise ValueError(f"{impossible[0]} of {impossible[1]} is no share: a part is (kept, needed)")
    given = [part for part in parts if part[1]]
    if len(given) < FEWEST:
        return 0.0, 1.0
    shares = [kept / needed for kept, needed in given]
    bounds = [_interval(shares, weights) for weights in ([needed for _, needed in given], [1] * len(given))]
    return min(low for low, _ in bounds), max(high for _, high in bounds)


def ratio_interval(parts: Sequence[float], wholes: Sequence[float]) -> tuple[float, float]:
    """The bounds, from 0, that hold a sum ÷ another over conversations like these 95 times of 100.

    A conversation is one draw, and counts by its part of the whole. Fewer than three give (0, inf).
    """
    total, ratio = sum(wholes), sum(parts) / (sum(wholes) or 1)
    squares = sum(whole**2 for whole in wholes)
    if len(wholes) < FEWEST or not total:
        return 0.0, math.inf
    apart = sum((part - ratio * whole) ** 2 for part, whole in zip(parts, wholes, strict=True))
    count = total**2 / squares  # conversations of one size that would say as much
    error = math.sqrt(apart * len(wholes) / (len(wholes) - 1)) / total
    half = error * _student(max(1.0, count - 1))
    return max(0.0, ratio - half), ratio + half


def wilson_interval(share: float, trials: float, z: float = Z) -> tuple[float, float]:
    """Wilson's bounds for a share of so many independent trials (more than 0), `z` standard errors on both sides."""
    width = 1 + z**2 / trials
    middle = (share + z**2 / (2 * trials)) / width
    half = z * math.sqrt(share * (1 - share) / trials + z**2 / (4 * trials**2)) / width
    return max(0.0, middle - half) if share > 0 else 0.0, min(1.0, middle + half) if share < 1 else 1.0


def _interval(shares: Sequence[float], weights: Sequence[int]) -> tuple[float, float]:
    """The bounds for the weighted share, by as many trials as the conversations stand for and Student's t.

    Each would be one trial if it kept all or nothing; the less their shares differ, the more it is.
    """
    weight = sum(weights)
    share = sum(each * one for one, each in zip(shares, weights, strict=True)) / weight
    count = weight**2 / sum(each**2 for each in weights)  # conversations of one weight that would say as much
    middle = (1 - 2 * UNSEEN) * share + UNSEEN
    apart = sum(each * (one - middle) ** 2 for one, each in zip(shares, weights, strict=True)) / weight
    spread = (1 - 2 * UNSEEN) * apart + UNSEEN * (middle**2 + (1 - middle) ** 2)
    trials = max(LEAST, count * middle * (1 - middle) / spread)
    return wilson_interval(min(1.0, share), trials, _student(len(shares) - 1))


def _student(freedom: float) -> float:
    """Standard errors on both sides that hold 95 of 100 where the spread is estimated: within 3 % of Student's t."""
    return Z + 2.372 / freedom + 2.822 / freedom**2 + 2.555 / freedom**3
