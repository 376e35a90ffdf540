"""A tab's latest timelines, each with what was found in it: of a long conversation no more than are on the screen.

A timeline of 5,000 requests holds ten megabytes, and replaying it takes a fraction of a second.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from historylab.planning.replay import Timeline

T = TypeVar("T")
MOST, MOST_REQUESTS = 5, 5_000
"""Timelines that are kept, and the requests of them all; those of the run in progress stay."""


@dataclass(slots=True, eq=False)
class _Kept:
    timeline: Timeline
    run: float
    found: dict[Hashable, Any] = field(default_factory=dict)


class LatestTimelines:
    """Timelines by their keys, the latest used last."""

    def __init__(self) -> None:
        self._kept: dict[str, _Kept] = {}

    def timeline(self, key: str, run: float, requests: int, make: Callable[[], Timeline]) -> Timeline:
        """The one kept under `key`, or a new one of so many requests, before which others give way to it.

        `run` is the same for all that one run of the page asks for.
        """
        if found := self._kept.pop(key, None):
            found.run = run
        else:
            self._make_room(run, requests)
            found = _Kept(make(), run)
        self._kept[key] = found
        return found.timeline

    def found_in(
        self, timeline: Timeline, key: Callable[[Timeline], str], run: float, name: Hashable, find: Callable[[], T]
    ) -> T:
        """The value of that name found in a timeline: kept as long as the timeline is, or another of the same `key`."""
        kept = next((kept for kept in self._kept.values() if kept.timeline is timeline), None)
        if kept is None:
            self.timeline(key(timeline), run, len(timeline.plans), lambda: timeline)
            kept = self._kept[key(timeline)]
        if name not in kept.found:
            kept.found[name] = find()
        value: T = kept.found[name]
        return value

    def _make_room(self, run: float, requests: int) -> None:
        for key, kept in list(self._kept.items()):
            held = sum(len(other.timeline.plans) for other in self._kept.values())
            full = len(self._kept) >= MOST
            if full or (held + requests > MOST_REQUESTS and kept.run != run):
                del self._kept[key]
