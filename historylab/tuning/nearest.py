"""The settings of ours nearest to decisions that aren't: a trimmer's, an app's, whatever a timeline holds.

    nearest = nearest_settings(replay(conversation, trimmer="langchain.trim_messages", max_tokens=4000))
    nearest.settings, nearest.agreement, nearest.differences

The numbers to begin with are read off the cuts; then one setting after the other is varied, each try replayed, as long
as that comes nearer. Settings under which an API would refuse a request come last.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from historylab.planning.replay import Timeline, replay
from historylab.settings.model import Settings
from historylab.tuning.compare import changed_values
from historylab.tuning.nearest_candidates import base_of, candidates, variations
from historylab.tuning.nearest_differences import differences_between
from historylab.tuning.observed import Observed

MOST_TRIES, SECONDS = 600, 24.0
"""The most settings that are tried; and the seconds after which no further ones are, however slow the machine."""
FINALISTS = 5
"""Candidates, each of another kind, from which the search goes on."""


class Nearest(NamedTuple):
    """Settings of ours, the share of the known requests that send the same messages under them, and what differs.

    The same: the same messages are kept, and the same ones are rewritten. `differences` are sentences on the others,
    in which "it" is who decided. Where no request is known the share is NaN.
    """

    settings: Settings
    agreement: float
    differences: tuple[str, ...]

    @property
    def is_near(self) -> bool:
        """Tell whether any request sends the same messages."""
        return self.agreement > 0

    @property
    def safe(self) -> Settings:
        """The same settings with every system message sent, where they leave those out as whoever decided does."""
        return self.settings.replace(preserve_system_messages=True)


def nearest_settings(timeline: Timeline, *, progress: Callable[[int, int], None] | None = None) -> Nearest:
    """Search the settings that come nearest to what a timeline sends, a trimmer's or as it was sent.

    Each is replayed, some hundred at most; `progress` is called with (tried, at most). None is refused where any is
    that isn't. What isn't known of the timeline counts neither way.
    """
    search = _Search(Observed.of(timeline), progress)
    best = search.run()
    ours = replay(timeline.original, best)
    agreement = search.scores[best].agreement if search.observed.numbers else math.nan
    return Nearest(best, agreement, tuple(differences_between(search.observed, ours)))


class Score(NamedTuple):
    """The nearness of settings; of two that agree as often, what is less apart counts, then how long the texts are."""

    accepted: bool
    agreement: float
    closeness: int
    summaries: int
    lengths: int
    plainness: int


@dataclass(eq=False)
class _Search:
    """The settings tried so far, each replayed once."""

    observed: Observed
    progress: Callable[[int, int], None] | None
    began: float = field(default_factory=time.monotonic)
    scores: dict[Settings, Score] = field(default_factory=dict)

    @cached_property
    def base(self) -> Mapping[str, object]:
        """The values of the settings from which candidates are made."""
        return base_of(self.observed).values()

    def run(self) -> Settings:
        """The nearest settings."""
        kinds = [tried for several in candidates(self.observed) if (tried := list(self._try_all(several)))]
        finalists = sorted(map(self._best, kinds), key=self.scores.__getitem__, reverse=True)[:FINALISTS]
        for settings in finalists:
            if not self._is_same(finalists[0]):
                self._climb(settings)
        return self._best(self.scores)

    def _climb(self, settings: Settings) -> None:
        """Vary one setting after the other as long as that comes nearer."""
        before = None
        while settings is not before and not self._is_same(settings):
            before = settings
            for near in variations(settings):
                settings = self._best([settings, *self._try_all(near)])

    def _is_same(self, settings: Settings) -> bool:
        """Tell whether every request sends the same, summaries included."""
        score = self.scores[settings]
        return not score.closeness and score.summaries == len(self.observed.ways)

    def _best(self, several: Iterable[Settings]) -> Settings:
        return max(several, key=self.scores.__getitem__)

    def _try_all(self, several: Sequence[Settings]) -> Iterator[Settings]:
        """The tries: all of them, until there were enough. One is made in any case."""
        for settings in several:
            if settings not in self.scores:
                if self.scores and (len(self.scores) >= MOST_TRIES or time.monotonic() - self.began > SECONDS):
                    return
                if self.progress:
                    self.progress(len(self.scores), MOST_TRIES)
                self.scores[settings] = self._score(settings)
            yield settings

    def _score(self, settings: Settings) -> Score:
        theirs, ours = self.observed, replay(self.observed.timeline.original, settings)
        mine = Observed.of(ours, theirs.numbers)
        apart = [int(np.count_nonzero(a != b)) for a, b in zip(theirs.ways, mine.ways, strict=True)]
        summaries = sum(a == b for a, b in zip(theirs.summarised, mine.summarised, strict=True))
        changed = len(changed_values(self.base, settings.values()))
        agreement = apart.count(0) / max(1, len(apart))
        longer = int(np.abs(theirs.tokens - mine.tokens).sum())
        return Score(not ours.refused.any(), agreement, -sum(apart), summaries, -longer, -changed)
