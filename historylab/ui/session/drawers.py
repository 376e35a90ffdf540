"""Drawers and dialogs: the debug drawer, and one that a button asked for."""

from __future__ import annotations

from historylab.ui.session.address import address_parameters
from historylab.ui.session.session import tab, touch

DEBUG = "debug"
"""Parameter of AgentDock's links."""


def debug_is_shown() -> bool:
    """Whether the debug drawer is open: as it was left in this tab, at first as the link's `debug=true` has it."""
    shown = tab().debug
    return address_parameters().get(DEBUG, "").lower() == "true" if shown is None else shown


def show_debug(shown: bool) -> None:
    """Open the debug drawer, or close it for good: its link doesn't open it again."""
    tab().debug = shown
    touch()


def open_drawer(name: str) -> None:
    """Ask for that drawer; Streamlit has room for one dialog, so the debug drawer closes."""
    show_debug(False)
    ask_for(name)


def ask_for(name: str) -> None:
    """Ask for that drawer, or for that work to begin, when the page is drawn."""
    tab().wanted = name


def keep_open(name: str) -> None:
    """Draw that drawer again, should the whole page be drawn: what was clicked stands in it.

    Not one that the page no longer has: a busy browser goes on telling what its fields held, as if that were new.
    """
    if tab().drawer == name:
        ask_for(name)


def take_open_request(name: str) -> bool:
    """Whether that drawer was asked for. True once: the browser closes a drawer without a message to us."""
    state = tab()
    found = state.wanted == name
    if found:
        state.wanted = ""
    elif state.drawer == name:
        state.drawer = ""
    return found


def stands(name: str) -> None:
    """That drawer is drawn, with the page or alone: once it is closed, the page isn't to open it again."""
    state = tab()
    state.drawer = name
    if state.wanted == name:
        state.wanted = ""
