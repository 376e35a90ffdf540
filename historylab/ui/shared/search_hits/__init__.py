"""What a search found, under its field: a listbox in the browser, from which the messages are chosen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from historylab.ui.session import session
from historylab.ui.shared.browser import component


def search_hits(mount: str, data: Mapping[str, Any], on_look: Callable[[], None]) -> None:
    """Draw `data`: the words searched for, what is said of them, the hits, and how many there are besides."""
    component(Path(__file__).parent, ("hits",))(key=mount, data=dict(data), on_look_change=on_look)


def hit_look(mount: str) -> tuple[int | None, bool, bool]:
    """The message chosen (from 0); whether all shall be shown in the list; whether it is asked why it wasn't known."""
    look = session.told_by(mount, "look") or {}
    message = look.get("message")
    return (message if type(message) is int else None), look.get("all") is True, look.get("why") is True
