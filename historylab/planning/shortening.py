"""Messages that a plan sends as shorter texts, and what that saves."""

from __future__ import annotations

import numpy as np

from historylab.planning.decisions import Cuts
from historylab.planning.reasons import Reason
from historylab.planning.standing import running
from historylab.planning.texts import Texts


class Shortening:
    """Messages (int64 indices, ascending) sent as their text in `texts`, and why.

    `homes` are their blocks, `saved` the tokens each saves; `count` of them save `total`.
    """

    __slots__ = ("_running", "homes", "messages", "saved", "texts", "why")

    def __init__(self, messages: np.ndarray, homes: np.ndarray, saved: np.ndarray, texts: Texts, why: Reason):
        self.messages, self.homes, self.saved, self.texts, self.why = messages, homes, saved, texts, why
        self._running: np.ndarray | None = None

    @property
    def count(self) -> int:
        return len(self.messages)

    @property
    def total(self) -> int:
        return int(self.saved.sum())

    def saved_before(self, block: int) -> int:
        """Tokens saved among the blocks before that one, where blocks come one after another."""
        if self._running is None:
            self._running = running(self.saved)
        saved: int = self._running.item(int(self.homes.searchsorted(block)))
        return saved


class OldestTexts:
    """The first `stop` of `texts`, as far as their blocks are open: a Shortening whose sums were known before.

    `count` of them, which save `total` tokens.
    """

    __slots__ = ("_cuts", "_savings", "_stop", "count", "texts", "total", "why")

    def __init__(self, cuts: Cuts, texts: Texts, stop: int, why: Reason):
        self.texts, self.why = texts, why
        self._cuts, self._savings, self._stop = cuts, cuts.standing.savings(texts), stop
        homes, count, saved = self._savings.homes, self._savings.count, self._savings.saved
        self.count, self.total = count.item(stop), saved.item(stop)
        for run in cuts.runs:
            low, high = (min(stop, int(homes.searchsorted(block))) for block in run[:2])
            self.count -= count.item(high) - count.item(low)
            self.total -= saved.item(high) - saved.item(low)

    def saved_before(self, block: int) -> int:
        """The same for blocks that are still open: from one to another the difference is what theirs save."""
        saved: int = self._savings.saved.item(min(self._stop, int(self._savings.homes.searchsorted(block))))
        return saved

    @property
    def messages(self) -> np.ndarray:
        return self._of(self.texts.messages)

    @property
    def homes(self) -> np.ndarray:
        return self._of(self._savings.homes)

    @property
    def saved(self) -> np.ndarray:
        return self._of(self.texts.saved)

    def _of(self, column: np.ndarray) -> np.ndarray:
        oldest = column[: self._stop]
        if self.count == self._stop:
            return oldest
        chosen: np.ndarray = oldest[self._cuts.actions_at(self._savings.homes[: self._stop]) == 0]
        return chosen
