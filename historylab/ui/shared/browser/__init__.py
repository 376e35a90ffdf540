"""Our own components in the browser: each is a folder of scripts, joined with the page's clock into one module."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

CLOCK = Path(__file__).with_name("clock.js")


@cache
def component(folder: Path, scripts: Sequence[str]) -> ComponentRenderer:
    """The component in `folder`, named like it: NAME.html, NAME.css, and its scripts in this order after the clock."""
    name = folder.name
    return st.components.v2.component(
        f"historylab.{name}",
        html=(folder / f"{name}.html").read_text("utf-8"),
        css=(folder / f"{name}.css").read_text("utf-8"),
        js="\n".join(path.read_text("utf-8") for path in (CLOCK, *(folder / f"{script}.js" for script in scripts))),
    )
