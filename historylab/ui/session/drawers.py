"""Drawers and dialogs that a button asked for."""

from __future__ import annotations

from historylab.ui.session.session import tab, touch


def open_drawer(name: str) -> None:
    """Ask for that drawer, by a click."""
    touch()
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
