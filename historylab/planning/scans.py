"""Scans of an array: what comes before or after each of its places, so that questions about ranges are look-ups."""

from __future__ import annotations

import numpy as np


def running_sums(numbers: np.ndarray) -> np.ndarray:
    """int64[..., n + 1]: the sum of those before each, and of all."""
    sums = np.zeros((*numbers.shape[:-1], numbers.shape[-1] + 1), np.int64)
    np.cumsum(numbers, axis=-1, out=sums[..., 1:])
    return sums


def next_places(mask: np.ndarray) -> np.ndarray:
    """int64[n + 1]: from each place on the first that is in the mask; n without any."""
    places = np.where(np.append(mask, True), np.arange(len(mask) + 1), len(mask))
    found: np.ndarray = np.minimum.accumulate(places[::-1])[::-1]
    return found


def last_places(mask: np.ndarray) -> np.ndarray:
    """int64[n + 1]: before each place the last that is in the mask; -1 without any."""
    found: np.ndarray = np.maximum.accumulate(np.append(-1, np.where(mask, np.arange(len(mask)), -1)))
    return found
