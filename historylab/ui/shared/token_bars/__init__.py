"""The canvas component that draws the token chart, from bytes, with the line of the budget that can be dragged."""

from __future__ import annotations

from pathlib import Path

from streamlit.components.v2.types import ComponentRenderer

from historylab.settings.fields import MOST_TOKENS
from historylab.ui.session import session
from historylab.ui.shared.browser import component

SCRIPTS = ("unpack", "paint", "words", "bars")


def bars_component() -> ComponentRenderer:
    """The chart in the browser; `figures.token_chart.pack_chart` makes the bytes it takes."""
    return component(Path(__file__).parent, SCRIPTS)


def dropped_budget(key: str) -> int | None:
    """The budget at which the line was dropped; None for what is none."""
    value = session.told_by(key, "budget")
    return value if type(value) is int and 0 <= value <= MOST_TOKENS else None
