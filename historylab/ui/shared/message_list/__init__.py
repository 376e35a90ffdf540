"""The messages of a conversation as rows or as a chat, drawn by the browser, and the texts it keeps for that.

What rarely changes is handed over by elements of its own, which Streamlit sends once; the list's own names it by key.
The fates of the messages come from the map's timeline, so that the list follows the map without Python.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from historylab.figures.packing import frame_head
from historylab.planning.replay import Timeline
from historylab.ui.session import session
from historylab.ui.shared.browser import component, component_beside

SCRIPTS = ("picture", "words", "scroller", "rows", "bubbles", "bar", "list")
KEEPER = Path(__file__).parent.with_name("kept_texts")


def keep_in_browser(parts: Mapping[str, tuple[bytes, str]]) -> None:
    """Have the browser keep deflated bytes, each under its key; Streamlit sends them once while they don't change."""
    draw = component
    for name, (packed, key) in parts.items():
        draw(KEEPER, ("kept_texts",))(key=f"data {name}", data=frame_head({"key": key}) + packed)
        draw = component_beside  # the first has brought the script


def draw_messages(mount: str, view: Mapping[str, Any], found: np.ndarray, on_look: Callable[[], None]) -> None:
    """Draw the list. `view` names what it shows by the keys kept; `found` (bool[size]) is what a search found."""
    bits = np.packbits(found, bitorder="little").tobytes() if view["searching"] else b""
    component(Path(__file__).parent, SCRIPTS)(key=mount, data=frame_head(view) + bits, on_look_change=on_look)


def list_look(mount: str, timeline: Timeline) -> dict[str, Any]:
    """What was chosen in the list: `message` and `request` (from 0; None closes the answer), `show` or `view`."""
    look = session.told_by(mount, "look") or {}
    message, request = look.get("message"), look.get("request")
    if type(message) is int and not (type(request) is int and _holds(timeline, request, message)):
        return {}
    return dict(look)


def _holds(timeline: Timeline, request: int, message: int) -> bool:
    return 0 <= request < len(timeline.plans) and 0 <= message < timeline.plans[request].size
