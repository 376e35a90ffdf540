"""Trials: settings tried on some conversations, each set once, and the search that decides which to try next.

The search is a coordinate search: from the best of some starting points it varies one axis at a time until none is
better. How good a trial is, its caller says, who can thus keep requests back to judge the choice on.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from historylab.conversation.conversation import Conversation
from historylab.costs.caches.base import Cache
from historylab.costs.proposal import adopt_recorded
from historylab.costs.recorded_cache import billed_model
from historylab.planning.pipeline import project
from historylab.planning.replay import Timeline
from historylab.pricing import prices_of
from historylab.settings.effect import CUTS_OFF
from historylab.settings.model import Settings
from historylab.tuning.growth import twice
from historylab.tuning.lanes import effective_key
from historylab.tuning.measures import combine_rows, measure_row
from historylab.tuning.outcome import Outcome, measure_outcome
from historylab.tuning.replayed import Foreign, Lane, MeasureOptions, Replayed, TrimmerLane, key_of_lane, open_lane
from historylab.tuning.search_space import Sizes, offered_axes, starting_points, vary_one_axis

MOST_GROWN = 8
"""The most conversations that are replayed with twice their history."""


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    """A lane and what came of it: an outcome per conversation, and a sweep's measures over all of them.

    Where others decided (`by`), the settings are those at which a search begins.
    """

    settings: Settings
    outcomes: tuple[Outcome, ...]
    figures: Mapping[str, Any]
    by: Foreign | None = None

    @property
    def lane(self) -> Lane:
        """The author of its decisions."""
        return self.settings if self.by is None else self.by

    @property
    def key(self) -> str:
        """The key that tells it from other trials."""
        return key_of_lane(self.lane)

    @property
    def is_ours(self) -> bool:
        """Tell whether settings decided."""
        return self.by is None

    @property
    def rejected(self) -> int:
        """The requests that an API would refuse."""
        return int(self.figures["rejected"])

    @property
    def sends_all(self) -> bool:
        """Tell whether its settings cut nothing anywhere."""
        return self.is_ours and all(self.settings.value(name) == value for name, value in CUTS_OFF.items())


@dataclass(slots=True, eq=False)
class Known:
    """Trials by effective key, and what grown conversations came to, of all searches on the same conversations.

    They hold under the same options and cache only.
    """

    trials: dict[str, Trial] = field(default_factory=dict)
    grown: dict[tuple[str, int, int], Outcome] = field(default_factory=dict)


@dataclass(eq=False)
class Trials:
    """The settings tried so far, at most `most` besides the base, and the search for others worth trying.

    `against`: who decided what is to be bettered, if not settings; `base` are then those at which the search begins.
    The settings `also` are tried in any case.
    """

    conversations: Sequence[Conversation]
    base: Settings
    varied: Sequence[str]
    locked: Collection[str]
    options: MeasureOptions
    cache: Cache | str | None
    most: int
    progress: Callable[[int, int], None] | None = None
    cancelled: Callable[[], bool] = lambda: False
    known: Known = field(default_factory=Known)
    tried: dict[str, Trial] = field(default_factory=dict)
    against: Foreign | None = None
    also: Sequence[Settings] = ()
    _twice: dict[tuple[str, int], Conversation] = field(default_factory=dict, init=False)

    def run_base(self) -> Trial:
        """The trial that the others are compared with, the first."""
        if self.against is None:
            base = self.run(self.base)
        else:
            key = key_of_lane(self.against)
            base = self.tried[key] = self.known.trials.setdefault(key, self._try(self.against))
        assert base is not None  # the first trial is always made
        return base

    def run(self, settings: Settings) -> Trial | None:
        """The trial of these settings, made at the first call; None once no more may be made."""
        key = self.key_of(settings)
        if key not in self.tried:
            if len(self.tried) > self.most or (self.tried and self.cancelled()):
                return None
            self.tried[key] = self.look_at(settings)
            self._show_progress()
        return self.tried[key]

    def look_at(self, settings: Settings) -> Trial:
        """The trial of these settings, made however many were, and not counted as tried."""
        key = self.key_of(settings)
        if key not in self.known.trials:
            self.known.trials[key] = self._try(settings)
        return self.known.trials[key]

    def key_of(self, settings: Settings) -> str:
        """The key of their trial. Beside what others decided they are counted otherwise."""
        beside = "" if self.against is None else f" beside {key_of_lane(self.against)}"
        return f"{effective_key(settings)}{beside}"

    def offered_names(self, sizes: Sizes) -> list[str]:
        """The axes to vary."""
        return [axis.name for axis in offered_axes(self.base, sizes, self.locked) if axis.name in self.varied]

    def begin(self, sizes: Sizes, peak: int | None = None) -> list[Trial]:
        """A search's starting points, tried: they depend on the base and on sizes alone."""
        starts = starting_points(self.base, self.offered_names(sizes), sizes, locked=self.locked, peak=peak)
        return self._run_all([*self.also, *starts])

    def search(self, score: Callable[[Trial], float], sizes: Sizes, peak: int | None = None) -> list[Trial]:
        """Tries what might be better: all trials that it came by, the best first."""
        begun = self.begin(sizes, peak) or list(self.tried.values())
        varied, seen = self.offered_names(sizes), {trial.settings.key: trial for trial in begun}
        best = max(seen.values(), key=score)
        while True:
            before = best
            for axis in varied:
                near = vary_one_axis(best.settings, self.base, [axis], sizes, locked=self.locked)
                seen |= {trial.settings.key: trial for trial in self._run_all(near.get(axis, []))}
                best = max(seen.values(), key=score)
            if best is before:
                return sorted(seen.values(), key=score, reverse=True)

    def grown(self, settings: Settings, number: int, stop: int) -> Outcome:
        """The costs of a conversation whose first `stop` requests come once more: `stop` later ones follow those."""
        key, grown = (self.key_of(settings), number, stop), self.known.grown
        if key not in grown:
            self._show_progress()  # where a click may stop it
            counted = self._settings_on(settings, number).replace(projection="off")
            replayed = self._measure(open_lane(self._grow(settings, number, stop), counted))
            grown[key] = measure_outcome(replayed, self.cache, needs=False)
        return grown[key]

    def _grow(self, settings: Settings, number: int, stop: int) -> Conversation:
        """The grown conversation: one for all settings that project it alike, as what it says is read once."""
        seen = project(self.conversations[number], settings)
        messages = int(seen.columns.requests[stop - 1])
        if (key := (seen.digest, messages)) not in self._twice:
            self._twice[key] = twice(seen, messages)
        return self._twice[key]

    def _show_progress(self) -> None:
        if self.progress:
            self.progress(len(self.tried), self.most + 1)

    def _run_all(self, several: Sequence[Settings]) -> list[Trial]:
        return [trial for settings in several if (trial := self.run(settings))]

    def _try(self, lane: Lane) -> Trial:
        outcomes, rows = [], []
        settings = lane if isinstance(lane, Settings) else self.base
        for number, conversation in enumerate(self.conversations):
            counted = self._settings_on(lane, number) if isinstance(lane, Settings) else lane
            replayed = self._measure(open_lane(conversation, counted))
            outcomes.append(measure_outcome(replayed, self.cache).without(self._failures(conversation)))
            rows.append({**measure_row(replayed), "settings": settings.key})
        return Trial(settings, tuple(outcomes), combine_rows(rows), None if isinstance(lane, Settings) else lane)

    def _failures(self, conversation: Conversation) -> list[int]:
        """The requests (from 0) at which the trimmer to do better than failed: nothing is compared there."""
        trimmer = self.against
        return [*trimmer.open(conversation).errors] if isinstance(trimmer, TrimmerLane) else []

    def _settings_on(self, settings: Settings, number: int) -> Settings:
        """The settings as a conversation is replayed under them: beside what others decided, counted as that is."""
        if self.against is None:
            return settings
        return adopt_recorded(settings, self.conversations[number], self.base)

    def _measure(self, timeline: Timeline) -> Replayed:
        found = Replayed(timeline, self.options)
        if self.options.prices is None:  # as `bill` prices it: by the model that was recorded
            found.options = replace(self.options, prices=prices_of(billed_model(found.timeline)))
        return found
