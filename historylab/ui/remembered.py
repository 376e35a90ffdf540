"""What must be remembered, under the settings on screen: this person's stars, found again in what a timeline shows."""

from __future__ import annotations

from historylab.replay import Timeline
from historylab.stars import Star
from historylab.ui import cached, state


def starred(timeline: Timeline) -> tuple[Star, ...]:
    """The stars and what this timeline makes of them; nothing is worked out where there are none."""
    return cached.retained(timeline).starred if state.stars() else ()


def starred_messages(timeline: Timeline) -> frozenset[int]:
    """The timeline's messages that are marked, or that hold one that is."""
    return frozenset(star.message for star in starred(timeline) if star.message is not None)
