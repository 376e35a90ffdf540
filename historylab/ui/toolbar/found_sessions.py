"""Sessions of coding agents on this machine, listed when asked for and opened by their place in the list."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import streamlit as st

from historylab.formats.sessions.find import Session
from historylab.ui.session import machine_sessions, opening, session
from historylab.ui.shared.row_table import Column, row_table
from historylab.wording.loading import file_size, home_as_tilde
from historylab.wording.untrusted import one_line

EVERY_PROJECT = "All projects"
COLUMNS = (
    Column("Session"),
    Column("Agent", "word"),
    Column("Project"),
    Column("Last change", "word"),
    Column("Size", "number"),
)


def found_sessions(where: str, then: Callable[[], None]) -> None:
    """A button to look for them; then a row for each of a project, which opens it; `then` is done as well.

    `where` tells the drawer's from the page's.
    """
    listed = session.tab().sessions
    if not listed:
        if listed is not None:
            st.html('<div class="hl-small">None was found on this machine.</div>')
        label = "Find sessions of coding agents" if listed is None else "Look again"
        st.button(label, key=f"seek {where}", on_click=_find)
        return
    shown = _of_project(listed, where)
    row_table(
        f"sessions {where}",
        COLUMNS,
        [_row(found) for _, found in shown],
        lambda row: _open(shown[row][0], then),
        label="Sessions of this machine",
    )


def _of_project(listed: tuple[Session, ...], where: str) -> list[tuple[int, Session]]:
    """The sessions of the project chosen, with their places in the list."""
    projects = dict.fromkeys(found.project for found in listed)
    chosen = st.selectbox(
        "Project",
        [EVERY_PROJECT, *projects],
        format_func=lambda project: one_line(home_as_tilde(project), 80),
        key=f"project {where}",
        label_visibility="collapsed",
        on_change=opening.keep_drawer_open,
    )
    return [(i, found) for i, found in enumerate(listed) if chosen in (EVERY_PROJECT, found.project)]


def _row(found: Session) -> tuple[str, ...]:
    asked, project = one_line(found.question, 80) or "(no question)", one_line(Path(found.project).name, 40)
    size = "" if found.size is None else file_size(found.size)
    return asked, found.tool, project, f"{found.changed.astimezone():%b %d, %Y}", size


def _find() -> None:
    machine_sessions.find_on_machine()
    opening.keep_drawer_open()


def _open(place: int, then: Callable[[], None]) -> None:
    machine_sessions.open_session(place)
    then()
