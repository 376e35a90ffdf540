"""Scrolls the page to what a click asked for, where that is off screen, with the focus: nothing of Streamlit's does."""

from __future__ import annotations

from pathlib import Path

from historylab.ui.shared.browser import component


def scroll_to(key: str, asked: int) -> None:
    """Scroll to the container of that key, once for each time it was `asked` for."""
    component(Path(__file__).parent, ("scroll",))(
        key=f"data scroll {key}", data={"to": f".st-key-{key}", "asked": asked}
    )
