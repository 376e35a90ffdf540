"""Bringing back what a tab had open when its page is loaded anew, which is a new session to Streamlit.

The browser keeps a token per tab (shared/tab_memory/), and a cookie without a secret, which says that some tab of it
has one: nobody else waits for an answer. What the address names counts for more than what was open.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from secrets import token_urlsafe
from threading import Timer

import streamlit as st

from historylab.costs.amounts import count_of
from historylab.settings.link import Place, decode
from historylab.ui.session import landing, session
from historylab.ui.session.address import address_parameters, leave_conversation
from historylab.ui.session.tab import HeldFile, LibraryChoices, Opened, TabState, ToOpen
from historylab.ui.session.tab_shelf import KEPT, TabShelf
from historylab.wording.untrusted import one_line

COOKIE = "historylab-kept"
PASTED = "What you pasted"
_SHELF = TabShelf()


def is_awaited() -> bool:
    """Tell whether the browser is still to say what this tab had open before its page was loaded."""
    state = session.tab()
    state.asked_browser |= st.context.cookies.get(COOKIE) != "1"
    return not state.asked_browser


def take_back(token: object, name: object) -> None:
    """Open again what that token stands for; or say by its name that it is no longer held."""
    state = session.tab()
    state.asked_browser = True
    if isinstance(token, str) and (held := _SHELF.take(token)):
        _bring_back(held)
    elif name and isinstance(name, str):
        state.gone, state.token = one_line(name, 80), ""


def token_and_name() -> tuple[str, str] | None:
    """The token and name for the browser to keep for this tab, empty if nothing; None to leave it as it is."""
    state = session.tab()
    if name := _name_of(state):
        state.token = state.token or token_urlsafe(32)
        _hold_while_connected(state.token)
        return state.token, name
    if state.token is None or state.gone:
        return None
    state.token = ""
    return "", ""


def forget() -> None:
    """Forget the open file and all that was said about it: the page begins anew, with what else the tab lists."""
    state, opened = session.tab(), session.tab().opened
    if opened is not None:
        _SHELF.drop(opened.conversations)
        others = [held for held in state.library.held if held.opened.conversations is not opened.conversations]
        library = replace(state.library, held=others, ticked={})
        session.begin_with(
            TabState(library=library, chat=state.chat, uploaded=state.uploaded, token="", asked_browser=True)
        )
        leave_conversation()


def forget_gone() -> None:
    """Say no more which file is missing: what is open is what is wanted."""
    state = session.tab()
    state.gone = ""
    if state.opened:
        state.opened.stands_in = False
    session.touch()


# -- what comes back


def _name_of(state: TabState) -> str:
    """The name of what no link brings back: files that are asked for or open, or else what there is besides."""
    files = state.to_open.files if state.to_open else ()
    if not files and state.opened:
        files = tuple(file.given for file in state.opened.files)
    if files:
        return count_of(len(files), "file") if files[1:] else one_line(files[0].name, 80) or PASTED
    if state.opened and state.opened.edited:
        return one_line(state.opened.conversation.title, 80)
    listed = any(not held.opened.spec for held in state.library.held)
    return "Chat" if len(state.chat.conversation) else "What was listed" if listed else ""


def _bring_back(held: TabState) -> None:
    """The state of the tab from now on, of its own: the one before may be that of another tab, duplicated."""
    state, opened = replace(held, library=_copy_of(held.library), chat=held.chat.without_server()), held.opened
    state.asked_browser, state.page = True, session.tab().page
    state.address = replace(state.address, page="", clicked=False)  # it is loaded, whatever was drawn or clicked before
    session.begin_with(state)
    if opened and not _is_named(opened):
        state.opened, state.stars, state.questions, state.request, state.message = None, (), (), None, None
    elif opened and _has_changed(opened, held.library.held):
        files = tuple(file.given for file in opened.files)
        state.opened, state.again = None, ToOpen(files, shape=opened.files[0].shape, which=opened.which)
        state.linked = Place(landing.name_in_link(opened))
    elif opened:
        state.opened = replace(opened, unmarked=set(opened.unmarked))


def _is_named(opened: Opened) -> bool:
    """Tell whether the address leads to it, as far as an address can."""
    place = decode(landing.link_to_follow(session.tab().page, address_parameters())).place
    return landing.opens(place) == landing.opens(Place(landing.name_in_link(opened), opened.which))


def _has_changed(opened: Opened, listed: list[HeldFile]) -> bool:
    """Tell whether all of it lies on this machine, and changed since it was read: an agent's session goes on."""
    paths = [file.given.data for file in opened.files if isinstance(file.given.data, Path)]
    if len(paths) < len(opened.files) or not paths or opened.edited or opened.listing:
        return False
    read = max((held.at for held in listed if held.opened.conversations is opened.conversations), default=0.0)
    try:
        return any(path.is_dir() or path.stat().st_mtime > read for path in paths)
    except OSError:
        return False  # gone from there: what was read of it is still here


def _copy_of(library: LibraryChoices) -> LibraryChoices:
    held = [replace(one, gone=set(one.gone)) for one in library.held]
    return replace(library, held=held, tags=dict(library.tags), ticked=dict(library.ticked))


# -- how long


def _leave(token: str) -> None:
    _SHELF.leave(token)
    timer = Timer(KEPT + 1, _SHELF.sweep)
    timer.daemon = True
    timer.start()


@st.cache_resource(scope="session", show_spinner=False, on_release=_leave)
def _hold_while_connected(token: str) -> str:
    """Hold this tab's state. Streamlit lets go of a session's resources as its tab disconnects."""
    _SHELF.hold(token, session.tab())
    return token
