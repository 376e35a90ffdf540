"""The canvas component that draws a map of messages × requests with the scrubber in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from historylab.figures.browser import MAP, MAP_SCRIPTS
from historylab.planning.replay import Timeline
from historylab.ui.session import session
from historylab.ui.shared.browser import component, component_beside
from historylab.ui.shared.timeline_data import TimelineData, timeline_data


def history_map(key: str, data: TimelineData, view: Mapping[str, Any], on_look: Callable[[], None]) -> None:
    """Draw the timeline in `data` where `figures.retention_map.view` looks at it."""
    timeline_data(key, data)
    look = {**view, "present": True} if session.tab().presenting else view
    draw = component if data.conversation is not None else component_beside
    draw(MAP, MAP_SCRIPTS)(key=key, data=look, on_look_change=on_look)


def map_look(key: str, timeline: Timeline) -> tuple[int | None, int | None]:
    """The request and the message (from 0) selected in the browser; None for one that doesn't exist."""
    look = session.told_by(key, "look") or {}
    request, message = look.get("request"), look.get("message")
    if type(request) is not int or not 0 <= request < len(timeline.plans):
        return None, None
    return request, message if type(message) is int and 0 <= message < timeline.plans[request].size else None
