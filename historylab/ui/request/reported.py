"""A timeline as the report shows it: with what it costs at the prices in effect, and what later requests needed."""

from __future__ import annotations

from historylab.planning.replay import Timeline
from historylab.recordings.as_sent import is_foreign
from historylab.reports.shown import Shown
from historylab.settings.resolve import Resolution
from historylab.ui.request.bill_table import bill_of
from historylab.ui.session import cached, landing, viewing
from historylab.ui.session.must_remember import star_marks


def shown_of(timeline: Timeline, resolution: Resolution, letter: str = "A") -> Shown:
    """That timeline under the letter of its configuration."""
    bills, own = bill_of(timeline)
    needed = cached.retention_of(timeline, viewing.must_remember())
    known = None if is_foreign(timeline) else resolution
    return Shown(timeline, known, star_marks(timeline), bills.get(own), needed, letter, landing.origin_word)
