"""A timeline in the browser, where map, list and others get it by its key; nothing is drawn here.

It comes in two parts, each an element of its own: a part that stays as it was is not sent again.
"""

from __future__ import annotations

from historylab.figures.browser import TIMELINE, TIMELINE_SCRIPTS
from historylab.ui.shared.browser import component, component_beside


def timeline_data(key: str, conversation: bytes | None, timeline: bytes) -> None:
    """Make the timeline known to the browser, by both parts as `figures.retention_map` packs them.

    `key` tells one page's from another's. Of several timelines of one conversation the first alone brings the part that
    follows from it; the others have None.
    """
    if conversation is not None:
        component(TIMELINE, TIMELINE_SCRIPTS)(key=f"data {key} conversation", data=conversation)
    component_beside(TIMELINE, TIMELINE_SCRIPTS)(key=f"data {key} timeline", data=timeline)
