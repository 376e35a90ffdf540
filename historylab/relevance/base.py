"""The contract of relevance scorers: index a conversation's texts once, then score any prefix against a question.

A plan may not look at later messages, so `scores(question, size)` must depend on the first `size` texts alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, Self

import numpy as np


class Index(Protocol):
    """Texts that can be scored. One that can be carried on as its conversation grows is a GrowingIndex."""

    def scores(self, question: str, size: int) -> np.ndarray:
        """float64[size]: relevance of each of the first `size` texts to `question`; higher is more relevant."""
        ...


class GrowingIndex(Index, Protocol):
    """One that other indices take over, at the cost of what is new; what it says itself stays the same."""

    def followed_by(self, texts: Sequence[str]) -> Self:
        """The index of its texts and these."""
        ...

    def beginning(self, size: int) -> Self:
        """The index of its first `size` texts."""
        ...

    def led_by(self, texts: Sequence[str]) -> Self | None:
        """The index with these in place of as many first ones; None if it is as well made anew."""
        ...


class Relevance(Protocol):
    """A member: builds an index of texts."""

    name: str

    def index(self, texts: Sequence[str]) -> Index: ...
