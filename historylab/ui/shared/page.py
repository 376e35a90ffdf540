"""The places, their pages and start_page(), which every page calls first: frame, style, the link, navigation."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import streamlit as st
from streamlit.errors import StreamlitAPIException

from historylab.figures.browser import text_to_send
from historylab.ui.server.development_log import log_to_stderr
from historylab.ui.session import address, coming_back, failures, session
from historylab.ui.shared.failure_page import failure_page
from historylab.ui.shared.keys import keys
from historylab.ui.shared.tab_memory import ask_tab_memory, tab_memory
from historylab.ui.shared.theme import action_colours, chart_colours

SIDEBAR = 300  # pixels
BRAND = (
    '<span class="hl-brand">HistoryLab</span><button class="hl-menu" type="button" aria-expanded="false">Menu</button>'
)
PLACES = ("conversations", "playground", "compare", "tune")
"""The pages that the navigation leads to, in its order."""
PAGES = {
    "playground": "Inspect",
    "compare": "Compare",
    "tune": "Improve",
    "conversations": "Conversations",
    "corpus": "Corpus",
    "talk": "Chat",
    "live": "Live",
    "settings": "Sources",
}
"""Name of the file in `pages/`, also its path in the address → title. The first one opens by default.

`chat` is no name of ours: AgentDock’s links have that path, and open Inspect (ui/server/chat_path.py).
"""
BELONGS = {"corpus": "conversations", "talk": "playground", "live": "playground", "settings": "playground"}
"""A page that the navigation has no link to → the place it is a part of."""

BESIDE_SETTINGS = ("playground", "talk", "tune")
"""The pages that have the settings beside them."""


def start_page(name: str) -> None:
    """Set up the page with this name in PAGES and read the link. Call it before anything else."""
    title = PAGES[name]
    failures.take_failures()
    session.begin_page(name)
    st.set_page_config(f"{title} · HistoryLab", layout="wide", initial_sidebar_state=SIDEBAR)
    st.html(f"<style>{_style()}{action_colours()}{chart_colours()}</style>")
    if name in BESIDE_SETTINGS:
        st.sidebar.container()  # there from the first on: what is beside it need not move
    log_to_stderr()
    if failure := failures.failure_of(name):
        _navigation(name)
        failure_page(failure, title)
        st.stop()
    if coming_back.is_awaited():
        _navigation(name)
        ask_tab_memory()
        st.stop()
    address.follow_link(name)
    address.write_link()
    _navigation(name)


def _navigation(name: str) -> None:
    with st.container(horizontal=True, key="navigation"):
        st.html(BRAND, width="content")
        with st.container(horizontal=True, key="places"):
            for place in PLACES:
                link_to_page(place, PAGES[place])
        keys(PAGES[BELONGS.get(name, name)])
        tab_memory()


def link_to_page(name: str, words: str) -> None:
    """A link to the page with this name in PAGES, which takes the address's parameters along."""
    try:
        st.page_link(f"pages/{name}.py", label=words, query_params=address.address_parameters() or None)
    except (KeyError, StreamlitAPIException):  # a page file run on its own knows no others
        st.html(f'<span class="hl-faint">{words}</span>', width="content")


@cache
def _style() -> str:
    return "".join(text_to_send(path) for path in sorted(Path(__file__).with_name("style").glob("*.css")))


def go_to(name: str) -> None:
    """Switch to the page with this name in PAGES, which takes the address's parameters along."""
    try:
        st.switch_page(f"pages/{name}.py", query_params=address.address_parameters())
    except StreamlitAPIException:  # a page file run on its own knows no others
        st.rerun()
