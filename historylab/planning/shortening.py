"""Messages that a plan sends as shorter texts, and what that saves."""

from __future__ import annotations

import numpy as np

from historylab.planning.decisions import Cuts
from historylab.planning.reasons import Reason
from historylab.planning.scans import running_sums
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

    def among(self, messages: np.ndarray) -> np.ndarray:
        """int64, ascending: those of the messages (int64, ascending) that are shortened."""
        return messages[_places_among(messages, self.messages) >= 0]

    def saved_before(self, block: int) -> int:
        """Tokens saved among the blocks before that one, where blocks come one after another."""
        if self._running is None:
            self._running = running_sums(self.saved)
        saved: int = self._running.item(int(self.homes.searchsorted(block)))
        return saved


class OldestTexts:
    """The first `stop` of `texts`, as far as their blocks are open: a Shortening whose sums were known before.

    `count` of them, which save `total` tokens.
    """

    __slots__ = ("_cuts", "_savings", "count", "stop", "texts", "total", "why")

    def __init__(self, cuts: Cuts, texts: Texts, stop: int, why: Reason):
        self.texts, self.why = texts, why
        self._cuts, self._savings, self.stop = cuts, cuts.standing.savings(texts), stop
        homes, count, saved = self._savings.homes, self._savings.count, self._savings.saved
        self.count, self.total = count.item(stop), saved.item(stop)
        for run in cuts.runs:
            low, high = (min(stop, int(homes.searchsorted(block))) for block in run[:2])
            self.count -= count.item(high) - count.item(low)
            self.total -= saved.item(high) - saved.item(low)

    def saved_before(self, block: int) -> int:
        """The same for blocks that are still open: from one to another the difference is what theirs save."""
        saved: int = self._savings.saved.item(min(self.stop, int(self._savings.homes.searchsorted(block))))
        return saved

    def continues(self, before: Shortening | OldestTexts, size: int) -> bool:
        """Whether these surely are the ones of an earlier request of that many messages, and besides only newer."""
        if (
            not isinstance(before, OldestTexts)
            or before.texts is not self.texts
            or before._cuts.runs != self._cuts.runs
        ):
            return False
        new = self.texts.messages[before.stop : self.stop]
        return before.stop <= self.stop and (not len(new) or new.item(0) >= size)

    def among(self, messages: np.ndarray) -> np.ndarray:
        """int64, ascending: those of the messages (int64, ascending) that are shortened."""
        places = _places_among(messages, self.texts.messages[: self.stop])
        known = places >= 0
        chosen: np.ndarray = messages[known][self._cuts.actions_at(self._savings.homes[places[known]]) == 0]
        return chosen

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
        oldest = column[: self.stop]
        if self.count == self.stop:
            return oldest
        chosen: np.ndarray = oldest[self._cuts.actions_at(self._savings.homes[: self.stop]) == 0]
        return chosen


def _places_among(messages: np.ndarray, known: np.ndarray) -> np.ndarray:
    """int64: where each of some messages is among those known, which are ascending; -1 where it isn't."""
    if not len(known):
        return np.full(len(messages), -1)
    places = np.minimum(known.searchsorted(messages), len(known) - 1)
    return np.where(known[places] == messages, places, -1)
