"""The canvas component that draws a map of messages × requests with the scrubber in it, from bytes."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

from historylab.planning.replay import Timeline
from historylab.ui.session import session

NAME = "historylab.retention_map"
SCRIPTS = ("unpack", "words", "paint", "marks", "map")  # one module, in this order


@cache
def map_component() -> ComponentRenderer:
    """The map in the browser; `figures.retention_map.pack_view` makes the bytes it takes, whatever the cells mean."""
    return st.components.v2.component(
        NAME, html=_text("map.html"), css=_text("map.css"), js="\n".join(_text(f"{name}.js") for name in SCRIPTS)
    )


def map_look(key: str, timeline: Timeline) -> tuple[int | None, int | None]:
    """The request and the message (from 0) selected in the browser; None for one that doesn't exist."""
    look = session.widget_value(key)["look"] or {}
    request, message = look.get("request"), look.get("message")
    if type(request) is not int or not 0 <= request < len(timeline.plans):
        return None, None
    return request, message if type(message) is int and 0 <= message < timeline.plans[request].size else None


def _text(name: str) -> str:
    return Path(__file__).with_name(name).read_text("utf-8")
