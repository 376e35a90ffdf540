"""Long work with a progress bar, a button to stop, and one to go on afterwards. The rows done so far are kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import streamlit as st

from historylab.ui.session import drawers, session
from historylab.ui.session.background_work import Work


class Show(Protocol):
    """Shows how far work is."""

    def __call__(self, done: int, of: int, share: float | None = None, at_most: bool = False) -> None:
        """So many are done of those known, which may be the most there are (`at_most`).

        `share`: of the work, from 0 to 1, where that is not done / of.
        """


def work_progress(
    work: Work,
    key: str,
    doing: str,
    start: str,
    fill: Callable[[Show], None],
    *,
    at_once: bool,
    count: Callable[[Any], int] = len,
) -> None:
    """Have `fill(show)` do the work if it isn't done: at once if it is quick, else after a click on the button.

    `count` tells how much of the result there is once it was stopped.
    """
    begin = f"start {key}"
    # The click is kept with the tab, not with the work: a setting changed at the same moment makes it another work.
    if drawers.take_open_request(begin):
        work.want()
    if work.done:
        return
    if work.stopped or (not at_once and not work.wanted):
        with st.spinner("Stopping"), work.lock:  # the run before hands over what it has
            pass
        # The keys keep one button from taking over the other's place, where the browser would lose its first click.
        with st.container(horizontal=True, vertical_alignment="center", key=f"waiting {key}"):
            said = f"Start again: {start}" if work.result else start
            st.button(said, key=begin, on_click=drawers.open_drawer, args=(begin,))
            if work.result:
                st.html(f'<span class="hl-meta">Stopped after {count(work.result):,}.</span>', width="content")
        return
    space = st.empty()
    with space.container(horizontal=True, vertical_alignment="center", key=f"working {key}"):
        bar = st.progress(0.0, doing)
        st.button("Stop", key=f"stop {key}", on_click=_stop, args=(work,))

    def show(done: int, of: int, share: float | None = None, at_most: bool = False) -> None:
        known = f"{'at most ' if at_most else ''}{of:,}"
        bar.progress(min(1.0, done / max(1, of) if share is None else share), f"{doing}: {done:,} of {known}")

    with work.lock:
        if not work.done:
            fill(show)
    space.empty()


def _stop(work: Work) -> None:
    work.stop()
    session.touch()
