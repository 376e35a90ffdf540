"""The retention map: messages × requests in one picture with the scrubber in it, drawn by the browser from bytes."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import streamlit as st

from historylab.figures.retention_map import pack
from historylab.replay import Timeline
from historylab.ui import cached, state
from historylab.ui.components.message_choice import choose
from historylab.ui.remembered import starred_messages

KEY = "map"
NAME = "historylab.retention_map"
SCRIPTS = ("unpack", "words", "paint", "marks", "map")  # one module, in this order


def retention_map(timeline: Timeline, number: int) -> None:
    """Draw the map with request `number` (from 0) and the chosen message marked; moves in it are in the state."""
    packed, key = cached.packed(timeline)
    message = state.desk().message
    known = message is not None and message < timeline.plans[number].size
    component()(
        key=KEY,
        data=pack(packed, key, number, message if known else None, starred_messages(timeline)),
        on_look_change=lambda: _look(timeline),
    )


@cache
def component():
    """The map in the browser; `figures.retention_map.pack` says what it is given, whatever its cells mean."""
    return st.components.v2.component(
        NAME, html=_text("map.html"), css=_text("map.css"), js="\n".join(_text(f"{name}.js") for name in SCRIPTS)
    )


def _text(name: str) -> str:
    return Path(__file__).with_name(name).read_text("utf-8")


def _look(timeline: Timeline) -> None:
    """Take over what the browser says, as far as there is such a request and such a message."""
    said = state.value_of(KEY)["look"] or {}
    request, message = said.get("request"), said.get("message")
    if type(request) is int and 0 <= request < len(timeline.plans):
        state.look_at(request)
        if type(message) is int and 0 <= message < timeline.plans[request].size:
            choose(timeline, timeline.steps[request], message)
