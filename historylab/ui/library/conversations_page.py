"""The page: all that was recorded, imported or generated, with totals and figures; and this machine's sessions."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from historylab.settings.consent import offline
from historylab.settings.resolve import Resolution
from historylab.ui.library.large_file import large_file_rows
from historylab.ui.library.listing import found_of, list_headline, listing, search_bar, sort_found
from historylab.ui.library.measuring import Rows, rows_work
from historylab.ui.library.memory_preview import memory_preview
from historylab.ui.library.reading import show_unreadable, store_errors_shown
from historylab.ui.library.ticked_bar import ticked_bar
from historylab.ui.library.totals import progress_of, totals_details, totals_strip
from historylab.ui.server.loopback import on_this_machine
from historylab.ui.session import choices, opening, session, watching
from historylab.ui.session import library as held
from historylab.ui.shared.notice import notice
from historylab.ui.shared.page import go_to, start_page
from historylab.ui.shared.refusals import refusals
from historylab.ui.shared.replay_errors import replay_errors_shown
from historylab.ui.toolbar.found_sessions import found_sessions
from historylab.ui.toolbar.open_drawer import open_button


def conversations_page(name: str, *, totals: bool = False) -> None:
    """Draw the page of that name in PAGES, its totals unfolded or not. What takes long comes when the list stands."""
    start_page(name)
    if watching.leaves_for_playground():
        go_to("playground")
    opening.conversation()
    resolution = choices.resolution(recorded=False)
    with replay_errors_shown(), store_errors_shown():
        _draw(resolution, totals=totals)


def _draw(resolution: Resolution, *, totals: bool) -> None:
    library, problem = held.library()
    show_unreadable(problem)
    refusals(resolution)
    if done := session.tab().announcement:
        notice(done)
    with st.container(horizontal=True, key="actions", width="content"):
        open_button()
    top = st.container(key="list-head")
    search_bar(library)
    found = found_of(library)
    rows = Rows(rows_work(resolution), library, [match.key for match in found])
    found = sort_found(found, rows)
    with top:
        list_headline(found, rows)
        bar = totals_strip(rows, resolution)
        totals_details(rows, unfold=totals)
    ticked = st.container(key="ticked-place")  # kept where nothing is ticked: the list below would be made anew
    listing(library, found, rows)
    with ticked:
        ticked_bar(library)
    large_file_rows()
    _machine_sessions()
    memory_preview(library, offline(resolution.settings))
    if bar:
        _measure(rows, bar)
        session.redraw_page()
    session.clear_announcement()


def _machine_sessions() -> None:
    """The sessions of this machine, where the reader sits at it."""
    if on_this_machine():
        st.html('<h2 class="hl-title">Sessions of this machine</h2>')
        found_sessions("page", watching.ask_for_playground)


def _measure(rows: Rows, bar: DeltaGenerator) -> None:
    """Measure for a moment; then the page is drawn anew, with what came of it."""

    def show(done: int, of: int) -> None:
        bar.progress(*progress_of(done, of))

    rows.measure(show)
