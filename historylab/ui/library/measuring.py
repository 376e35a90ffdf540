"""Measuring the listed conversations one by one, each as opening it would show it; a click stops it, another goes on.

A page measures for a moment and draws itself anew, until nothing is left: so figures come row by row, and whatever is
clicked meanwhile is done.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from time import monotonic

from historylab.conversation.conversation import Conversation
from historylab.costs.recorded_cache import billed_model
from historylab.counters.badge import count_badge
from historylab.errors import HistoryLabError, StoreError
from historylab.planning.replay import Timeline
from historylab.recordings.as_sent import KEPT_AS, is_as_sent
from historylab.recordings.library import Library
from historylab.recordings.recorded_shelf import is_recorded
from historylab.settings.resolve import Resolution
from historylab.tuning.workload import Load, Workload, measure_load
from historylab.ui.session import cached, prices, session, shown_timeline
from historylab.ui.session import library as held
from historylab.ui.session.background_work import Interruption, Work

SECONDS = 1.0  # of measuring until the page is drawn anew
SECONDS_BETWEEN_LOOKS = 0.1  # at the bar, which is also where a click is noticed
AT_ONCE = 20_000  # messages that are measured without a click: some seconds
MESSAGES_OF_RECORDED = 50  # assumed: what a recording holds isn't read before it is asked for


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """The finding on a conversation as it was at `version`: its load, or the problem that it can't be measured.

    `settings` is the key of those it was measured under, and empty where it is as it was sent; `model` whose prices
    its costs are at.
    """

    version: str
    load: Load | None = None
    settings: str = ""
    model: str = ""
    counted: str = ""
    problem: str = ""

    @property
    def as_sent(self) -> bool:
        return self.load is not None and not self.settings


def rows_work(resolution: Resolution) -> Work:
    """The work of measuring under the settings that these are without any file's own; its result is kept per row."""
    state = session.tab()
    decided = (repr(resolution.provenance), repr(state.prices), f"{state.recorded} {state.system}")
    work = cached.background_work("rows", *decided)
    work.result = {} if work.result is None else work.result
    return work


class Rows:
    """The measurements of the conversations with these keys."""

    def __init__(self, work: Work, library: Library, keys: Sequence[str]):
        self.work, self._library, self._keys = work, library, keys
        self._changed = {one.key: one.at for one in library.listing() if is_recorded(one.key)}
        done: Mapping[str, Measured] = work.result
        self.measured = {key: done[key] for key in keys if key in done and done[key].version == self._version(key)}

    @property
    def missing(self) -> list[str]:
        """The keys of those that are not measured yet."""
        return [key for key in self._keys if key not in self.measured]

    @property
    def workload(self) -> Workload:
        """All that are measured, together."""
        return Workload(tuple(found.load for found in self.measured.values() if found.load))

    @property
    def is_quick(self) -> bool:
        """Tell whether what is missing is measured so soon that it starts without a click."""
        return sum(map(self._size, self.missing)) <= AT_ONCE

    def load(self, key: str) -> Load | None:
        """The load of that conversation, once it is measured."""
        return self.measured[key].load if key in self.measured else None

    def measure(self, show: Callable[[int, int], None]) -> None:
        """Measure some of what is missing, reporting to `show` how many of how many are done."""
        began = looked = monotonic()
        interruption = Interruption(show)
        with self.work.lock:
            for key in self.missing:
                self.measured[key] = self.work.result[key] = self._measure(key)
                if (now := monotonic()) - looked > SECONDS_BETWEEN_LOOKS:
                    interruption.step(len(self.measured), len(self._keys))
                    looked = now
                if interruption.has_happened() or now - began > SECONDS:
                    break
        interruption.pass_on()

    def _measure(self, key: str) -> Measured:
        try:
            return measured_of(self._library.conversation(key), held.spec_of(key), self._version(key))
        except StoreError:
            raise
        except KeyError:  # deleted meanwhile
            return Measured(self._version(key))
        except HistoryLabError as problem:
            return Measured(self._version(key), problem=str(problem))

    def _version(self, key: str) -> str:
        """A text that is another whenever the conversation is."""
        if key in self._changed:
            return str(self._changed[key])
        one = self._library.held.held.get(key)
        return one.conversation.digest if one else ""

    def _size(self, key: str) -> int:
        one = self._library.held.held.get(key)
        return len(one.conversation) if one else MESSAGES_OF_RECORDED


def measured_of(conversation: Conversation, spec: str, version: str) -> Measured:
    """Measure a conversation. Raises HistoryLabError where what is set can't be done to it."""
    knew = KEPT_AS in conversation.derived
    timeline = shown_timeline.timeline_if_opened(conversation, spec)
    found = _figures_of(timeline, version)
    if not knew:  # thousands of timelines are not to be remembered
        conversation.derived.pop(KEPT_AS, None)
    return found


def _figures_of(timeline: Timeline, version: str) -> Measured:
    settings, model = timeline.settings, billed_model(timeline)
    under = "" if is_as_sent(timeline) else settings.key
    counted = count_badge(timeline.counter, settings.model, [timeline.original], settings.overhead)
    return Measured(version, measure_load(timeline, prices.prices_in_effect(model)), under, model, counted)
