"""The canvas component that draws a map of messages × requests with the scrubber in it, from bytes."""

from __future__ import annotations

from pathlib import Path

from streamlit.components.v2.types import ComponentRenderer

from historylab.planning.replay import Timeline
from historylab.ui.session import session
from historylab.ui.shared.browser import component

SCRIPTS = ("unpack", "words", "paint", "marks", "map")


def map_component() -> ComponentRenderer:
    """The map in the browser; `figures.retention_map.pack_view` makes the bytes it takes, whatever the cells mean."""
    return component(Path(__file__).parent, SCRIPTS)


def map_look(key: str, timeline: Timeline) -> tuple[int | None, int | None]:
    """The request and the message (from 0) selected in the browser; None for one that doesn't exist."""
    look = session.widget_value(key)["look"] or {}
    request, message = look.get("request"), look.get("message")
    if type(request) is not int or not 0 <= request < len(timeline.plans):
        return None, None
    return request, message if type(message) is int and 0 <= message < timeline.plans[request].size else None
