"""The canvas component that draws a map of messages × requests with the scrubber in it, from bytes."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import streamlit as st

NAME = "historylab.retention_map"
SCRIPTS = ("unpack", "words", "paint", "marks", "map")  # one module, in this order


@cache
def map_component():
    """The map in the browser; `figures.retention_map.pack_view` makes the bytes it takes, whatever the cells mean."""
    return st.components.v2.component(
        NAME, html=_text("map.html"), css=_text("map.css"), js="\n".join(_text(f"{name}.js") for name in SCRIPTS)
    )


def _text(name: str) -> str:
    return Path(__file__).with_name(name).read_text("utf-8")
