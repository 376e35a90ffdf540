"""What must be remembered, under the settings on screen: this person's stars, found again in what a timeline shows."""

from __future__ import annotations

from historylab.planning.replay import Timeline
from historylab.recall.must_remember import MustRemember
from historylab.ui.session import cached, viewing


def starred(timeline: Timeline) -> tuple[MustRemember, ...]:
    """The stars and what this timeline makes of them; nothing is worked out where there are none."""
    return cached.retained(timeline).starred if viewing.must_remember() else ()


def starred_messages(timeline: Timeline) -> frozenset[int]:
    """The timeline's messages that are marked, or that hold one that is."""
    return frozenset(star.message for star in starred(timeline) if star.message is not None)
