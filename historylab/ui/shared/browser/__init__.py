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
    """The component in `folder`, named like it: NAME.html and NAME.css if it draws, and its scripts after the clock."""
    name = folder.name
    html, css = (folder / f"{name}.{kind}" for kind in ("html", "css"))
    return st.components.v2.component(
        f"historylab.{name}",
        html=html.read_text("utf-8") if html.exists() else None,
        css=css.read_text("utf-8") if css.exists() else None,
        js="\n".join(path.read_text("utf-8") for path in (CLOCK, *(folder / f"{script}.js" for script in scripts))),
    )
