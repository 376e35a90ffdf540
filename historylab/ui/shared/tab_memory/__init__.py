"""The browser's memory of a tab: the token by which it gets back what was open, and its name. It survives a reload."""

from __future__ import annotations

from pathlib import Path

from historylab.ui.session import coming_back, session
from historylab.ui.shared.browser import component

ASKS = "tab memory"


def ask_tab_memory() -> None:
    """Ask the browser what this tab had open, and say meanwhile that it comes back."""
    _draw(ASKS, {"asks": True})


def tab_memory() -> None:
    """Have the browser remember what is open in this tab, if there is anything that no link opens again."""
    if kept := coming_back.token_and_name():
        token, name = kept
        _draw("data tab", {"token": token, "name": name, "cookie": coming_back.COOKIE})


def _draw(key: str, data: dict[str, object]) -> None:
    component(Path(__file__).parent, ("memory",))(key=key, data=data, on_told_change=_hear)


def _hear() -> None:
    told = session.told_by(ASKS, "told") or {}
    coming_back.take_back(told.get("token"), told.get("name"))
