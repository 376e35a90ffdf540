"""What a relevance scorer is: it reads a conversation's texts once and scores any prefix of them against a question.

A plan may only look at messages already said, so `scores(question, size)` must depend on the first `size` texts alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np


class Index(Protocol):
    def scores(self, question: str, size: int) -> np.ndarray:
        """float64[size]: how relevant each of the first `size` texts is to `question`; higher is more."""
        ...


class Relevance(Protocol):
    """A member: opened once, it makes an index of texts."""

    name: str

    def index(self, texts: Sequence[str]) -> Index: ...
