"""Must-remember marks under the settings on screen: the marked messages, found again in a timeline."""

from __future__ import annotations

from historylab.planning.replay import Timeline
from historylab.recall.must_remember import MustRemember
from historylab.ui.session import cached, viewing


def star_marks(timeline: Timeline) -> tuple[MustRemember, ...]:
    """The marks and whether this timeline's requests hold them; nothing is computed where there are none."""
    marks = viewing.must_remember()
    return cached.retention_of(timeline, marks).starred if marks else ()


def starred_messages(timeline: Timeline) -> frozenset[int]:
    """The timeline's messages that are marked, or that hold one that is."""
    return frozenset(star.message for star in star_marks(timeline) if star.message is not None)
