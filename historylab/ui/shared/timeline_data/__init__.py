"""A timeline in the browser, where map, list and others get it by its key; nothing is drawn here.

It comes in two parts, each an element of its own: a part that stays as it was is not sent again.
"""

from __future__ import annotations

from dataclasses import dataclass

from historylab.figures.browser import TIMELINE, TIMELINE_SCRIPTS
from historylab.ui.shared.browser import component, component_beside


@dataclass(frozen=True, slots=True)
class TimelineData:
    """Both parts as bytes, as `figures.retention_map` packs them, and the key of the second.

    Of several timelines of one conversation the first alone brings the part that follows from it; the others have None.
    """

    conversation: bytes | None
    timeline: bytes
    key: str


def timeline_data(key: str, data: TimelineData) -> None:
    """Make the timeline known to the browser; `key` tells one page's from another's."""
    if data.conversation is not None:
        component(TIMELINE, TIMELINE_SCRIPTS)(key=f"data {key} conversation", data=data.conversation)
    component_beside(TIMELINE, TIMELINE_SCRIPTS)(key=f"data {key} timeline", data=data.timeline)
