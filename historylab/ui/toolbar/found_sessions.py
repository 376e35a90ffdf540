"""Sessions of coding agents on this machine, listed when asked for and opened by their place in the list."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import streamlit as st

from historylab.costs.amounts import money
from historylab.costs.session_cost import MOST_MEASURED, SessionFigures, measure_sessions
from historylab.formats.sessions.find import Session, matching_sessions
from historylab.ui.session import cached, machine_sessions, opening, session
from historylab.ui.shared.row_table import Column, row_table
from historylab.wording.loading import NO_QUESTION, file_size, home_as_tilde, unread_sessions
from historylab.wording.untrusted import escape, one_line

EVERY_PROJECT = "All projects"
COLUMNS = (
    Column("Session"),
    Column("Agent", "word"),
    Column("Project"),
    Column("Last change", "date"),
    Column("Size", "number"),
    Column("Cuts", "number"),
    Column("Cost", "number"),
)
MOST_SHOWN = 500
MEASURED = f"Cuts and cost stand at the newest {MOST_MEASURED}."


def found_sessions(where: str, then: Callable[[], None]) -> None:
    """A button to look for them; then a row for each that is searched for, which opens it; `then` is done as well.

    `where` tells the drawer's from the page's.
    """
    listed = session.tab().sessions
    for path, reason in listed.unread if listed is not None else ():
        st.html(f'<div class="hl-small">{escape(unread_sessions(path, reason))}</div>')
    if not listed:
        if listed is not None:
            st.html('<div class="hl-small">None was found on this machine.</div>')
        label = "Find sessions of coding agents" if listed is None else "Look again"
        st.button(label, key=f"seek {where}", on_click=_find)
        return
    found = _search_for(listed, where)
    shown = found[:MOST_SHOWN]
    with st.spinner("Reading the newest"):
        figures = list(measure_sessions((one for _, one in shown), cached.figures_of_session))
    row_table(
        f"sessions {where}",
        COLUMNS,
        [_row(one, each) for (_, one), each in zip(shown, figures, strict=True)],
        lambda row: _open(shown[row][0], then),
        label="Sessions of this machine",
    )
    if said := _left_out(len(found), len(shown), len(listed)):
        st.html(f'<div class="hl-small">{said}</div>')


def _left_out(found: int, shown: int, listed: int) -> str:
    """ "6 of 10.": sentences on what is not in the table, and whose cuts and cost aren't."""
    if not found:
        return f"None of {listed:,} matches."
    if found > shown:
        return f"The newest {shown:,} of {found:,}: a search or a project lists others. {MEASURED}"
    part = f"{found:,} of {listed:,}." if found < listed else ""
    return f"{part} {MEASURED if shown > MOST_MEASURED else ''}".strip()


def _search_for(listed: Sequence[Session], where: str) -> list[tuple[int, Session]]:
    """The sessions searched for, of the project chosen, with their places in the list."""
    with st.container(horizontal=True, key=f"sessions-bar-{where}"):
        search = st.text_input(
            "Search sessions",
            type="search",
            placeholder="Search question, project or path",
            key=f"search {where}",
            label_visibility="collapsed",
            on_change=opening.keep_drawer_open,
        )
        projects = dict.fromkeys(found.project for found in listed)
        chosen = st.selectbox(
            "Project",
            [EVERY_PROJECT, *projects],
            format_func=lambda project: one_line(home_as_tilde(project), 80) or "(no project)",
            key=f"project {where}",
            label_visibility="collapsed",
            on_change=opening.keep_drawer_open,
        )
    places = {found.path: place for place, found in enumerate(listed)}
    found = matching_sessions(listed, search or "")
    return [(places[one.path], one) for one in found if chosen in (EVERY_PROJECT, one.project)]


def _row(found: Session, figures: SessionFigures | None) -> tuple[str, ...]:
    asked, project = one_line(found.question, 80) or NO_QUESTION, one_line(Path(found.project).name, 40)
    size = "" if found.size is None else file_size(found.size)
    cuts, cost = (str(figures.compactions), figures.dollars) if figures else ("", None)
    when = f"{found.changed.astimezone():%b %d, %Y}"
    return asked, found.tool, project, when, size, cuts, "" if cost is None else money(cost)


def _find() -> None:
    machine_sessions.find_on_machine()
    opening.keep_drawer_open()


def _open(place: int, then: Callable[[], None]) -> None:
    machine_sessions.open_session(place)
    then()
